#include <dma/dma.hpp>
#include <dma/engines/tensor/host_tensor_map.hpp>
#include <dma/host/launch.hpp>
#include <dma/machine/readable.hpp>

#include "kernels/last_cta.hpp"
#include "kernels/shared_indices.hpp"
#include "kernels/sums.hpp"
#include "mutants/cases.hpp"
#include "mutants/sparse_rows_kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

namespace mutants {

namespace {

// --- sums of several CTAs --------------------------------------------------------------------------------------------

/// An array before, and the same after the sums of all CTAs.
template <class Shape, class Body>
struct Sums {
  using Element = typename Shape::Element;
  std::vector<Element> before;
  std::vector<Element> array;
  dma::TensorMap<typename Shape::Tile> map;

  Sums() : before(sums::rows * sums::pitch) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      before[i] = sums::before<Element>(static_cast<int>(i));
    }
    array = before;
    if constexpr (!std::is_same_v<typename Body::Array, Element*>) {
      map = dma::host::tensor_map<typename Shape::Tile>(array.data(), Shape::tile(0));
    }
  }
  [[nodiscard]] typename Body::Array argument() {
    if constexpr (std::is_same_v<typename Body::Array, Element*>) {
      return array.data();
    } else {
      return &map;
    }
  }
};
template <class Shape, class Barrier, class Engine>
void add_sums(Cases& cases) {
  using Body = sums::Body<Shape, Barrier, Engine>;
  cases.push_back({"sums, " + dma::machine::readable(dma::machine::type_name<typename Body::Pipe>()),
                   [] {
                     Sums<Shape, Body> data;
                     return dma::proof::prove(writes(data.array), Body{}, {2}, data.argument());
                   },
                   [] {
                     Sums<Shape, Body> data;
                     dma::host::launch({3}, Body{}, {sums::ctas}, data.argument());
                     return sums::count_wrong<Shape>(data.array.data(), data.before.data()) == 0;
                   }});
}

// --- lists of indices in shared memory -------------------------------------------------------------------------------

template <class Body>
void add_gather(Cases& cases) {
  constexpr int tiles = 7;
  constexpr int rows = shared_indices::rows;
  constexpr int cols = shared_indices::cols;
  struct Data {
    std::vector<int> table = std::vector<int>(67 * cols);
    std::vector<int> list = std::vector<int>(tiles * rows);
    std::vector<int> out = std::vector<int>(tiles * rows * cols, -1);
    Data() {
      for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = static_cast<int>(i);
      }
      for (int i = 0; i < tiles * rows; ++i) {
        list[static_cast<std::size_t>(i)] = i * i % 67;
      }
    }
    shared_indices::Job job() { return {table.data(), 67, list.data(), tiles, out.data()}; }
  };
  cases.push_back({"gather, " + dma::machine::readable(dma::machine::type_name<Body>()),
                   [] {
                     Data data;
                     return dma::proof::prove(writes(data.out), Body{}, {1}, data.job());
                   },
                   [] {
                     Data data;
                     dma::host::launch({3}, Body{}, {1}, data.job());
                     bool is_right = true;
                     for (int i = 0; i < tiles * rows * cols; ++i) {
                       const int row = i / cols;
                       is_right = is_right && data.out[static_cast<std::size_t>(i)] == row * row % 67 * cols + i % cols;
                     }
                     return is_right;
                   }});
}

// --- the last CTA ----------------------------------------------------------------------------------------------------

struct PartialSums {
  std::vector<unsigned> partial =
      std::vector<unsigned>(last_cta::groups * last_cta::parts * last_cta::Body::Layout::threads);
  std::vector<unsigned> sums = std::vector<unsigned>(last_cta::groups * last_cta::Body::Layout::threads);
  std::vector<dma::ArrivalCounter> counters = std::vector<dma::ArrivalCounter>(last_cta::groups);
};
void add_last_cta(Cases& cases) {
  cases.push_back({"the last CTA adds up",
                   [] {
                     PartialSums data;
                     return dma::proof::prove(writes(data.partial, data.sums, data.counters), last_cta::Body{},
                                              {2, last_cta::parts}, 1U, data.partial.data(), data.sums.data(),
                                              data.counters.data());
                   },
                   [] {
                     PartialSums data;
                     dma::host::launch({3}, last_cta::Body{}, {last_cta::groups, last_cta::parts}, 1U,
                                       data.partial.data(), data.sums.data(), data.counters.data());
                     std::vector<unsigned> left;
                     for (const dma::ArrivalCounter& counter : data.counters) {
                       left.push_back(counter.arrived);
                     }
                     return last_cta::count_wrong(1, data.sums, left) == 0;
                   }});
}

