// Products of a pair of CTAs: their values beside sums of another formula, what a pair may not do, and the order of
// both CTAs' copies, products, loads, arrivals and ends.

#include <dma/standard.hpp>

#if __has_include(<cuda_bf16.h>)
#include <dma/dma.hpp>
#include <dma/host/launch.hpp>
#include <dma/kernel/phase_barrier.hpp>
#include <dma/matrix/tensor_memory.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>
#include <dma/sync/pair_barrier.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cuda_bf16.h>

#include <cstddef>
#include <vector>

namespace {

using Catch::Matchers::ContainsSubstring;
using dma::Major;
using dma::PairBarrier;
using dma::proof::FailsBy;
using dma::proof::FindingKind;
using dma::proof::IsProved;
using BFloat16 = __nv_bfloat16;

constexpr dma::RowLayout swizzled{.swizzle = dma::Swizzle::bytes_128};

/// What a kernel does wrong.
enum class Wrong {
  nothing,
  loads_too_early,           ///< without a wait for the products, in the odd CTA
  overwrites_odd_sums,       ///< without a wait for their loads in the odd CTA
  no_fence_before_loads,     ///< behind the wait, in the odd CTA
  no_fence_behind_loads,     ///< before the arrival, in the odd CTA
  no_fence_before_products,  ///< behind the wait
  arrives_for_one,           ///< when the products of one CTA are complete, of which there are none
  frees_too_early,           ///< no thread has waited for the products
};

/// The even CTA does not wait for the odd one's slot.
struct EachForItself : PairBarrier {
  template <dma::Participants participants, dma::Lanes lanes>
  static void wait_for_copies(dma::BarrierPoint<State> point, unsigned parity, const dma::machine::Site& site) {
    dma::machine::phase_wait(&point.state->own, parity, site);
  }
};
/// Nothing waits for the last release of a slot.
struct WithoutDrain : PairBarrier {
  static constexpr bool needs_drain = false;
};
/// The odd CTA's warp releases its slot, and the products' arrival the even one's.
struct OddReleasesItself : PairBarrier {
  static void arrive_when_multiplied(dma::BarrierPoint<State> point, const dma::machine::Site& site) {
    dma::machine::sync_warp();
    if (dma::machine::elect()) {
      if (dma::machine::cluster_rank() == 1) {
        dma::machine::phase_arrive(&point.state->own, site);
      } else {
        dma::machine::this_thread().execute({.kind = dma::machine::OperationKind::arrive_when_multiplied,
                                             .barrier = &point.state->own,
                                             .ctas = 2,
                                             .ordered = dma::machine::Ordered::in_cluster,
                                             .site = site});
      }
    }
  }
};
/// A release that comes from the other CTA is waited for at CTA scope.
struct AtCtaScope : PairBarrier {
  template <dma::Participants participants, dma::Lanes lanes>
  static void wait(dma::BarrierPoint<State> point, unsigned parity, const dma::machine::Site& site) {
    dma::machine::phase_wait(&point.state->own, parity, site);
  }
};

/// C = A B^T, 256 x `columns`, of `blocks` tiles of 64 k; again for each of several tiles.
template <int columns = 32, Wrong wrong = Wrong::nothing, class Sync = PairBarrier, Major major_of_b = Major::k,
          int slots = 2>
struct Product {
  static constexpr dma::KernelTraits traits{.cluster = 2};
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Compute<1>, dma::Dma<1>>;
  using TileOfA = dma::Tile2D<BFloat16, 64, 128, swizzled>;
  using TileOfB = dma::stdlib::conditional_t<major_of_b == Major::k, dma::Tile2D<BFloat16, 64, columns / 2, swizzled>,
                                             dma::Tile2D<BFloat16, 64, 64, swizzled>>;
  using Tile = dma::Concat<TileOfA, TileOfB>;
  using Loads = dma::DmaPipeline<Tile, dma::UsedBy<1, dma::MultiBuffer<Layout, slots>>, Sync, dma::TensorCopy<>>;
  using Memory = dma::TensorMemory<64, 2>;
  using Barrier = dma::PhaseBarrier<dma::Scope::cluster>;
  struct Shared {
    typename Loads::Storage loads;
    typename Memory::Storage memory;
    typename Barrier::State full;
    typename Barrier::State empty;
  };

