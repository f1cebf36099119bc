#pragma once

#include <dma/config.hpp>
#include <dma/engines/copy_engine.hpp>
#include <dma/engines/fill.hpp>
#include <dma/engines/register_copy.hpp>
#include <dma/engines/threads/partition.hpp>
#include <dma/engines/threads/tail.hpp>
#include <dma/engines/threads/transfer.hpp>
#include <dma/engines/threads/warp_runs.hpp>
#include <dma/machine/access.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/pattern_contract.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/sync/barrier.hpp>
#include <dma/unrolled.hpp>

namespace dma::inline v0_1 {

namespace detail {

/// Rows of 16 bytes at one distance, half a sector each: the other half belongs to another tile.
template <class Pattern>
concept HasRowsOfHalfSectors = HasGlobalPitch<Pattern> && Pattern::max_run_bytes == 16 &&
                               Pattern::run_alignment >= 16 && (Pattern::max_run_count > 1);

/// The longest distance of such rows, in bytes, at which copies through the first-level cache find the other half
/// there: as measured, three slots on an H200.
template <class Pattern>
inline constexpr int longest_cached_pitch = PaddedPattern<Pattern> ? 96 : 64;

/// Whether rows at this distance are farther, in either direction.
template <HasRowsOfHalfSectors Pattern>
[[nodiscard]] DMA_HOST_DEVICE constexpr bool are_far_rows(long long pitch) {
  return (pitch < 0 ? -pitch : pitch) > longest_cached_pitch<Pattern>;
}

}  // namespace detail

/// How `AsyncCopy` issues its copies.
struct AsyncCopyTuning {
  /// Of `load`, 16-byte copies take `global` and `all`, smaller ones `all`. `standard` is `global` for 16 bytes, but
  /// `all` for rows of 16 bytes that are at most 64 bytes apart (96 where the tile may extend past its array).
  CacheHints cache = {};
};

/// Copies that need no register: each thread of a DMA group issues cp.async of 4, 8 or 16 bytes and goes on to the next
/// tile. Loads only; stores go through registers.
///
/// With `CudaBarrier` the slot's mbarrier tracks their completion, so that all stages are in flight. With
/// `NamedBarrier` the DMA warps wait for a tile's copies before they arrive, so that each group has one tile in flight.
///
/// Cost    one instruction for each access of a full tile, addresses included. The tail of a run, the bytes after its
///         last access, takes cp.async of 8 and 4 bytes; its last 3 bytes, and padding, ordinary accesses
/// Source  PTX ISA, cp.async
///
/// @pre sm_80 or newer; `Pattern::run_alignment` is at least 4.
template <AsyncCopyTuning Tuning = AsyncCopyTuning{}>
struct AsyncCopy {
 private:
  using Registers = RegisterCopy<RegisterCopyTuning{.cache = Tuning.cache}>;

  static constexpr AsyncCopyTuning through_first_level{.cache = {.load = LoadCache::all, .l2 = Tuning.cache.l2}};
  static constexpr int steps_unrolled = 16;  ///< copies of a full tile that a thread issues between two branches

 public:
  static_assert(Tuning.cache.load == LoadCache::standard || Tuning.cache.load == LoadCache::all ||
                    Tuning.cache.load == LoadCache::global,
                "dma::AsyncCopy: cp.async takes LoadCache::all and LoadCache::global only; give it an L2 priority "
                "instead (CacheHints::l2), or use dma::RegisterCopy, whose loads take every hint");

  static constexpr Completion completion = Completion::async_group;
  static constexpr Completion store_completion = Completion::sync;
  static constexpr EngineTraits traits{.name = "dma::AsyncCopy",
                                       .can_add = true,
                                       .can_fill = true,
                                       .widest_access = 16,
                                       .loads_in_flight = RegisterCopy<>::traits.loads_in_flight,     // of stores
                                       .short_tile_loads = RegisterCopy<>::traits.short_tile_loads};  // of stores

  using GlobalToShared = detail::GlobalToShared<Tuning.cache>;

  template <class Pattern>
  static constexpr int access_bytes = Pattern::run_alignment < 16 ? Pattern::run_alignment : 16;

