// Products into tensor memory: their values beside sums of another formula, what a kernel may not do with tensor
// memory, and the order of products, loads, fences and arrivals.

#include <dma/standard.hpp>

#if __has_include(<cuda_bf16.h>)
#include <dma/dma.hpp>
#include <dma/host/launch.hpp>
#include <dma/kernel/phase_barrier.hpp>
#include <dma/matrix/tensor_memory.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>
#include <vector>

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using dma::Major;
using dma::proof::FailsBy;
using dma::proof::FindingKind;
using dma::proof::IsProved;
using BFloat16 = __nv_bfloat16;
using Half = __half;

constexpr dma::RowLayout swizzled{.swizzle = dma::Swizzle::bytes_128};

/// What a kernel does wrong.
enum class Wrong {
  nothing,
  one_slot,                  ///< nothing: all products are of one, and the warp that starts them waits for them
  releases_slots_itself,     ///< while products read them
  tells_by_itself,           ///< that the sums are there, and not by the products' arrival
  tells_nobody,              ///< no product arrives anywhere
  loads_too_early,           ///< without a wait for the products
  overwrites_sums,           ///< without a wait for their loads
  no_fence_before_loads,     ///< behind the wait
  no_fence_behind_loads,     ///< before the arrival
  no_wait_for_loads,         ///< before the arrival
  no_fence_before_products,  ///< behind the wait
  reads_a_slot,              ///< by a thread, of which the products' arrival says nothing
  adds_to_nothing,
};

/// C = A B^T, 128 x `columns`, of `blocks` tiles of 64 k; again for each of several tiles.
template <class Element, int columns, Wrong wrong = Wrong::nothing, Major major_of_b = Major::k>
struct Product {
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Compute<1>, dma::Dma<1>>;
  using TileOfA = dma::Tile2D<Element, 64, 128, swizzled>;
  using TileOfB = dma::stdlib::conditional_t<major_of_b == Major::k, dma::Tile2D<Element, 64, columns, swizzled>,
                                             dma::Tile2D<Element, 64, 64, swizzled>>;
  using Tile = dma::Concat<TileOfA, TileOfB>;
  using Loads =
      dma::DmaPipeline<Tile, dma::UsedBy<1, dma::MultiBuffer<Layout, 2>>, dma::CudaBarrier, dma::TensorCopy<>>;
  using Memory = dma::TensorMemory<64>;
  struct Shared {
    typename Loads::Storage loads;
    typename Memory::Storage memory;
    dma::PhaseBarrier<>::State full;
    dma::PhaseBarrier<>::State empty;
  };

  static TileOfA tile_of_a(int blocks, int at) { return {2LL * 64 * blocks, 128, 64 * blocks, 0, 64 * at}; }
  static TileOfB tile_of_b(int blocks, int at) {
    if constexpr (major_of_b == Major::k) {
      return {2LL * 64 * blocks, columns, 64 * blocks, 0, 64 * at};
    } else {
      return {2LL * 64, 64 * blocks, 64, 64 * at, 0};
    }
  }

  void operator()(dma::KernelCta<Product>& cta, const dma::TensorMap<Tile>& map, int blocks, int tiles,
                  float* c) const {
    auto& shared = cta.template shared<Shared>();
    Loads loads(cta, shared.loads);
    const Memory memory(cta, shared.memory);
    dma::PhaseBarrier<> full(cta, shared.full, 1);
    dma::PhaseBarrier<> empty(cta, shared.empty, 128);
    const auto sums = memory.template sums<columns>(16);
    cta.take_roles([&] { write(sums, full, empty, tiles, c); },
                   [&] {
                     if constexpr (wrong == Wrong::one_slot) {
                       multiply_one_slot(loads, sums, full, empty, tiles);
                     } else {
                       multiply(loads, sums, full, empty, blocks, tiles);
                     }
                   },
                   [&] {
                     for (int t = 0; t < (wrong == Wrong::one_slot ? 1 : blocks * tiles); ++t) {
                       loads.as_dma().load(map, Tile{tile_of_a(blocks, t % blocks), tile_of_b(blocks, t % blocks)});
                     }
                   });
  }

