#include <dma/buffering/multi_buffer.hpp>
#include <dma/engines/async_copy.hpp>
#include <dma/engines/bulk_copy.hpp>
#include <dma/engines/register_copy.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/kernel/last_cta.hpp>
#include <dma/kernel/pace.hpp>
#include <dma/patterns/sequential.hpp>
#include <dma/pipeline.hpp>
#include <dma/proof/prove.hpp>
#include <dma/sync/cuda_barrier.hpp>
#include <dma/sync/named_barrier.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <utility>

using Catch::Matchers::ContainsSubstring;
using dma::proof::FindingKind;
using dma::proof::Verdict;

/// Kernels whose result rests on an order that a host run has and a GPU has not.
namespace {

using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 64>;
using Phase = dma::CudaBarrier;
using Named = dma::NamedBarrier;
using Registers = dma::RegisterCopy<>;
using Async = dma::AsyncCopy<>;
using Bulk = dma::BulkCopy<>;

template <class Barrier, class Engine = Registers>
using Loads = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, Barrier, Engine>;

enum class Fence { none, by_thread_0_before, by_all_before, by_thread_0_behind };

/// All threads write what one of them stores by a bulk copy.
struct StoresByOneThread {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  struct Shared {
    alignas(16) std::array<float, 64> values;
  };
  void operator()(dma::KernelCta<StoresByOneThread>& cta, float* out, Fence fence) const {
    auto& values = cta.shared<Shared>().values;
    const bool is_first = cta.thread() == 0;
    float& own = values[static_cast<std::size_t>(cta.thread())];
    own = 1;
    dma::machine::touched(&own, sizeof own, dma::machine::Access::write);
    if (fence == Fence::by_all_before || (fence == Fence::by_thread_0_before && is_first)) {
      dma::machine::fence_async_proxy();
    }
    cta.sync();
    if (is_first) {
      if (fence == Fence::by_thread_0_behind) {
        dma::machine::fence_async_proxy();
      }
      dma::machine::copy_bulk_to_global<dma::CacheHints{}>(
          reinterpret_cast<unsigned char*>(out), reinterpret_cast<const unsigned char*>(values.data()), sizeof values);
      dma::machine::commit_bulk_group();
      dma::machine::wait_for_bulk_groups();
    }
  }
};

void expect_kind(const Verdict& verdict, std::initializer_list<FindingKind> kinds) {
  CAPTURE(verdict);
  REQUIRE(std::find(kinds.begin(), kinds.end(), verdict.kind) != kinds.end());
}

/// One pipeline after another in the same bytes.
template <class First, class Second>
struct TakesItsBytes {
  using Layout = ::Layout;
  static constexpr std::size_t bytes = std::max(sizeof(typename First::Storage), sizeof(typename Second::Storage));
  struct Shared {
    alignas(128) unsigned char storage[bytes];
  };

  void operator()(dma::KernelCta<TakesItsBytes>& cta, const float* in, float* out, bool closes) const {
    unsigned char* const storage = &cta.template shared<Shared>().storage[0];
    {
      First first(cta, *reinterpret_cast<typename First::Storage*>(storage));
      stream(first, in, out);
      if (closes) {
        first.close();
      }
    }
    Second second(cta, *reinterpret_cast<typename Second::Storage*>(storage));
    stream(second, in + 2 * Tile::count, out + 2 * Tile::count);
  }

 private:
  template <class Pipe>
  static void stream(Pipe& pipe, const float* in, float* out) {
    pipe.for_each_tile(
        {.last = 2}, [&](const auto& dma, int tile) { dma.load(in + tile * Tile::count); },
        [&](const auto& compute, int tile) {
          const auto slot = compute.wait();
          out[tile * Tile::count + compute.rank()] = slot[compute.rank()];
        });
  }
};

template <class First, class Second>
Verdict take_bytes(bool closes) {
  alignas(16) static std::array<float, 4 * Tile::count> in{};
  alignas(16) static std::array<float, 4 * Tile::count> out{};
  return dma::proof::prove({.inputs = {dma::proof::input(in)}, .outputs = {dma::proof::output(out)}},
                           TakesItsBytes<First, Second>{}, {1}, in.data(), out.data(), closes);
}

/// A value passes from lane 0 to its warp through a slot.
struct PassesThroughSlot {
  using Layout = ::Layout;
  using Pipe = Loads<Phase>;
  struct Shared {
    Pipe::Storage storage;
  };