// --- pace ------------------------------------------------------------------------------------------------------------

/// Loads tiles at the pace of the other CTAs.
template <int Groups>
struct Paced {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<2>, dma::Dma<2>>;
  using Tile = dma::Sequential<float, 64>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.count = Groups}>>;
  struct Shared {
    typename Pipe::Storage storage;
  };
  static constexpr dma::KernelTraits traits{.cooperative = true};

  void operator()(dma::KernelCta<Paced>& cta, const float* in, float* out, dma::PaceCounter* counter) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    dma::Pace<3> pace(cta, pipe, counter);
    const int tiles = 5 + cta.block().x;
    if (pipe.is_dma()) {
      for (int t : pipe.as_dma().my_tiles({.last = tiles})) {
        pace.step();
        pipe.as_dma().load(in + t * Tile::count);
      }
    } else if (pipe.is_compute()) {
      const auto compute = pipe.as_compute();
      for (int t = 0; t < tiles; ++t) {
        const auto tile = compute.wait();
        for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
          out[(cta.block().x * 10 + t) * Tile::count + i] = tile[i];
        }
      }
    }
  }
};
template <int Groups>
void add_pace(Cases& cases) {
  constexpr int ctas = 3;
  struct Data {
    std::vector<float> in = std::vector<float>(10 * 64);
    std::vector<float> out = std::vector<float>(ctas * 10 * 64, -1);
    std::vector<dma::PaceCounter> counter = std::vector<dma::PaceCounter>(1);
    Data() {
      for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = static_cast<float>(i);
      }
    }
  };
  cases.push_back({"pace, " + std::to_string(Groups) + " groups",
                   [] {
                     Data data;
                     return dma::proof::prove(writes(data.out, data.counter), Paced<Groups>{}, {ctas}, data.in.data(),
                                              data.out.data(), data.counter.data());
                   },
                   [] {
                     Data data;
                     dma::host::launch({3}, Paced<Groups>{}, {ctas}, data.in.data(), data.out.data(),
                                       data.counter.data());
                     bool is_right = data.counter[0].word == 0;
                     for (int i = 0; i < ctas * 640; ++i) {
                       const int place = i % 640;
                       const float expected = place < (5 + i / 640) * 64 ? static_cast<float>(place) : -1.0F;
                       is_right = is_right && data.out[static_cast<std::size_t>(i)] == expected;
                     }
                     return is_right;
                   }});
}

// --- compute warps that share what they write ------------------------------------------------------------------------

/// Adds to each element its neighbour, after all compute warps have doubled the tile in its slot. A slot is passed on
/// by a move, and the storage is a buffer of the kernel's own afterwards.
template <class Warps, class Barrier, class Engine>
struct Doubled {
  using Layout = Warps;
  static constexpr int count = Layout::compute_threads;
  using Tile = dma::Sequential<float, count>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 3>, Barrier, Engine>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  void operator()(dma::KernelCta<Doubled>& cta, const float* in, float* out, int tiles) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    cta.take_roles(
        [&] {
          const auto compute = pipe.as_compute();
          auto last = compute.wait();
          for (int t = 1; t < tiles; ++t) {
            auto tile = compute.wait();
            last[compute.rank()] = 2 * last[compute.rank()];
            compute.sync();
            out[t * count + compute.rank()] = last[(compute.rank() + 33) % count] + tile[compute.rank()];
            compute.sync();
            last = std::move(tile);
          }
        },
        [&] {
          for (int t = 0; t < tiles; ++t) {
            pipe.as_dma().load(in + t * Tile::count);
          }
        });
  }
};
template <class Warps, class Barrier, class Engine>
void add_doubled(Cases& cases) {
  using Kernel = Doubled<Warps, Barrier, Engine>;
  constexpr int tiles = 8;
  constexpr int count = Kernel::count;
  struct Data {
    std::vector<float> in = std::vector<float>(tiles * count);
    std::vector<float> out = std::vector<float>(tiles * count);
    Data() {
      for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = static_cast<float>(i + 1);
      }
    }
  };
  cases.push_back(
      {"shared by compute warps, " + dma::machine::readable(dma::machine::type_name<typename Kernel::Pipe>()),
       [] {
         Data data;
         return dma::proof::prove(writes(data.out), Kernel{}, {1}, data.in.data(), data.out.data(), tiles);
       },
       [] {
         Data data;
         dma::host::launch({3}, Kernel{}, {1}, data.in.data(), data.out.data(), tiles);
         bool is_right = true;
         for (int i = count; i < tiles * count; ++i) {
           const int last = i / count * count - count;
           const int expected = 2 * (last + (i % count + 33) % count + 1) + i + 1;
           is_right = is_right && data.out[static_cast<std::size_t>(i)] == static_cast<float>(expected);
         }
         return is_right;
       }});
}