 private:
  template <class Sums>
  static void write(const Sums& sums, dma::PhaseBarrier<>& full, const dma::PhaseBarrier<>& empty, int tiles,
                    float* c) {
    for (int t = 0; t < tiles; ++t) {
      if (wrong != Wrong::loads_too_early && wrong != Wrong::tells_nobody) {
        full.wait();
      }
      if constexpr (wrong == Wrong::nothing || wrong == Wrong::one_slot || wrong == Wrong::releases_slots_itself) {
        sums.for_each([&](int row, int column, float sum) { c[(t * 128 + row) * columns + column] = sum; });
      } else {
        load(sums, c + t * 128 * columns);
      }
      empty.arrive();
    }
  }
  /// As `for_each`, of 16 columns, but for what is wrong.
  template <class Sums>
  static void load(const Sums& sums, float* c) {
    float values[16];
    if (wrong != Wrong::no_fence_before_loads) {
      dma::machine::fence_tensor_memory_after_sync();
    }
    if (wrong != Wrong::tells_nobody) {
      dma::machine::load_tensor_memory(values, sums.address, 0);
      if (wrong != Wrong::no_wait_for_loads) {
        dma::machine::wait_for_tensor_memory_loads();
      }
      for (int i = 0; i < 16; ++i) {
        c[dma::machine::thread_rank() * columns + i] = values[i];
      }
    }
    if (wrong != Wrong::no_fence_behind_loads) {
      dma::machine::fence_tensor_memory_before_sync();
    }
    if (wrong == Wrong::no_wait_for_loads) {
      dma::machine::wait_for_tensor_memory_loads();
    }
  }
  template <class Sums>
  static void multiply_one_slot(Loads& loads, const Sums& sums, dma::PhaseBarrier<>& full, dma::PhaseBarrier<>& empty,
                                int tiles) {
    auto slot = loads.as_compute().wait();
    for (int t = 0; t < tiles; ++t) {
      if (t > 0) {
        empty.wait();
      }
      dma::multiply_add(sums, dma::matrix_descriptor<Major::k>(slot, dma::part<0>),
                        dma::matrix_descriptor<major_of_b>(slot, dma::part<1>), false);
      full.arrive_when_multiplied();
      full.wait();
    }
    dma::AsyncReads{}.release(slot);
  }
  template <class Sums>
  static void multiply(Loads& loads, const Sums& sums, dma::PhaseBarrier<>& full, dma::PhaseBarrier<>& empty,
                       int blocks, int tiles) {
    const auto in = loads.as_compute();
    const dma::AsyncReads reads;
    for (int t = 0; t < tiles; ++t) {
      if (t > 0 && wrong != Wrong::overwrites_sums) {
        empty.wait();
      }
      for (int at = 0; at < blocks; ++at) {
        auto slot = in.wait();
        const auto a = dma::matrix_descriptor<Major::k>(slot, dma::part<0>);
        const auto b = dma::matrix_descriptor<major_of_b>(slot, dma::part<1>);
        if constexpr (wrong == Wrong::no_fence_before_products) {
          multiply_without_fence(sums, a, b, at > 0);
        } else {
          dma::multiply_add(sums, a, b, at > 0 || wrong == Wrong::adds_to_nothing);
        }
        if (wrong == Wrong::reads_a_slot && dma::machine::elect()) {
          static_cast<void>(static_cast<float>(slot[0]));
        }
        if (wrong == Wrong::releases_slots_itself) {
          reads.release(slot);
        } else if (wrong != Wrong::tells_nobody) {
          reads.release_when_read(slot);
        } else {
          dma::machine::sync_warp();
          return;
        }
      }
      if (wrong == Wrong::tells_by_itself) {
        if (dma::machine::elect()) {
          full.arrive();
        }
      } else {
        full.arrive_when_multiplied();
      }
    }
  }
  template <class Sums, class A, class B>
  static void multiply_without_fence(const Sums& sums, const A& a, const B& b, bool adds) {
    dma::machine::sync_warp();
    if (dma::machine::elect()) {
      dma::machine::begin_tensor_product(sums.address, columns, a.first, a.begin_of_reads(), a.bytes_of_reads(128, 64),
                                         b.first, b.begin_of_reads(), b.bytes_of_reads(columns, 64));
      dma::machine::multiply_into_tensor_memory<Element, columns, Major::k, Major::k>(
          sums.address, dma::machine::tensor_descriptor(a.at(0)), dma::machine::tensor_descriptor(b.at(0)), adds);
    }
  }
};