  void operator()(dma::KernelCta<PassesThroughSlot>& cta, const float* in, float* out, bool synchronizes) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (pipe.is_dma()) {
      pipe.as_dma().load(in);
      return;
    }
    const auto compute = pipe.as_compute();
    const auto slot = compute.wait();
    const int first = 32 * cta.warp();
    if (cta.lane() == 0) {
      slot[first] += 1.0F;
    }
    if (synchronizes) {
      cta.sync_warp();
    }
    static_cast<void>(cta.shuffle(1, 0));
    out[compute.rank()] = slot[first];
  }
};

Verdict pass_through_slot(bool synchronizes) {
  alignas(16) static std::array<float, Tile::count> in{};
  static std::array<float, Tile::count> out{};
  return dma::proof::prove({.inputs = {dma::proof::input(in)}, .outputs = {dma::proof::output(out)}},
                           PassesThroughSlot{}, {1}, in.data(), out.data(), synchronizes);
}

/// What half of the compute lanes do elsewhere, or not at all.
enum class Parted {
  waits,  ///< for a tile. The only one that a GPU allows, with phase barriers; one call releases the slot
  waits_and_ends_scope,
  sync_warp_and_shuffle,
  releases,
  cta_sync,
  cta_sync_of_one_lane,
  sync,
  elect,
  shuffle,
  leaves
};

template <class Barrier>
struct PartsLanes {
  using Layout = ::Layout;
  using Pipe = Loads<Barrier>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  void operator()(dma::KernelCta<PartsLanes>& cta, const float* in, float* out, Parted what) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const bool is_half = cta.lane() < 16;
    if (pipe.is_dma()) {
      for (int t = 0; t < 3; ++t) {
        pipe.as_dma().load(in + t * Tile::count);
      }
    } else {
      if (what == Parted::leaves && is_half) {
        return;
      }
      for (int t = 0; t < 3; ++t) {
        use(cta, pipe.as_compute(), out + t * Tile::count, what, is_half);
      }
    }
    if (what == Parted::cta_sync && is_half) {
      cta.sync();
    } else if (what == Parted::cta_sync_of_one_lane && cta.lane() == 0) {
      cta.sync();
    } else if (what == Parted::cta_sync || what == Parted::cta_sync_of_one_lane) {
      cta.sync();
    }
  }

 private:
  template <class Compute>
  static void use(const dma::Cta& cta, const Compute& compute, float* out, Parted what, bool is_half) {
    const bool waits_apart = what == Parted::waits || what == Parted::waits_and_ends_scope;
    auto slot = waits_apart && is_half ? compute.wait() :  //
                    compute.wait();
    out[compute.rank()] = slot[compute.rank()];
    if (what == Parted::waits) {
      slot.release();
    }
    if (what == Parted::sync_warp_and_shuffle && is_half) {
      cta.sync_warp();
      out[compute.rank()] += static_cast<float>(cta.shuffle(0, 1));
    } else if (what == Parted::sync_warp_and_shuffle) {
      cta.sync_warp();
      out[compute.rank()] += static_cast<float>(cta.shuffle(0, 1));
    }
    if (what == Parted::releases && is_half) {
      slot.release();
    } else if (what == Parted::releases) {
      slot.release();
    }
    if (what == Parted::sync && is_half) {
      compute.sync();
    } else if (what == Parted::sync) {
      compute.sync();
    }
    if (what == Parted::elect && is_half && cta.elect()) {
      out[0] = 0;
    }
    if (what == Parted::shuffle && is_half) {
      out[compute.rank()] += static_cast<float>(cta.shuffle(0, 1));
    }
  }
};