  static TileOfA tile_of_a(int blocks, int rank, int at) {
    return {2LL * 64 * blocks, 256, 64 * blocks, 128 * rank, 64 * at};
  }
  static TileOfB tile_of_b(int blocks, int rank, int at) {
    if constexpr (major_of_b == Major::k) {
      return {2LL * 64 * blocks, columns, 64 * blocks, columns / 2 * rank, 64 * at};
    } else {
      return {2LL * 128, 64 * blocks, 128, 64 * at, 64 * rank};
    }
  }

  void operator()(dma::KernelCta<Product>& cta, const dma::TensorMap<Tile>& map, int blocks, int tiles,
                  float* c) const {
    auto& shared = cta.template shared<Shared>();
    Loads loads(cta, shared.loads);
    const Memory memory(cta, shared.memory);
    Barrier full(cta, shared.full, 1);
    Barrier empty(cta, shared.empty, wrong == Wrong::overwrites_odd_sums ? 128 : 256);
    const auto sums = memory.template sums<columns>(16);
    const int rank = cta.cluster_rank();
    cta.take_roles(
        [&] { write(sums, full, empty, rank, tiles, c); },
        [&] { multiply(loads, sums, full, empty, rank, blocks, tiles); },
        [&] {
          for (int t = 0; t < blocks * tiles; ++t) {
            loads.as_dma().load(map, Tile{tile_of_a(blocks, rank, t % blocks), tile_of_b(blocks, rank, t % blocks)});
          }
        });
  }

 private:
  template <class Sums>
  static void write(const Sums& sums, Barrier& full, const Barrier& empty, int rank, int tiles, float* c) {
    const bool is_wrong = rank == 1 && (wrong == Wrong::loads_too_early || wrong == Wrong::no_fence_before_loads ||
                                        wrong == Wrong::no_fence_behind_loads);
    for (int t = 0; t < tiles && wrong != Wrong::frees_too_early; ++t) {
      if (!is_wrong || wrong != Wrong::loads_too_early) {
        full.wait();
      }
      float* const rows = c + (t * 256 + 128 * rank) * columns;
      if (is_wrong) {
        load(sums, rows);
      } else {
        sums.for_each([&](int row, int column, float sum) { rows[row * columns + column] = sum; });
      }
      if (wrong != Wrong::overwrites_odd_sums || rank == 0) {
        empty.arrive_at(0);
      }
    }
  }
  /// As `for_each`, of 16 columns, but for what is wrong.
  template <class Sums>
  static void load(const Sums& sums, float* rows) {
    float values[16];
    if (wrong != Wrong::no_fence_before_loads) {
      dma::machine::fence_tensor_memory_after_sync();
    }
    dma::machine::load_tensor_memory(values, sums.address, 0);
    dma::machine::wait_for_tensor_memory_loads();
    for (int i = 0; i < 16; ++i) {
      rows[dma::machine::thread_rank() * columns + i] = values[i];
    }
    if (wrong != Wrong::no_fence_behind_loads) {
      dma::machine::fence_tensor_memory_before_sync();
    }
  }
  template <class Sums>
  static void multiply(Loads& loads, const Sums& sums, const Barrier& full, Barrier& empty, int rank, int blocks,
                       int tiles) {
    const auto in = loads.as_compute();
    const dma::AsyncReads reads;
    for (int t = 0; t < tiles; ++t) {
      if (t > 0 && rank == 0) {
        empty.wait();
      }
      for (int at = 0; at < blocks; ++at) {
        auto slot = in.wait();
        const auto a = dma::matrix_descriptor<Major::k>(slot, dma::part<0>);
        const auto b = dma::matrix_descriptor<major_of_b>(slot, dma::part<1>);
        if constexpr (wrong == Wrong::no_fence_before_products) {
          multiply_without_fence(sums, a, b, rank, at > 0);
        } else {
          dma::multiply_add(sums, a, b, at > 0);
        }
        reads.release_when_read(slot);
      }
      full.template arrive_when_multiplied<wrong == Wrong::arrives_for_one ? 1 : 2>();
    }
  }
  template <class Sums, class A, class B>
  static void multiply_without_fence(const Sums& sums, const A& a, const B& b, int rank, bool adds) {
    if (rank == 0 && dma::machine::elect()) {
      dma::machine::begin_tensor_product<2>(sums.address, columns, a.first, a.begin_of_reads(),
                                            a.bytes_of_reads(128, 64), b.first, b.begin_of_reads(),
                                            b.bytes_of_reads(columns / 2, 64));
      dma::machine::multiply_into_tensor_memory<BFloat16, columns, Major::k, Major::k, 2>(
          sums.address, dma::machine::tensor_descriptor(a.at(0)), dma::machine::tensor_descriptor(b.at(0)), adds);
    }
  }
};

/// Small integers, whose sums are exact.
std::vector<BFloat16> integers(int count, unsigned seed) {
  std::vector<BFloat16> numbers;
  for (unsigned i = 0; i < static_cast<unsigned>(count); ++i) {
    numbers.emplace_back(static_cast<float>(static_cast<int>((i + seed) * 2654435761U >> 29U) - 3));
  }
  return numbers;
}

template <int columns = 32, Major major_of_b = Major::k>
struct Data {
  int blocks;
  int tiles;
  std::vector<BFloat16> a = integers(256 * 64 * blocks, 5);
  std::vector<BFloat16> b = integers(128 * 64 * blocks, 3);
  std::vector<float> c = std::vector<float>(static_cast<std::size_t>(256 * columns * tiles), -1.0F);