  /// Lanes with a run for themselves were slower here (`PieceMap`).
  static constexpr bool may_share_runs = false;

  /// Whether cp.async can move a pattern's runs.
  template <class Pattern>
  static constexpr bool can_move = Pattern::run_alignment >= 4;

  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void load(const Pattern& pattern, const unsigned char* source, int thread, const Slot& slot) {
    static_assert(can_move<Pattern>,
                  "dma::AsyncCopy: cp.async moves 4, 8 or 16 bytes and this pattern's run_alignment is smaller; align "
                  "its runs to 4 bytes, or use dma::RegisterCopy<>");
    static_assert(Tuning.cache.load != LoadCache::global || access_bytes<Pattern> == 16,
                  "dma::AsyncCopy: copies of 4 and 8 bytes go through the first-level cache, so they cannot take "
                  "LoadCache::global; align the pattern's runs to 16 bytes, or leave the hint out");
    machine::expect_architecture<800, Pattern>();
    if constexpr (Tuning.cache.load == LoadCache::standard && detail::HasRowsOfHalfSectors<Pattern>) {
      if (!detail::are_far_rows<Pattern>(pattern.global_pitch_bytes())) {
        AsyncCopy<through_first_level>::template load<Pattern, Threads>(pattern, source, thread, slot);
        return;
      }
    }
    for_each_part(pattern, [&](const auto& part, int shared_bytes, auto index) {
      load_part<Threads>(part, GlobalToShared{source, slot.data() + shared_bytes}, thread, [&] {
        if constexpr (decltype(index)::value == 0) {
          slot.wait_until_empty();
        }
      });
    });
  }

  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void store(const Pattern& pattern, unsigned char* destination, int thread, const Slot& slot) {
    Registers::template store<Pattern, Threads>(pattern, destination, thread, slot);
  }

 private:
  template <int Threads, class Pattern, class Wait>
  DMA_HOST_DEVICE static void load_part(const Pattern& pattern, const GlobalToShared& direction, int thread,
                                        const Wait& wait) {
    if constexpr (UniformPattern<Pattern>) {
      if (pattern.is_full()) {
        load_full_tile<Threads>(pattern, direction, thread, wait);
        return;
      }
    }
    if constexpr (detail::ReadsRunLengths<Pattern>) {
      using Runs = detail::WarpRuns<Pattern, Threads, access_bytes<Pattern>>;
      Runs runs(pattern, thread);
      wait();
      runs.template for_each_few<4>(
          [&](const auto& few, int lane) { load_runs<Pattern, Runs::lanes>(few, direction, lane); });
    } else {
      wait();
      load_short_tile<Threads>(pattern, direction, thread);
    }
    if constexpr (PaddedPattern<Pattern>) {
      fill_outside<Threads>(pattern, direction.shared, thread);
    }
    machine::sync_warp();  // NamedBarrier takes the lanes for converged behind a load; CudaBarrier brings them
                           // together.
  }

  /// Reads the positions of indexed runs before the wait.
  template <int Threads, class Pattern, class Wait>
  DMA_HOST_DEVICE static void load_full_tile(const Pattern& pattern, const GlobalToShared& direction, int thread,
                                             const Wait& wait) {
    constexpr int width = access_bytes<Pattern>;
    using Partition = detail::FullTilePartition<Pattern, Threads, width, may_share_runs>;
    constexpr int round = Partition::steps < steps_unrolled ? Partition::steps : steps_unrolled;
    constexpr int rounds = round == 0 ? 0 : Partition::steps / round;
    constexpr int rest = round == 0 ? 0 : Partition::steps % round;

    const Partition partition(pattern, thread);
    const GlobalToShared own = partition.begin(direction);
    const auto copy_round = [&]<int Steps>(Constant<Steps>, int first_step, const auto& between) {
      const detail::PieceAddresses<Partition, Steps, IndexedPattern<Pattern>> addresses(partition, first_step);
      between();
      unrolled<Steps>([&](auto step) {
        if (partition.has_piece(first_step + step)) {
          const Run piece = addresses.at(step);
          machine::copy_async<width, Tuning.cache>(own.shared, piece.shared, own.global, piece.global);
        }
      });
    };
    copy_round(Constant<round>{}, 0, wait);
    for (int i = 1; i < rounds; ++i) {
      copy_round(Constant<round>{}, i * round, [] {});
    }
    if constexpr (rest != 0) {
      copy_round(Constant<rest>{}, rounds * round, [] {});
    }
    for (int step = 0; step < Partition::tail_steps; ++step) {
      if (partition.has_tail(step)) {
        copy_tail<width>(partition.tail(step), direction);
      }
    }
    if constexpr (!Partition::is_even || Partition::tail_steps != 0) {
      machine::sync_warp();
    }
  }