template <class Barrier>
Verdict part_lanes(Parted what) {
  alignas(16) static std::array<float, 3 * Tile::count> in{};
  static std::array<float, 3 * Tile::count> out{};
  return dma::proof::prove({.inputs = {dma::proof::input(in)}, .outputs = {dma::proof::output(out)}},
                           PartsLanes<Barrier>{}, {1}, in.data(), out.data(), what);
}

/// What a CTA of a grid does with a counter, or with the grids before.
enum class InGrid {
  all_right,
  one_cta_less,
  one_cta_more,
  counter_in_use,
  loads_early,
  waits_nowhere,
  one_waits,
  loads_constants,
  loads_more,
  reads_constants,
  reads_more
};

struct AsksForTheLast {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  struct Shared {
    dma::ArrivalCounter arrivals;
  };
  void operator()(dma::KernelCta<AsksForTheLast>& cta, dma::ArrivalCounter* counter, InGrid what) const {
    const int ctas = cta.blocks().x + (what == InGrid::one_cta_more ? 1 : 0);
    if (what != InGrid::one_cta_less || cta.block().x != 1) {
      static_cast<void>(dma::is_last_cta(cta, *counter, ctas, cta.shared<Shared>().arrivals));
    }
  }
};

struct KeepsPace {
  using Layout = ::Layout;
  using Pipe = Loads<Phase>;
  static constexpr dma::KernelTraits traits{.cooperative = true};
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<KeepsPace>& cta, dma::PaceCounter* counter, InGrid what) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (what != InGrid::one_cta_less || cta.block().x != 1) {
      dma::Pace<1> pace(cta, pipe, counter);
      pace.step();
    }
  }
};

struct StartsEarly {
  using Layout = ::Layout;
  using Pipe = Loads<Phase, Async>;
  static constexpr dma::KernelTraits traits{.programmatic_launch = true};
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<StartsEarly>& cta, const float* in, InGrid what) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const bool is_constant = what == InGrid::loads_constants || what == InGrid::loads_more;
    if (what == InGrid::all_right || ((is_constant || what == InGrid::loads_early) && !pipe.is_dma())) {
      cta.grid_dependency_wait();
    }
    if (what == InGrid::reads_constants || what == InGrid::reads_more) {
      static_cast<void>(dma::load_global(dma::constant(in)));
      static_cast<void>(what == InGrid::reads_more ? dma::load_global(in) : 0);
      cta.grid_dependency_wait();
    }
    if (what == InGrid::waits_nowhere) {
      return;
    }
    if (what == InGrid::one_waits) {
      if (cta.thread() == 0) {
        cta.grid_dependency_wait();
      }
      cta.sync();
    }
    if (!pipe.is_dma()) {
      static_cast<void>(pipe.as_compute().wait());
    } else if (is_constant) {
      pipe.as_dma().load(dma::constant(in));
    } else {
      pipe.as_dma().load(in);
    }
    if (what == InGrid::loads_more) {
      if (pipe.is_dma()) {
        pipe.as_dma().load(in);
      } else {
        static_cast<void>(pipe.as_compute().wait());
      }
    }
  }
};

template <class Counter, class Body>
Verdict count_ctas(const Body& body, InGrid what) {
  Counter counter{};
  if (what == InGrid::counter_in_use) {
    std::fill_n(reinterpret_cast<unsigned char*>(&counter), 1, static_cast<unsigned char>(1));
  }
  return dma::proof::prove(body, {3}, &counter, what);
}

Verdict start_early(InGrid what, const dma::proof::Options& options = {}) {
  alignas(16) static std::array<float, Tile::count> in{};
  return dma::proof::prove(options, StartsEarly{}, {2}, in.data(), what);
}