  template <class Kernel>
  [[nodiscard]] auto map() const {
    return dma::host::tensor_map<typename Kernel::Tile>(dma::TensorArray{a.data(), Kernel::tile_of_a(blocks, 0, 0)},
                                                        dma::TensorArray{b.data(), Kernel::tile_of_b(blocks, 0, 0)});
  }
  /// Where each CTA of the pair loads 64 columns of an array with neighbouring columns, a product has the first of
  /// them.
  [[nodiscard]] float expected(int row, int column) const {
    const int of_b = major_of_b == Major::k ? column : column % (columns / 2) + column / (columns / 2) * 64;
    float sum = 0;
    for (int k = 0; k < 64 * blocks; ++k) {
      const int in_b = major_of_b == Major::k ? of_b * 64 * blocks + k : k * 128 + of_b;
      sum += static_cast<float>(a[static_cast<std::size_t>(row * 64 * blocks + k)]) *
             static_cast<float>(b[static_cast<std::size_t>(in_b)]);
    }
    return sum;
  }
  [[nodiscard]] int wrong_sums() const {
    int wrong = 0;
    for (int i = 0; i < static_cast<int>(c.size()); ++i) {
      wrong += c[static_cast<std::size_t>(i)] == expected(i / columns % 256, i % columns) ? 0 : 1;
    }
    return wrong;
  }
};

template <class Kernel>
dma::proof::Verdict prove(int blocks = 3, int tiles = 3) {
  Data<> data{blocks, tiles};
  return dma::proof::prove(
      {.inputs = {dma::proof::input(data.a), dma::proof::input(data.b)}, .outputs = {dma::proof::output(data.c)}},
      Kernel{}, {2}, data.map<Kernel>(), blocks, tiles, data.c.data());
}
template <Wrong wrong>
dma::proof::Verdict prove() {
  return prove<Product<32, wrong>>();
}

struct Storage : dma::TensorMemory<32, 2>::Storage {};
/// A body that does one thing with tensor memory, in the CTAs of a cluster.
template <int cluster, class Body>
struct OneThing {
  static constexpr dma::KernelTraits traits{.cluster = cluster};
  using Layout = dma::WarpLayout<dma::Compute<4>>;
  struct Shared {
    Storage storages[2];
  };
  const Body* body;
  void operator()(dma::KernelCta<OneThing>& cta) const { (*body)(cta, cta.template shared<Shared>().storages); }
};
template <int cluster = 2, class Body>
void run_body(const Body& body) {
  dma::host::launch(OneThing<cluster, Body>{&body}, {cluster});
}

}  // namespace

TEST_CASE("products of a pair have 256 rows") {
  using dma::machine::tensor_instruction;
  CHECK(tensor_instruction<BFloat16, Major::k, Major::k>(64, 2) ==
        (1U << 4 | 1U << 7 | 1U << 10 | 8U << 17 | 16U << 24));
}

TEST_CASE("products of a pair have the sums of another formula") {
  const auto check = [](auto kernel, auto data) {
    using Kernel = decltype(kernel);
    dma::host::launch(Kernel{}, {2}, data.template map<Kernel>(), data.blocks, data.tiles, data.c.data());
    CHECK(data.wrong_sums() == 0);
  };
  check(Product<>{}, Data<>{1, 1});
  check(Product<>{}, Data<>{5, 2});
  check(Product<32, Wrong::nothing, PairBarrier, Major::mn>{}, Data<32, Major::mn>{2, 1});
}

