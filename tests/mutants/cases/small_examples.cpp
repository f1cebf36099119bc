#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

#include "custom_barrier/each_arrives.hpp"
#include "custom_engine/run_per_warp.hpp"
#include "custom_pattern/folded_triangle.hpp"
#include "mutants/cases.hpp"
#include "mutants/round_trip_kernel.hpp"
#include "proof/neighbours.hpp"
#include "scale/body.hpp"
#include "several_pipelines/add.hpp"
#include "several_pipelines/axpy.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace mutants {

namespace {

using Floats = std::vector<float>;

Floats numbers(int count, int period) {
  Floats values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    values[static_cast<std::size_t>(i)] = static_cast<float>(i % period);
  }
  return values;
}

/// Whether `out[i]` is `expected(i)` for the first `count` elements.
template <class Expected>
bool holds(const Floats& out, int count, const Expected& expected) {
  bool is_right = true;
  for (int i = 0; i < count; ++i) {
    is_right = is_right && out[static_cast<std::size_t>(i)] == static_cast<float>(expected(i));
  }
  return is_right;
}

void add_several_pipelines(Cases& cases) {
  constexpr int n = 7 * 1024 - 5;
  constexpr int tiles = 7;
  cases.push_back({"axpy",
                   [] {
                     const Floats x = numbers(n, 101);
                     const Floats y = numbers(n, 37);
                     Floats z(n + 5, -1);
                     return dma::proof::prove(writes(z), Axpy{}, {1}, x.data(), y.data(), z.data(), 3.0F, n);
                   },
                   [] {
                     const Floats x = numbers(n, 101);
                     const Floats y = numbers(n, 37);
                     Floats z(n + 5, -1);
                     dma::host::launch({3}, Axpy{}, {2}, x.data(), y.data(), z.data(), 3.0F, n);
                     return holds(z, n, [](int i) { return 3 * (i % 101) + i % 37; });
                   }});
  cases.push_back({"add",
                   [] {
                     const Floats x = numbers(tiles * 1024, 101);
                     const Floats y = numbers(tiles * 1024, 37);
                     Floats z(x.size());
                     return dma::proof::prove(writes(z), Add{}, {2}, x.data(), y.data(), z.data(), tiles);
                   },
                   [] {
                     const Floats x = numbers(tiles * 1024, 101);
                     const Floats y = numbers(tiles * 1024, 37);
                     Floats z(x.size());
                     dma::host::launch({3}, Add{}, {2}, x.data(), y.data(), z.data(), tiles);
                     return holds(z, tiles * 1024, [](int i) { return i % 101 + i % 37; });
                   }});
}

void add_one_pipeline(Cases& cases) {
  constexpr int tiles = 7;
  cases.push_back({"scale",
                   [] {
                     const Floats x = numbers(tiles * 1024, 101);
                     Floats y(x.size());
                     return dma::proof::prove(writes(y), Scale{}, {2}, x.data(), y.data(), 3.0F, tiles);
                   },
                   [] {
                     const Floats x = numbers(tiles * 1024, 101);
                     Floats y(x.size() + 1);
                     dma::host::launch({3}, Scale{}, {2}, x.data(), y.data(), 3.0F, tiles);
                     return holds(y, tiles * 1024, [](int i) { return 3 * (i % 101); });
                   }});
  cases.push_back({"neighbours",
                   [] {
                     const Floats x = numbers(tiles * 64, 101);
                     Floats y(x.size());
                     return dma::proof::prove(writes(y), Neighbours<0>{}, {1}, x.data(), y.data(), tiles);
                   },
                   [] {
                     const Floats x = numbers(tiles * 64, 101);
                     Floats y(x.size());
                     dma::host::launch({3}, Neighbours<0>{}, {1}, x.data(), y.data(), tiles);
                     return holds(y, tiles * 64, [](int i) { return i < 64 ? 0 : i % 101 + (i - 64) % 101; });
                   }});
}

/// Sums each of a row of triangles by its own load, and stores it by its own store.
struct Triangles {
  static constexpr int rows = 24;
  static constexpr int blocks = 6;
  using Tile = FoldedTriangle<rows>;
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>, dma::Dma<1>>;
  using In = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout>, dma::CudaBarrier>;
  using Out = dma::DmaPipeline<dma::Store<Tile>, dma::ManualDoubleBuffer<Layout, 1>, dma::CudaBarrier>;
  struct Shared {
    In::Storage in;
    Out::Storage out;
  };

  void operator()(dma::KernelCta<Triangles>& cta, const unsigned short* from, unsigned short* to) const {
    const Tile tile{.pitch_bytes = blocks * rows * 2};
    auto& shared = cta.shared<Shared>();
    In in(cta, shared.in);
    Out out(cta, shared.out);
    cta.take_roles(
        [&] {
          for (int b = 0; b < blocks; ++b) {
            const auto full = in.as_compute().wait(tile);
            const auto empty = out.as_compute().wait(tile);
            for (int i = cta.lane(); i < full.size(); i += 32) {
              empty[i] = full[i];
            }
          }
        },
        [&] {
          for (int b = 0; b < blocks; ++b) {
            in.as_dma().load(from + b * rows, tile);
          }
        },
        [&] {
          for (int b = 0; b < blocks; ++b) {
            out.as_dma().store(to + b * rows, tile);
          }
        });
  }
};
void add_triangles(Cases& cases) {
  struct Data {
    std::vector<unsigned short> from =
        std::vector<unsigned short>(Triangles::rows * Triangles::rows * Triangles::blocks);
    std::vector<unsigned short> to = std::vector<unsigned short>(from.size(), 0xee);
    Data() {
      for (std::size_t i = 0; i < from.size(); ++i) {
        from[i] = static_cast<unsigned short>(i);
      }
    }
  };
  cases.push_back({"a pattern's own transfer",
                   [] {
                     Data data;
                     return dma::proof::prove(writes(data.to), Triangles{}, {1}, data.from.data(), data.to.data());
                   },
                   [] {
                     Data data;
                     dma::host::launch({3}, Triangles{}, {1}, data.from.data(), data.to.data());
                     bool is_right = true;
                     for (std::size_t i = 0; i < data.to.size(); ++i) {
                       const std::size_t row = i / (Triangles::rows * Triangles::blocks);
                       const bool is_below = i % Triangles::rows <= row;
                       is_right = is_right && data.to[i] == (is_below ? data.from[i] : 0xee);
                     }
                     return is_right;
                   }});
}

}  // namespace

void add_small_examples(Cases& cases) {
  add_several_pipelines(cases);
  add_one_pipeline(cases);
  add_triangles(cases);
  add_round_trip<dma::Sequential<float, 128>, dma::RegisterCopy<>, EachArrives>(cases);
  add_round_trip<dma::Sequential<float, 128>, dma::AsyncCopy<>, EachArrives>(cases);
  add_round_trip<shapes::WideBox, RunPerWarp, dma::CudaBarrier, 2>(cases);
  add_round_trip<shapes::Rows, RunPerWarp, dma::NamedBarrier>(cases);
}

}  // namespace mutants