/// Two pipelines at a time, the second in the bytes from one slot of the first on.
template <class Engine>
struct Overlaps {
  using Layout = ::Layout;
  using Pipe = Loads<Phase, Engine>;
  struct Shared {
    alignas(128) unsigned char storage[3 * sizeof(typename Pipe::Storage)];
  };
  void operator()(dma::KernelCta<Overlaps>& cta, const float* in, float* out, int offset) const {
    unsigned char* const storage = &cta.template shared<Shared>().storage[0];
    Pipe first(cta, *reinterpret_cast<typename Pipe::Storage*>(storage));
    Pipe second(cta, *reinterpret_cast<typename Pipe::Storage*>(storage + offset));
    for (int t = 0; t < 3; ++t) {
      if (first.is_dma()) {
        first.as_dma().load(in + t * Tile::count);
        second.as_dma().load(in + t * Tile::count);
      } else {
        const auto compute = first.as_compute();
        const auto one = compute.wait();
        const auto other = second.as_compute().wait();
        out[t * Tile::count + compute.rank()] = one[compute.rank()] + other[compute.rank()];
      }
    }
  }
};

template <class Engine>
Verdict overlap(int offset) {
  alignas(16) static std::array<float, 3 * Tile::count> in{};
  alignas(16) static std::array<float, 3 * Tile::count> out{};
  return dma::proof::prove({.inputs = {dma::proof::input(in)}, .outputs = {dma::proof::output(out)}},
                           Overlaps<Engine>{}, {1}, in.data(), out.data(), offset);
}

/// One warp reads or writes a vector of a slot, the other adds to an element.
template <bool Writes>
struct UsesVector {
  using Layout = ::Layout;
  using Pipe = Loads<Phase>;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<UsesVector>& cta, const float* in, float* out, int vector, int element) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      pipe.as_dma().load(in);
      return;
    }
    const auto slot = pipe.as_compute().wait();
    const auto vectors = slot.vectors();
    if (cta.thread() == 0) {
      if constexpr (Writes) {
        vectors[vector] = {1, 2, 3, 4};
      } else {
        dma::vectors(out)[vector] = vectors[vector];
      }
    } else if (cta.thread() == 32) {
      slot[element] += 1;
    }
  }
};

template <bool Writes>
Verdict use_vector(int vector, int element) {
  alignas(16) static std::array<float, Tile::count> in{};
  alignas(16) static std::array<float, Tile::count> out{};
  return dma::proof::prove({.inputs = {dma::proof::input(in)}, .outputs = {dma::proof::output(out)}},
                           UsesVector<Writes>{}, {1}, in.data(), out.data(), vector, element);
}

/// Tiles that both sides skip, or one side alone.
template <class Barrier>
struct SkipsTiles {
  using Layout = ::Layout;
  using Pipe = Loads<Barrier>;
  static constexpr int tiles = 5;
  struct Shared {
    typename Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<SkipsTiles>& cta, const float* in, float* out, unsigned loaded, unsigned used) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    for (int t = 0; t < tiles; ++t) {
      if (pipe.is_dma() && (loaded >> t & 1U) != 0) {
        pipe.as_dma().load(in + t * Tile::count);
      } else if (pipe.is_compute() && (used >> t & 1U) != 0) {
        const auto slot = pipe.as_compute().wait();
        out[t * Tile::count + pipe.as_compute().rank()] = slot[pipe.as_compute().rank()];
      }
    }
  }
};