// --- roles with budgets, and storage that is used again
// ---------------------------------------------------------------

/// Two DMA groups with roles of their own: one loads, one stores what the compute warps made of it. The stores are then
/// loaded again, by a pipeline in the first one's place. Where ordinary stores have written a part of them, which no
/// fence of the library orders before bulk copies from global memory, the inputs are loaded again instead.
template <class Load, class Store, class Again>
struct Reopened {
  using Layout = typename Load::Layout;
  union Places {
    typename Load::Storage load;
    typename Again::Storage again;
  };
  struct Shared {
    Places places;
    typename Store::Storage store;
  };
  using Tile = typename Load::Pattern;
  static constexpr long long stride = (Tile::count + 3) / 4 * 4;  ///< elements from tile to tile, whole 16 bytes
  static constexpr bool loads_stored = stride == Tile::count;

  void operator()(dma::KernelCta<Reopened>& cta, const float* in, float* out, int tiles) const {
    auto& shared = cta.template shared<Shared>();
    {
      Load load(cta, shared.places.load);
      Store store(cta, shared.store);
      cta.take_roles(
          [&] {
            const auto full = load.as_compute();
            const auto empty = store.as_compute();
            for (int t = 0; t < tiles; ++t) {
              auto first = full.wait();
              const auto from = std::move(first);
              const auto to = empty.wait();
              for (int i = full.rank(); i < from.size(); i += full.size()) {
                to[i] = from[i] + 1;
              }
            }
          },
          [&] {
            for (int t = 0; t < tiles; ++t) {
              load.as_dma().load(in + t * stride);
            }
          },
          [&] {
            for (int t = 0; t < tiles; ++t) {
              store.as_dma().store(out + t * stride);
            }
          });
      store.close();
      load.close();
    }
    Again again(cta, shared.places.again);
    again.for_each_tile(
        {.last = tiles}, [&](const auto& dma, int t) { dma.load((loads_stored ? out : in) + t * stride); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            out[(tiles + t) * stride + i] = 2 * tile[i];
          }
        });
  }
};
template <class Load, class Store, class Again>
void add_reopened(Cases& cases) {
  using Kernel = Reopened<Load, Store, Again>;
  constexpr int tiles = 7;
  constexpr int stride = static_cast<int>(Kernel::stride);
  struct Data {
    std::vector<float> in = std::vector<float>(tiles * stride);
    std::vector<float> out = std::vector<float>(2 * tiles * stride, -1);
    Data() {
      for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = static_cast<float>(i);
      }
    }
  };
  cases.push_back({"reopened, " + dma::machine::readable(dma::machine::type_name<Again>()),
                   [] {
                     Data data;
                     return dma::proof::prove(writes(data.out), Kernel{}, {1}, data.in.data(), data.out.data(), tiles);
                   },
                   [] {
                     Data data;
                     dma::host::launch({3}, Kernel{}, {1}, data.in.data(), data.out.data(), tiles);
                     bool is_right = true;
                     for (int i = 0; i < tiles * stride; ++i) {
                       const auto at = static_cast<std::size_t>(i);
                       is_right = is_right && (i % stride >= static_cast<int>(Kernel::Tile::count) ||
                                               (data.out[at] == static_cast<float>(i + 1) &&
                                                data.out[at + tiles * stride] ==
                                                    static_cast<float>(2 * (i + (Kernel::loads_stored ? 1 : 0)))));
                     }
                     return is_right;
                   }});
}