  template <int Threads, class Pattern>
  DMA_HOST_DEVICE static void load_short_tile(const Pattern& pattern, const GlobalToShared& direction, int thread) {
    constexpr int width = access_bytes<Pattern>;
    detail::for_each_partial_partition<width>(pattern, [&](const auto& partition) {
      if constexpr (Pattern::max_run_count == 1 || detail::has_whole_runs<Pattern>) {
        const int pieces = partition.pieces();
        for (int i = thread; i < pieces; i += Threads) {
          const Run piece = partition.piece(i);
          machine::copy_async<width, Tuning.cache>(direction.shared, piece.shared, direction.global, piece.global);
        }
        detail::move_tails<Threads, width>(partition, direction, thread);
      } else {
        if (partition.pieces() != 0) {
          for (detail::PieceCursor<Threads, width> at(partition.bytes(), thread); at.run() < partition.count();
               at.advance()) {
            const Run run = partition.run(at.run());
            machine::copy_async<width, Tuning.cache>(direction.shared, run.shared + at.offset(), direction.global,
                                                     run.global + at.offset());
          }
        }
        if (partition.tail_bytes() != 0) {
          detail::for_each_run_of_thread<Pattern::max_run_count, Threads>(thread, partition.count(), [&](int run) {
            copy_tail<width>(detail::tail_of<width>(partition.run(run)), direction);
          });
        }
      }
    });
  }

  /// Moves a few runs by some lanes, two steps of each between two branches.
  template <class Pattern, int Lanes, int Count>
  DMA_HOST_DEVICE static void load_runs(const Run (&runs)[Count], const GlobalToShared& direction, int lane) {
    constexpr int width = access_bytes<Pattern>;
    constexpr int steps = 2;
    constexpr int stride = Lanes * width;
    const unsigned char* global[Count];
    int shared[Count];
    int last[Count];  // where a lane's last piece begins at most
    int longest = 0;
    unrolled<Count>([&](auto k) {
      global[k] = direction.global + runs[k].global + lane * width;
      shared[k] = runs[k].shared + lane * width;
      last[k] = runs[k].bytes - (lane + 1) * width;
      longest = runs[k].bytes > longest ? runs[k].bytes : longest;
    });
    for (int first = 0; first < longest; first += steps * stride) {
      unrolled<steps * Count>([&](auto i) {
        constexpr int k = i % Count;
        constexpr int step = i / Count * stride;
        if (first + step <= last[k]) {
          machine::copy_async<width, Tuning.cache>(direction.shared, shared[k] + step, global[k], step);
        }
      });
      unrolled<Count>([&](auto k) {
        global[k] += steps * stride;
        shared[k] += steps * stride;
      });
    }
    if constexpr (int{sizeof(typename Pattern::Element)} % width != 0) {
      unrolled<Count>([&](auto k) {
        if (lane == k) {
          copy_tail<width>(detail::tail_of<width>(runs[k]), direction);
        }
      });
    }
  }

  /// Moves a tail of fewer than `Width` bytes.
  template <int Width>
  DMA_HOST_DEVICE static void copy_tail(const Run& tail, const GlobalToShared& direction) {
    constexpr int half = Width / 2;
    if constexpr (half >= 4) {
      if ((tail.bytes & half) != 0) {
        machine::copy_async<half, Tuning.cache>(direction.shared, tail.shared, direction.global, tail.global);
      }
      copy_tail<half>(detail::after_access<half>(tail), direction);
    } else {
      detail::move_tail<Width>(tail, 0, direction);
    }
  }
};

}  // namespace dma::inline v0_1