/// The same in any direction: one DMA group skips tiles in the functions of `for_each_tile`, several in a loop over
/// all.
template <class Pipe_>
struct SkipsWantedTiles {
  using Pipe = Pipe_;
  using Layout = typename Pipe::Layout;
  static constexpr int tiles = 5;
  struct Shared {
    typename Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<SkipsWantedTiles>& cta, const float* in, float* out, unsigned skipped) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const auto is_wanted = [&](int t) { return (skipped >> t & 1U) == 0; };
    const auto move = [&](const auto& dma, int t) {
      if (!is_wanted(t)) {
        return;
      }
      if constexpr (!Pipe::is_store) {
        dma.load(in + t * Tile::count);
      }
      if constexpr (Pipe::is_store || Pipe::is_update) {
        dma.store(out + t * Tile::count);
      }
    };
    const auto use = [&](const auto& compute, int t) {
      if (!is_wanted(t)) {
        return;
      }
      const auto slot = compute.wait();
      for (int i = compute.rank(); i < Tile::count; i += compute.size()) {
        if constexpr (Pipe::is_update) {
          slot[i] += 1;
        } else if constexpr (Pipe::is_store) {
          slot[i] = in[t * Tile::count + i] + 1;
        } else {
          out[t * Tile::count + i] = slot[i] + 1;
        }
      }
    };
    if constexpr (Pipe::groups == 1) {
      pipe.for_each_tile({.last = tiles}, move, use);
    } else {
      for (int t = 0; t < tiles; ++t) {
        if (pipe.is_dma()) {
          move(pipe.as_dma(), t);
        } else {
          use(pipe.as_compute(), t);
        }
      }
    }
  }
};

/// Runs and proves it for all masks.
template <class Pattern, class Buffering, class Barrier, class Engine>
void skip_wanted_tiles() {
  using Kernel = SkipsWantedTiles<dma::DmaPipeline<Pattern, Buffering, Barrier, Engine>>;
  alignas(16) std::array<float, Kernel::tiles * Tile::count> in{};
  alignas(16) std::array<float, Kernel::tiles * Tile::count> out{};
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<float>(i);
  }
  const Verdict verdict = dma::proof::for_all_masks<Kernel::tiles>([&](unsigned skipped) {
    out.fill(-7);
    dma::host::launch(Kernel{}, {1}, in.data(), out.data(), skipped);
    for (std::size_t i = 0; i < out.size(); ++i) {
      REQUIRE(out[i] == ((skipped >> i / Tile::count & 1U) == 0 ? static_cast<float>(i + 1) : -7));
    }
    return dma::proof::prove({.inputs = {dma::proof::input(in)}, .outputs = {dma::proof::output(out)}}, Kernel{}, {1},
                             in.data(), out.data(), skipped);
  });
  expect_kind(verdict, {FindingKind::none});
}

/// Tiles reversed in place: each warp reads what another one writes.
template <class Engine>
struct ReversesTiles {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pair = dma::Sequential<float, 64>;
  using Pipe = dma::DmaPipeline<dma::Update<Pair>, dma::MultiBuffer<Layout, 2>, Phase, Engine>;
  struct Shared {
    typename Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<ReversesTiles>& cta, float* x, bool synchronizes) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    pipe.for_each_tile(
        {.last = 3}, [&](const auto& dma, int t) { dma.load(x + t * 64); },
        [&](const auto& compute, int) {
          const auto slot = compute.wait();
          const float other = slot[63 - compute.rank()];
          if (synchronizes) {
            compute.sync();
          }
          slot[compute.rank()] = other;
        },
        [&](const auto& dma, int t) { dma.store(x + t * 64); });
  }
};

/// @param by_dma      tiles that the DMA warps load in spite of the mask
/// @param by_compute  tiles that the compute warps wait for in spite of the mask
template <class Barrier>
Verdict skip_tiles(unsigned by_dma, unsigned by_compute) {
  using Kernel = SkipsTiles<Barrier>;
  alignas(16) static std::array<float, Kernel::tiles * Tile::count> in{};
  alignas(16) static std::array<float, Kernel::tiles * Tile::count> out{};
  return dma::proof::for_all_masks<Kernel::tiles>([&](unsigned skipped) {
    return dma::proof::prove({.inputs = {dma::proof::input(in)}, .outputs = {dma::proof::output(out)}}, Kernel{}, {1},
                             in.data(), out.data(), ~skipped | by_dma, ~skipped | by_compute);
  });
}

}  // namespace