/// A bulk copy of the kernel's own takes the bytes of a closed pipeline, its barriers among them. The copy's barrier
/// was opened before.
template <class Pipe>
struct OverClosed {
  using Layout = typename Pipe::Layout;
  using Tile = typename Pipe::Pattern;
  struct Shared {
    typename Pipe::Storage storage;
    alignas(8) unsigned long long copied;
  };
  static constexpr int floats = sizeof(typename Pipe::Storage) / sizeof(float);
  static_assert(sizeof(typename Pipe::Storage) % 16 == 0);

  void operator()(dma::KernelCta<OverClosed>& cta, const float* in, float* out, int tiles) const {
    auto& shared = cta.template shared<Shared>();
    if (cta.thread() == 0) {
      dma::machine::phase_init(&shared.copied, 1);
      dma::machine::fence_async_proxy();
    }
    cta.sync();
    Pipe pipe(cta, shared.storage);
    pipe.for_each_tile(
        {.last = tiles}, [&](const auto& dma, int t) { dma.load(in + t * Tile::count); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            out[t * Tile::count + i] = tile[i] + 1;
          }
        });
    pipe.close();
    auto* const bytes = reinterpret_cast<unsigned char*>(&shared.storage);
    if (cta.thread() == 0) {
      const int size = floats * int{sizeof(float)};
      dma::machine::phase_expect(&shared.copied, size, {});
      dma::machine::copy_bulk_to_shared<dma::CacheHints{}>(bytes, reinterpret_cast<const unsigned char*>(in), size,
                                                           &shared.copied);
      dma::machine::phase_arrive(&shared.copied, {});
    }
    dma::machine::phase_wait(&shared.copied, 0, {});
    for (int i = cta.thread(); i < floats; i += Layout::threads) {
      out[tiles * Tile::count + i] = reinterpret_cast<const float*>(bytes)[i] + 2;
    }
    cta.sync();
    if (cta.thread() == 0) {
      dma::machine::phase_invalidate(&shared.copied);
    }
  }
};
template <class Pipe>
void add_over_closed(Cases& cases) {
  using Kernel = OverClosed<Pipe>;
  constexpr int tiles = 5;
  constexpr int loaded = tiles * static_cast<int>(Kernel::Tile::count);
  static_assert(Kernel::floats <= loaded);
  struct Data {
    std::vector<float> in = std::vector<float>(loaded);
    std::vector<float> out = std::vector<float>(loaded + Kernel::floats);
    Data() {
      for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = static_cast<float>(i);
      }
    }
  };
  cases.push_back({"a bulk copy over a closed " + dma::machine::readable(dma::machine::type_name<Pipe>()),
                   [] {
                     Data data;
                     return dma::proof::prove(writes(data.out), Kernel{}, {1}, data.in.data(), data.out.data(), tiles);
                   },
                   [] {
                     Data data;
                     dma::host::launch({3}, Kernel{}, {1}, data.in.data(), data.out.data(), tiles);
                     bool is_right = true;
                     for (int i = 0; i < loaded + Kernel::floats; ++i) {
                       const int expected = i < loaded ? i + 1 : i - loaded + 2;
                       is_right = is_right && data.out[static_cast<std::size_t>(i)] == static_cast<float>(expected);
                     }
                     return is_right;
                   }});
}

}  // namespace