/// Small integers, whose sums are exact.
template <class Element>
std::vector<Element> integers(int count, unsigned seed) {
  std::vector<Element> numbers;
  for (unsigned i = 0; i < static_cast<unsigned>(count); ++i) {
    numbers.emplace_back(static_cast<float>(static_cast<int>((i + seed) * 2654435761U >> 29U) - 3));
  }
  return numbers;
}

template <class Element, int columns, Major major_of_b = Major::k>
struct Data {
  int blocks;
  int tiles;
  std::vector<Element> a = integers<Element>(128 * 64 * blocks, 5);
  std::vector<Element> b = integers<Element>(64 * 64 * blocks, 3);
  std::vector<float> c = std::vector<float>(static_cast<std::size_t>(128 * columns * tiles), -1.0F);

  template <class Kernel>
  [[nodiscard]] auto map() const {
    return dma::host::tensor_map<typename Kernel::Tile>(dma::TensorArray{a.data(), Kernel::tile_of_a(blocks, 0)},
                                                        dma::TensorArray{b.data(), Kernel::tile_of_b(blocks, 0)});
  }
  [[nodiscard]] float expected(int row, int column) const {
    float sum = 0;
    for (int k = 0; k < 64 * blocks; ++k) {
      const int in_b = major_of_b == Major::k ? column * 64 * blocks + k : k * 64 + column;
      sum += static_cast<float>(a[static_cast<std::size_t>(row * 64 * blocks + k)]) *
             static_cast<float>(b[static_cast<std::size_t>(in_b)]);
    }
    return sum;
  }
  [[nodiscard]] int wrong_sums() const {
    int wrong = 0;
    for (int i = 0; i < static_cast<int>(c.size()); ++i) {
      wrong += c[static_cast<std::size_t>(i)] == expected(i / columns % 128, i % columns) ? 0 : 1;
    }
    return wrong;
  }
};

template <Wrong wrong>
void run(int tiles = 3) {
  using Kernel = Product<BFloat16, 16, wrong>;
  Data<BFloat16, 16> data{2, tiles};
  dma::host::launch(Kernel{}, {1}, data.map<Kernel>(), 2, tiles, data.c.data());
}
template <class Element, int columns, Wrong wrong>
dma::proof::Verdict prove(int blocks = 2, int tiles = 3) {
  using Kernel = Product<Element, columns, wrong>;
  Data<Element, columns> data{blocks, tiles};
  return dma::proof::prove(
      {.inputs = {dma::proof::input(data.a), dma::proof::input(data.b)}, .outputs = {dma::proof::output(data.c)}},
      Kernel{}, {1}, data.template map<Kernel>(), blocks, tiles, data.c.data());
}
template <Wrong wrong>
dma::proof::Verdict prove() {
  return prove<BFloat16, 16, wrong>();
}

struct Storage : dma::TensorMemory<32>::Storage {
  dma::PhaseBarrier<>::State state;
  unsigned char operand[128];
};
/// A product of what is at the begin of shared memory.
void multiply_into(const dma::TensorMemory<32>& memory) {
  const auto address = memory.sums<16>().address;
  const auto operand = dma::machine::tensor_descriptor(dma::machine::MatrixOperand{0, 0, 0, 0}.encoded());
  dma::machine::begin_tensor_product(address, 16, operand, 0, 128, operand, 0, 128);
  dma::machine::multiply_into_tensor_memory<BFloat16, 16, Major::k, Major::k>(address, operand, operand, false);
}
/// A body that does one thing with tensor memory.
template <class Body>
void run_body(const Body& body) {
  struct Kernel {
    using Layout [[maybe_unused]] = dma::WarpLayout<dma::Compute<4>>;
    struct Shared {
      Storage storages[2];
    };
    const Body* body;
    void operator()(dma::KernelCta<Kernel>& cta) const { (*body)(cta, cta.template shared<Shared>().storages); }
  };
  dma::host::launch(Kernel{&body}, {1});
}

}  // namespace