TEST_CASE("the end of a pipeline of phase barriers does not wait for its last tiles", "[proof][order]") {
  expect_kind(take_bytes<Loads<Phase>, Loads<Named>>(false), {FindingKind::race});
  expect_kind(take_bytes<Loads<Phase, Bulk>, Loads<Named>>(false), {FindingKind::race, FindingKind::unfinished_copy});
  expect_kind(take_bytes<Loads<Phase>, Loads<Named>>(true), {FindingKind::none});
  expect_kind(take_bytes<Loads<Phase, Bulk>, Loads<Named>>(true), {FindingKind::none});
  expect_kind(take_bytes<Loads<Phase, Bulk>, Loads<Phase, Bulk>>(true), {FindingKind::none});
}

TEST_CASE("a closed pipeline's bytes are ready for bulk copies, whatever filled them", "[proof][order]") {
  expect_kind(take_bytes<Loads<Phase>, Loads<Phase, Bulk>>(true), {FindingKind::none});
  expect_kind(take_bytes<Loads<Named>, Loads<Phase, Bulk>>(true), {FindingKind::none});
  expect_kind(take_bytes<Loads<Phase, Async>, Loads<Phase, Bulk>>(true), {FindingKind::none});
  expect_kind(take_bytes<Loads<Named, Async>, Loads<Phase, Bulk>>(true), {FindingKind::none});
  expect_kind(take_bytes<Loads<Named>, Loads<Phase, Bulk>>(false), {FindingKind::missing_fence});
  expect_kind(take_bytes<Loads<Named, Async>, Loads<Phase, Bulk>>(false), {FindingKind::missing_fence});
}

TEST_CASE("one thread's proxy fence serves for what all have written before a synchronization", "[proof][order]") {
  alignas(16) std::array<float, 64> out{};
  for (const auto& [fence, kind] :
       {std::pair(Fence::none, FindingKind::missing_fence),
        std::pair(Fence::by_thread_0_before, FindingKind::missing_fence),
        std::pair(Fence::by_all_before, FindingKind::none), std::pair(Fence::by_thread_0_behind, FindingKind::none)}) {
    expect_kind(dma::proof::prove(StoresByOneThread{}, {1}, out.data(), fence), {kind});
    expect_kind(dma::proof::explore(StoresByOneThread{}, {1}, out.data(), fence), {kind});
  }
}

TEST_CASE("a shuffle orders no accesses to memory", "[proof][order]") {
  expect_kind(pass_through_slot(true), {FindingKind::none});
  const Verdict race = pass_through_slot(false);
  expect_kind(race, {FindingKind::race});
  REQUIRE_THAT(race.message, ContainsSubstring("they met by a shuffle, which orders no accesses; call sync_warp()"));
}

TEST_CASE("lanes in different branches may wait for a phase, synchronize and shuffle", "[proof][order]") {
  expect_kind(part_lanes<Phase>(Parted::waits), {FindingKind::none});
  expect_kind(part_lanes<Phase>(Parted::sync_warp_and_shuffle), {FindingKind::none});
  expect_kind(part_lanes<Named>(Parted::sync_warp_and_shuffle), {FindingKind::none});
}

TEST_CASE("what needs converged lanes is reported of lanes in different branches", "[proof][order]") {
  for (const Parted what :
       {Parted::waits_and_ends_scope, Parted::releases, Parted::cta_sync, Parted::cta_sync_of_one_lane, Parted::sync,
        Parted::elect, Parted::shuffle, Parted::leaves}) {
    CAPTURE(static_cast<int>(what));
    expect_kind(part_lanes<Phase>(what), {FindingKind::unconverged_lanes});
    expect_kind(part_lanes<Named>(what), {FindingKind::unconverged_lanes});
  }
  expect_kind(part_lanes<Named>(Parted::waits), {FindingKind::unconverged_lanes});
}