void add_other_kernels(Cases& cases) {
  add_sums<sums::Lines<int>, dma::NamedBarrier, dma::RegisterCopy<>>(cases);
  add_sums<sums::Blocks<float>, dma::CudaBarrier, dma::BulkCopy<>>(cases);
  add_sums<sums::Boxes<float>, dma::CudaBarrier, dma::TensorCopy<>>(cases);
  add_sums<sums::Boxes<float>, dma::NamedBarrier, dma::RegisterCopy<>>(cases);

  add_gather<shared_indices::StagedOnce<dma::NamedBarrier>>(cases);
  add_gather<shared_indices::StagedTileByTile<dma::CudaBarrier>>(cases);
  add_gather<shared_indices::StagedByPipeline>(cases);

  add_sparse_rows<dma::NamedBarrier, dma::RegisterCopy<>, 4, 2>(cases);
  add_sparse_rows<dma::CudaBarrier, dma::AsyncCopy<>, 16, 2>(cases);
  add_sparse_rows<dma::CudaBarrier, dma::BulkCopy<>, 16, 1>(cases);

  add_last_cta(cases);
  add_pace<1>(cases);
  add_pace<2>(cases);

  using OneGroup = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Budgets = dma::WarpLayout<dma::Compute<4, dma::Registers{128}>, dma::Dma<4, dma::Registers{40}>>;
  add_doubled<OneGroup, dma::NamedBarrier, dma::RegisterCopy<>>(cases);
  add_doubled<OneGroup, dma::CudaBarrier, dma::BulkCopy<>>(cases);
  add_doubled<Budgets, dma::CudaBarrier, dma::AsyncCopy<>>(cases);

  using TwoGroups = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<2>>;
  using Tile = dma::Sequential<float, 96>;
  using Bulk = dma::BulkCopy<>;
  add_reopened<dma::DmaPipeline<Tile, dma::MultiBuffer<TwoGroups, 3>, dma::CudaBarrier, Bulk>,
               dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<TwoGroups, 4, dma::DmaGroups{.first = 1}>,
                                dma::CudaBarrier, Bulk>,
               dma::DmaPipeline<Tile, dma::MultiBuffer<TwoGroups, 2>, dma::CudaBarrier, Bulk>>(cases);
  add_reopened<dma::DmaPipeline<Tile, dma::MultiBuffer<TwoGroups, 2>, dma::CudaBarrier, dma::AsyncCopy<>>,
               dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<TwoGroups, 2, dma::DmaGroups{.first = 1}>,
                                dma::CudaBarrier, Bulk>,
               dma::DmaPipeline<Tile, dma::MultiBuffer<TwoGroups, 3>, dma::CudaBarrier, Bulk>>(cases);
  add_reopened<dma::DmaPipeline<Tile, dma::MultiBuffer<TwoGroups, 3>, dma::CudaBarrier, dma::RegisterCopy<>>,
               dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<TwoGroups, 2, dma::DmaGroups{.first = 1}>,
                                dma::CudaBarrier, Bulk>,
               dma::DmaPipeline<Tile, dma::MultiBuffer<TwoGroups, 2>, dma::CudaBarrier, Bulk>>(cases);
  // A tile whose last 8 bytes are written by ordinary stores, and one of whole 16 bytes in its place.
  using Uneven = dma::Sequential<float, 102, 16>;
  using Even = dma::Sequential<float, 104>;
  add_reopened<dma::DmaPipeline<Uneven, dma::MultiBuffer<TwoGroups, 2>, dma::CudaBarrier, Bulk>,
               dma::DmaPipeline<dma::Store<Uneven>, dma::MultiBuffer<TwoGroups, 2, dma::DmaGroups{.first = 1}>,
                                dma::CudaBarrier, Bulk>,
               dma::DmaPipeline<Even, dma::MultiBuffer<TwoGroups, 2>, dma::CudaBarrier, Bulk>>(cases);
  add_reopened<dma::DmaPipeline<Tile, dma::MultiBuffer<TwoGroups, 2>, dma::CudaBarrier, dma::AsyncCopy<>>,
               dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<TwoGroups, 2, dma::DmaGroups{.first = 1}>,
                                dma::NamedBarrier, Bulk>,
               dma::DmaPipeline<Tile, dma::MultiBuffer<TwoGroups, 3>, dma::NamedBarrier, dma::AsyncCopy<>>>(cases);
  using Short = dma::MultiBuffer<OneGroup, 2>;
  add_over_closed<dma::DmaPipeline<Tile, Short, dma::CudaBarrier, Bulk>>(cases);
  add_over_closed<dma::DmaPipeline<Tile, Short, dma::NamedBarrier, dma::RegisterCopy<>>>(cases);
}

}  // namespace mutants