TEST_CASE("descriptors of tensor memory's products have the bits that the PTX ISA gives") {
  using dma::machine::tensor_descriptor;
  using dma::machine::tensor_instruction;
  // Bits 4-5 float sums, 7-9 and 10-12 the elements, 15 and 16 the majors, 17-22 columns / 8, 24-28 rows / 16.
  CHECK(tensor_instruction<BFloat16, Major::k, Major::k>(256) == (1U << 4 | 1U << 7 | 1U << 10 | 32U << 17 | 8U << 24));
  CHECK(tensor_instruction<Half, Major::mn, Major::k>(16) == (1U << 4 | 1U << 15 | 2U << 17 | 8U << 24));
  CHECK(tensor_instruction<Half, Major::k, Major::mn>(16) == (1U << 4 | 1U << 16 | 2U << 17 | 8U << 24));
  // Bits 0-13, 16-29 and 32-45 in units of 16 bytes, 46-48 constant, 61-63: 2, 4 and 6 for 128, 64 and 32 bytes.
  for (const auto& [bytes, mode] : {std::pair(128, 2ULL), {64, 4ULL}, {32, 6ULL}, {0, 0ULL}}) {
    const dma::machine::MatrixOperand operand{0x1230, 0x40, 0x400, bytes};
    CHECK(tensor_descriptor(operand.encoded()) == (0x123ULL | 4ULL << 16 | 0x40ULL << 32 | 1ULL << 46 | mode << 61));
  }
}

TEMPLATE_TEST_CASE("products into tensor memory have the sums of another formula", "", BFloat16, Half) {
  const auto check = [](auto kernel, auto data) {
    using Kernel = decltype(kernel);
    dma::host::launch(Kernel{}, {1}, data.template map<Kernel>(), data.blocks, data.tiles, data.c.data());
    CHECK(data.wrong_sums() == 0);
  };
  check(Product<TestType, 16>{}, Data<TestType, 16>{1, 1});
  check(Product<TestType, 48>{}, Data<TestType, 48>{3, 2});
  check(Product<TestType, 32, Wrong::nothing, Major::mn>{}, Data<TestType, 32, Major::mn>{2, 1});
}

TEST_CASE("products into tensor memory are proved") {
  CHECK_THAT((prove<BFloat16, 16, Wrong::nothing>(1, 1)), IsProved());
  CHECK_THAT((prove<Half, 48, Wrong::nothing>(3, 4)), IsProved());
  CHECK_THAT((prove<BFloat16, 16, Wrong::one_slot>(1, 4)), IsProved());
}

TEST_CASE("the order of products, loads and arrivals is judged") {
  CHECK_THAT(prove<Wrong::releases_slots_itself>(), FailsBy(FindingKind::broken_contract));
  CHECK_THAT(prove<Wrong::tells_by_itself>(), FailsBy(FindingKind::unfinished_copy));
  CHECK_THAT(prove<Wrong::loads_too_early>(), FailsBy(FindingKind::broken_contract));
  CHECK_THAT(prove<Wrong::overwrites_sums>(), FailsBy(FindingKind::unfinished_copy));
  CHECK_THAT(prove<Wrong::no_fence_before_loads>(), FailsBy(FindingKind::missing_fence));
  CHECK_THAT(prove<Wrong::no_fence_behind_loads>(), FailsBy(FindingKind::unfinished_copy));
  CHECK_THAT(prove<Wrong::no_wait_for_loads>(), FailsBy(FindingKind::unfinished_copy));
  CHECK_THAT(prove<Wrong::no_fence_before_products>(), FailsBy(FindingKind::missing_fence));
  CHECK_THAT(prove<Wrong::reads_a_slot>(), FailsBy(FindingKind::race));
}