TEST_CASE("lanes that are not converged are named with their lines", "[proof][order]") {
  const Verdict apart = part_lanes<Phase>(Parted::cta_sync);
  REQUIRE_THAT(apart.message, ContainsSubstring("the lanes of warp"));
  REQUIRE_THAT(apart.message, ContainsSubstring("came to cta.sync() (order_test.cpp:"));
  REQUIRE_THAT(apart.message, ContainsSubstring("where lane"));
  REQUIRE_THAT(part_lanes<Named>(Parted::elect).message, ContainsSubstring("came to elect() (order_test.cpp:"));
  REQUIRE_THAT(part_lanes<Phase>(Parted::leaves).message, ContainsSubstring("ended before lane"));
}

TEST_CASE("a CTA that takes no part in a grid's counter is reported", "[proof][order]") {
  for (const InGrid what : {InGrid::one_cta_less, InGrid::one_cta_more}) {
    const Verdict verdict = count_ctas<dma::ArrivalCounter>(AsksForTheLast{}, what);
    expect_kind(verdict, {FindingKind::armed_at_exit});
    REQUIRE_THAT(verdict.message, ContainsSubstring("is_last_cta: its counter is"));
  }
  expect_kind(count_ctas<dma::ArrivalCounter>(AsksForTheLast{}, InGrid::all_right), {FindingKind::none});
  expect_kind(count_ctas<dma::PaceCounter>(KeepsPace{}, InGrid::all_right), {FindingKind::none});
  expect_kind(count_ctas<dma::PaceCounter>(KeepsPace{}, InGrid::one_cta_less), {FindingKind::armed_at_exit});
}

TEST_CASE("a counter that is not zero before the grid is reported", "[proof][order]") {
  expect_kind(count_ctas<dma::ArrivalCounter>(AsksForTheLast{}, InGrid::counter_in_use),
              {FindingKind::broken_contract});
  expect_kind(count_ctas<dma::PaceCounter>(KeepsPace{}, InGrid::counter_in_use), {FindingKind::broken_contract});
}

TEST_CASE("what follows a grid directly waits for it before its first access", "[proof][order]") {
  expect_kind(start_early(InGrid::all_right), {FindingKind::none});
  for (const InGrid what : {InGrid::loads_early, InGrid::waits_nowhere}) {
    const Verdict verdict = start_early(what);
    expect_kind(verdict, {FindingKind::broken_contract});
    REQUIRE_THAT(verdict.message, ContainsSubstring("grid_dependency_wait()"));
  }
  expect_kind(start_early(InGrid::one_waits), {FindingKind::none});
  // By index the compute warps have waited when the DMA warp loads, which does not know of it.
  const Verdict by_index = start_early(InGrid::loads_early, {.seeds = 1});
  expect_kind(by_index, {FindingKind::broken_contract});
  REQUIRE_THAT(by_index.message, ContainsSubstring("uses global memory"));
}

TEST_CASE("what no grid before writes may be loaded before the wait for them", "[proof][order]") {
  const char* const on_trust = "constant sources, taken as written by no grid before";
  for (const InGrid what : {InGrid::loads_constants, InGrid::reads_constants}) {
    const Verdict verdict = start_early(what);
    expect_kind(verdict, {FindingKind::none});
    REQUIRE(verdict.not_judged.count(on_trust) == 1);
  }
  REQUIRE(start_early(InGrid::all_right).not_judged.count(on_trust) == 0);
  // Nothing else may.
  for (const InGrid what : {InGrid::loads_more, InGrid::reads_more}) {
    expect_kind(start_early(what), {FindingKind::broken_contract});
  }
}

TEST_CASE("an access to a vector is one to each of its elements, and to no others", "[proof][order]") {
  for (int element = 0; element < 12; ++element) {
    CAPTURE(element);
    const FindingKind expected = element >= 4 && element < 8 ? FindingKind::race : FindingKind::none;
    expect_kind(use_vector<false>(1, element), {expected});
    expect_kind(use_vector<true>(1, element), {expected});
  }
}