TEST_CASE("products of a pair are proved") {
  CHECK_THAT((prove<Product<>>(1, 1)), IsProved());
  CHECK_THAT((prove<Product<>>(5, 3)), IsProved());
  CHECK_THAT((prove<Product<32, Wrong::nothing, PairBarrier, Major::k, 1>>(3, 2)), IsProved());
}

TEST_CASE("the order of copies, products and loads of a pair is judged") {
  CHECK_THAT(prove<Wrong::loads_too_early>(), FailsBy(FindingKind::broken_contract));
  CHECK_THAT(prove<Wrong::overwrites_odd_sums>(), FailsBy(FindingKind::unfinished_copy));
  CHECK_THAT(prove<Wrong::no_fence_before_loads>(), FailsBy(FindingKind::missing_fence));
  CHECK_THAT(prove<Wrong::no_fence_behind_loads>(), FailsBy(FindingKind::unfinished_copy));
  CHECK_THAT(prove<Wrong::no_fence_before_products>(), FailsBy(FindingKind::missing_fence));
  CHECK_THAT((prove<Product<32, Wrong::nothing, EachForItself>>()), FailsBy(FindingKind::unfinished_copy));
  CHECK_THAT((prove<Product<32, Wrong::nothing, OddReleasesItself>>()), FailsBy(FindingKind::unfinished_copy));
  CHECK_THAT((prove<Product<32, Wrong::nothing, AtCtaScope>>()), FailsBy(FindingKind::narrow_scope));
}

TEST_CASE("no CTA of a pair ends while products use it") {
  CHECK_THAT((prove<Product<32, Wrong::nothing, WithoutDrain>>()), FailsBy(FindingKind::ended_cta));
  CHECK_THAT((prove<Product<32, Wrong::frees_too_early>>(3, 1)), FailsBy(FindingKind::unfinished_copy));
}

TEST_CASE("the arrival of a CTA's products says nothing of a pair's") {
  CHECK_THAT(prove<Wrong::arrives_for_one>(), FailsBy(FindingKind::broken_contract));
  Data<> data{1, 1};
  using Kernel = Product<32, Wrong::arrives_for_one>;
  CHECK_THROWS_WITH(dma::host::launch(Kernel{}, {2}, data.map<Kernel>(), 1, 1, data.c.data()),
                    ContainsSubstring("a kernel uses tensor memory of one CTA (.cta_group::1) and of a pair"));
}

TEST_CASE("tensor memory of a pair is of two CTAs that are there") {
  using dma::machine::allocate_tensor_memory;
  CHECK_THROWS_WITH(
      run_body<1>([](auto& cta, Storage* storages) { const dma::TensorMemory<32, 2> memory(cta, storages[0]); }),
      ContainsSubstring("a CTA without a pair in its cluster has the tensor memory of one"));
  CHECK_NOTHROW(
      run_body<4>([](auto& cta, Storage* storages) { const dma::TensorMemory<32, 2> memory(cta, storages[0]); }));
  CHECK_THROWS_WITH(run_body([](auto&, Storage* storages) {
                      if (dma::machine::thread_rank() < 32) {
                        allocate_tensor_memory<32, 2>(&storages[0].address);
                      }
                    }),
                    ContainsSubstring("the other CTA may not have started"));
  CHECK_THROWS_WITH(run_body([](auto& cta, Storage* storages) {
                      cta.cluster_sync();
                      if (dma::machine::thread_rank() < 32) {
                        allocate_tensor_memory<32, 2>(&storages[0].address);
                        dma::machine::free_tensor_memory<32>(0);
                      }
                      cta.cluster_sync();
                    }),
                    ContainsSubstring("give TensorMemory and arrive_when_multiplied() the same number"));
}

TEST_CASE("both CTAs of a pair have the columns of a product") {
  CHECK_THROWS_WITH(
      run_body([](auto& cta, Storage* storages) {
        cta.cluster_sync();
        if (cta.cluster_rank() == 0 && dma::machine::thread_rank() < 32) {
          dma::machine::allocate_tensor_memory<32, 2>(&storages[0].address);
          if (dma::machine::elect()) {
            const auto operand = dma::machine::tensor_descriptor(dma::machine::MatrixOperand{0, 0, 0, 0}.encoded());
            dma::machine::multiply_into_tensor_memory<BFloat16, 32, Major::k, Major::k, 2>(storages[0].address, operand,
                                                                                           operand, false);
          }
        }
        cta.cluster_sync();
      }),
      ContainsSubstring("columns of tensor memory that are not allocated"));
}

#endif