TEST_CASE("a slot that products read is released by their arrival") {
  CHECK_THROWS_WITH(run<Wrong::releases_slots_itself>(),
                    ContainsSubstring("a slot is released while products into tensor memory may still read it") &&
                        ContainsSubstring("call reads.release_when_read(slot)"));
}
TEST_CASE("products that arrive nowhere are reported") {
  CHECK_THROWS_WITH(run<Wrong::tells_nobody>(1), ContainsSubstring("while products into tensor memory may still read"));
  CHECK_THROWS_WITH(run_body([](auto& cta, Storage* storages) {
                      const dma::TensorMemory<32> memory(cta, storages[0]);
                      if (cta.thread() == 0) {
                        multiply_into(memory);
                      }
                    }),
                    ContainsSubstring("a thread ends with products into tensor memory that arrive at no barrier"));
}
TEST_CASE("loads of tensor memory are waited for") {
  const auto load = [](bool waits) {
    run_body([waits](auto& cta, Storage* storages) {
      const dma::TensorMemory<32> memory(cta, storages[0]);
      dma::PhaseBarrier<> full(cta, storages[1].state, 1);
      if (cta.thread() < 32) {
        if (cta.thread() == 0) {
          multiply_into(memory);
        }
        full.arrive_when_multiplied();
      }
      full.wait();
      float values[16];
      dma::machine::load_tensor_memory(values, memory.template sums<16>().address, 0);
      if (waits) {
        dma::machine::wait_for_tensor_memory_loads();
      }
    });
  };
  CHECK_NOTHROW(load(true));
  CHECK_THROWS_WITH(load(false), ContainsSubstring("ends while its loads of tensor memory are in flight"));
}
TEST_CASE("sums begin as anything") {
  CHECK_THROWS_WITH(run<Wrong::adds_to_nothing>(),
                    ContainsSubstring("adds to columns of tensor memory that none has set"));
  CHECK_THROWS_WITH(run_body([](auto&, Storage*) {
                      float values[16];
                      dma::machine::load_tensor_memory(values, 0, 0);
                    }),
                    ContainsSubstring("columns of tensor memory that are not allocated"));
}

TEST_CASE("tensor memory is allocated within its columns, and freed by the warp that has it") {
  using dma::machine::allocate_tensor_memory;
  using dma::machine::free_tensor_memory;
  const auto with_warp = [](int warp, const auto& act) {
    if (dma::machine::thread_rank() / 32 == warp) {
      act();
    }
  };
  unsigned distance = 0;
  run_body([&](auto& cta, Storage* storages) {
    const dma::TensorMemory<32> memory(cta, storages[0]);
    distance = memory.template sums<16>(16).address - memory.template sums<16>().address;
  });
  CHECK(distance == 16);
  CHECK_NOTHROW(run_body([&](auto&, Storage* storages) {
    with_warp(1, [&] {
      allocate_tensor_memory<256>(&storages[0].address);
      allocate_tensor_memory<128>(&storages[1].address);
      dma::machine::sync_warp();
      free_tensor_memory<128>(storages[1].address);
      free_tensor_memory<256>(storages[0].address);
    });
  }));
  CHECK_THROWS_WITH(run_body([&](auto&, Storage* storages) {
                      with_warp(0, [&] { allocate_tensor_memory<32>(&storages[0].address); });
                    }),
                    ContainsSubstring("ended with tensor memory that is not freed"));
  CHECK_THROWS_WITH(run_body([&](auto&, Storage* storages) {
                      with_warp(0, [&] {
                        allocate_tensor_memory<512>(&storages[0].address);
                        allocate_tensor_memory<32>(&storages[1].address);
                      });
                    }),
                    ContainsSubstring("more columns than an SM's tensor memory has"));
  CHECK_THROWS_WITH(run_body([&](auto&, Storage* storages) {
                      with_warp(0, [&] {
                        allocate_tensor_memory<32>(&storages[0].address);
                        dma::machine::relinquish_tensor_memory();
                        allocate_tensor_memory<32>(&storages[1].address);
                      });
                    }),
                    ContainsSubstring("after it has given back the permit"));
  CHECK_THROWS_WITH(run_body([&](auto& cta, Storage* storages) {
                      const dma::TensorMemory<32> one(cta, storages[0]);
                      const dma::TensorMemory<32> other(cta, storages[1]);
                    }),
                    ContainsSubstring("after it has given back the permit"));
  CHECK_THROWS_WITH(run_body([&](auto& cta, Storage* storages) {
                      with_warp(0, [&] { allocate_tensor_memory<32>(&storages[0].address); });
                      cta.sync();
                      with_warp(1, [&] { free_tensor_memory<32>(storages[0].address); });
                    }),
                    ContainsSubstring("freed by another warp than the one that has allocated it"));
}

#endif