TEST_CASE("tiles that both sides skip are proved for every choice of them", "[proof][order]") {
  int proofs = 0;
  unsigned seen = 0;
  const Verdict all = dma::proof::for_all_masks<5>([&](unsigned skipped) {
    ++proofs;
    seen |= skipped;
    return Verdict{.did_something = true};
  });
  REQUIRE(all.is_proved());
  REQUIRE(proofs == 32);
  REQUIRE(seen == 31);
  expect_kind(skip_tiles<Phase>(0, 0), {FindingKind::none});
  expect_kind(skip_tiles<Named>(0, 0), {FindingKind::none});
}

TEST_CASE("tiles are skipped by one condition in every direction, for every choice of them", "[proof][order]") {
  using OneGroup = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using TwoGroups = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<1>>;
  using NoDmaWarps = dma::WarpLayout<dma::Compute<2>>;
  using ReadsAhead = dma::RegisterCopy<dma::RegisterCopyTuning{.tiles_ahead = 3}>;
  skip_wanted_tiles<Tile, dma::DoubleBuffer<TwoGroups>, Named, dma::AsyncCopy<>>();
  skip_wanted_tiles<Tile, dma::MultiBuffer<OneGroup, 2>, Phase, ReadsAhead>();
  skip_wanted_tiles<dma::Store<Tile>, dma::MultiBuffer<TwoGroups, 4, dma::DmaGroups{.count = 2}>, Phase, Bulk>();
  skip_wanted_tiles<dma::Store<Tile>, dma::MultiBuffer<NoDmaWarps, 3>, Phase, dma::RegisterCopy<>>();
  skip_wanted_tiles<dma::Update<Tile>, dma::MultiBuffer<TwoGroups, 6, dma::DmaGroups{.count = 2}>, Phase, Bulk>();
}

TEST_CASE("a tile changed in place by warps that read each other's elements needs a sync", "[proof][order]") {
  alignas(16) std::array<float, 192> x{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i);
  }
  const auto prove = [&](const auto& kernel, bool synchronizes) {
    return dma::proof::prove({.outputs = {dma::proof::output(x)}}, kernel, {1}, x.data(), synchronizes);
  };
  expect_kind(prove(ReversesTiles<Bulk>{}, true), {FindingKind::none});
  expect_kind(prove(ReversesTiles<Bulk>{}, false), {FindingKind::race});
  expect_kind(prove(ReversesTiles<dma::AsyncCopy<>>{}, false), {FindingKind::race});
}

TEST_CASE("a tile that one side alone skips is found", "[proof][order]") {
  const Verdict unused = skip_tiles<Phase>(4, 0);
  expect_kind(unused, {FindingKind::unused_tile});
  REQUIRE_THAT(unused.message, ContainsSubstring("with skipped tiles 2: "));
  expect_kind(skip_tiles<Named>(4, 0), {FindingKind::deadlock});
  expect_kind(skip_tiles<Phase>(0, 8), {FindingKind::deadlock});
  expect_kind(skip_tiles<Named>(0, 8), {FindingKind::deadlock});
}

TEST_CASE("two pipelines whose bytes overlap are reported", "[proof][order]") {
  constexpr int storage_bytes = int{sizeof(Loads<Phase, Bulk>::Storage)};
  constexpr int alignment = int{alignof(Loads<Phase, Bulk>::Storage)};
  constexpr int slot_bytes = Loads<Phase, Bulk>::slot_bytes;
  static_assert(slot_bytes % alignment == 0 && sizeof(Loads<Phase, Registers>::Storage) == storage_bytes);
  for (const int offset : {slot_bytes, storage_bytes - alignment}) {
    expect_kind(overlap<Registers>(offset), {FindingKind::race, FindingKind::broken_contract});
    expect_kind(overlap<Bulk>(offset), {FindingKind::race, FindingKind::unfinished_copy, FindingKind::broken_contract});
  }
  expect_kind(overlap<Registers>(2 * storage_bytes), {FindingKind::none});
  expect_kind(overlap<Bulk>(2 * storage_bytes), {FindingKind::none});
}
