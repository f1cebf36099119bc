#pragma once

#include <dma/config.hpp>
#include <dma/engines/copy_engine.hpp>
#include <dma/engines/fill.hpp>
#include <dma/engines/threads/tail.hpp>
#include <dma/engines/threads/transfer.hpp>
#include <dma/machine/access.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/sync/barrier.hpp>
#include <dma/unrolled.hpp>

namespace dma::inline v0_1 {

/// How `BulkCopy` issues its copies.
struct BulkCopyTuning {
  CacheHints cache = {};  ///< `l2` only: bulk copies bypass the first-level cache
};

/// Copies that the hardware makes by itself: one lane issues the copy of a whole run, and the slot's mbarrier counts
/// its bytes.
///
/// A tile's runs are divided among the warps of a DMA group, each with one elected lane: bulk copies of several lanes
/// of a warp are issued one after another anyway. A store's slot is empty as soon as the copies have read it; half of
/// the stages are stored at a time, while the compute warps fill the others.
///
/// Cost    one instruction a run, whatever its length; for runs below about 512 bytes the rate of instructions is the
///         limit
/// Source  PTX ISA, cp.async.bulk
///
/// The tail of a run, its last bytes after a multiple of 16, goes through registers, one thread a run. A load reads the
/// tails of as many runs as the group has threads before the wait for the slot.
///
/// @pre sm_90 or newer, and `CudaBarrier` for loads; `Pattern::run_alignment` is 16.
template <BulkCopyTuning Tuning = BulkCopyTuning{}>
struct BulkCopy {
  static_assert(Tuning.cache.load == LoadCache::standard && Tuning.cache.store == StoreCache::write_back,
                "dma::BulkCopy: bulk copies bypass the first-level cache, so they take no LoadCache and no StoreCache; "
                "give them an L2 priority instead (CacheHints::l2), or use dma::RegisterCopy");

  static constexpr Completion completion = Completion::mbarrier_complete_tx;
  static constexpr Completion store_completion = Completion::bulk_group;
  static constexpr EngineTraits traits{.name = "dma::BulkCopy", .can_add = true, .can_fill = true};

  using GlobalToShared = detail::GlobalToShared<Tuning.cache>;

  static constexpr int alignment = 16;  ///< of every address and length

  /// Whether bulk copies can move a pattern's runs.
  template <class Pattern>
  static constexpr bool can_move = Pattern::run_alignment >= alignment;

  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static int load(const Pattern& pattern, const unsigned char* source, int thread, const Slot& slot) {
    expect_movable<Pattern>();
    const Ahead ahead = look_ahead<Threads>(pattern, thread);
    const TailAhead tail = read_tail_ahead(pattern, source, thread);
    slot.wait_until_empty();
    int bytes = 0;
    const bool leads = machine::elect();
    for_each_part(pattern, [&](const auto& part, int shared_bytes, auto) {
      const GlobalToShared direction{source, slot.data() + shared_bytes};
      for_each_run_of_warp<Threads>(part, thread, CompositePattern<Pattern> ? nullptr : &ahead, [&](const Run& run) {
        if (leads) {
          machine::copy_bulk_to_shared<Tuning.cache>(direction.shared + run.shared, source + run.global, run.bytes,
                                                     slot.full_barrier());
        }
        bytes += run.bytes;
      });
      if (!part.is_full()) {
        if constexpr (PaddedPattern<stdlib::remove_cvref_t<decltype(part)>>) {
          fill_outside<Threads>(part, direction.shared, thread);
        }
      }
      if constexpr (reads_tails_ahead<Pattern>) {
        tail.held.write(tail.place, direction);
        if constexpr (Pattern::max_run_count > Threads) {
          move_tails<Threads>(part, direction, thread + Threads);
        }
      } else {
        move_tails<Threads>(part, direction, thread);
      }
      if (wrote_by_itself(part)) {
        // The slot's next bulk copy follows what this thread wrote now. Superfluous where compute threads fence before
        // they release the slot; it costs short tiles alone, and a slot that tensor cores use is released without one.
        machine::fence_async_proxy();
      }
    });
    return bytes;
  }

  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void store(const Pattern& pattern, unsigned char* destination, int thread, const Slot& slot) {
    expect_movable<Pattern>();
    const Ahead ahead = look_ahead<Threads>(pattern, thread);
    slot.wait_until_full();
    const bool leads = machine::elect();
    for_each_part(pattern, [&](const auto& part, int shared_bytes, auto) {
      const detail::StoreDirection<Pattern, Tuning.cache> direction{destination, slot.data() + shared_bytes};
      for_each_run_of_warp<Threads>(part, thread, CompositePattern<Pattern> ? nullptr : &ahead, [&](const Run& run) {
        unsigned char* const to = destination + run.global;
        const unsigned char* const from = direction.shared + run.shared;
        if (leads) {
          if constexpr (is_store_add<Pattern>) {
            machine::add_bulk_to_global<typename Pattern::Element, Tuning.cache>(to, from, run.bytes);
          } else {
            machine::copy_bulk_to_global<Tuning.cache>(to, from, run.bytes);
          }
        }
      });
      move_tails<Threads>(part, direction, thread);
    });
    if (leads) {
      machine::commit_bulk_group();
    }
    machine::sync_warp();  // NamedBarrier takes the lanes for converged behind a store; CudaBarrier brings them
                           // together.
  }

 private:
  template <class Pattern>
  DMA_HOST_DEVICE static void expect_movable() {
    static_assert(can_move<Pattern>,
                  "dma::BulkCopy: bulk copies move multiples of 16 bytes and this pattern's run_alignment is smaller; "
                  "align its runs to 16, use dma::AsyncCopy<> for runs of 4 and 8 bytes, or dma::RegisterCopy<>");
    machine::expect_architecture<900, Pattern>();
  }

  static constexpr int runs_at_once = 4;  ///< indexed runs whose shuffles are in flight together

  /// Whether the lanes of a warp read the positions of 32 runs at once, where one lane would read one after another.
  template <class Pattern>
  static constexpr bool looks_up = IndexedPattern<Pattern>;

  /// A lane's runs whose positions are read and that are not yet copied: one of the 32 that its warp copies now, one of
  /// the next 32.
  struct Ahead {
    Run now = {};
    Run next = {};
  };

  /// The run of this lane among the 32 of its warp that are `Turn` turns after those from `first` on.
  template <int Threads, int Turn, class Pattern>
  [[nodiscard]] DMA_HOST_DEVICE static Run run_of_lane(const Pattern& pattern, int thread, int first) {
    if constexpr (Pattern::max_run_count > Turn * Threads) {
      const int run = first + Turn * Threads + thread % warp_size * (Threads / warp_size);
      if (run < pattern.run_count()) {
        return pattern.run_at(run);
      }
    }
    return {};
  }
  template <int Threads, class Pattern>
  [[nodiscard]] DMA_HOST_DEVICE static Ahead look_up(const Pattern& pattern, int thread) {
    return {run_of_lane<Threads, 0>(pattern, thread, thread / warp_size),
            run_of_lane<Threads, 1>(pattern, thread, thread / warp_size)};
  }
  /// Reads the positions of the first runs, before the wait for the slot; none for a pattern that is not indexed.
  template <int Threads, class Pattern>
  [[nodiscard]] DMA_HOST_DEVICE static Ahead look_ahead(const Pattern& pattern, int thread) {
    if constexpr (!CompositePattern<Pattern>) {
      if constexpr (looks_up<Pattern>) {
        return look_up<Threads>(pattern, thread);
      }
    }
    return {};
  }

  /// Calls `body` with the part of each run that bulk copies move, for the runs of this thread's warp. `ahead` holds
  /// the positions already read, null where there are none.
  template <int Threads, class Pattern, class Body>
  DMA_HOST_DEVICE static void for_each_run_of_warp(const Pattern& pattern, int thread, const Ahead* ahead,
                                                   const Body& body) {
    constexpr int warps = Threads / warp_size;
    const int runs = pattern.run_count();
    const int first_run = warps == 1 ? 0 : thread / warp_size;
    const auto move = [&](Run run) {
      if constexpr (may_have_tails<Pattern>) {
        run.bytes -= run.bytes % alignment;
      }
      if (run.bytes != 0) {
        body(run);
      }
    };
    if constexpr (looks_up<Pattern>) {
      Ahead held = ahead != nullptr ? *ahead : look_up<Threads>(pattern, thread);
      for (int first = first_run; first < runs; first += Threads) {
        const Run after_next = run_of_lane<Threads, 2>(pattern, thread, first);
        for (int i = 0; i < warp_size && first + i * warps < runs; i += runs_at_once) {
          long long addresses[runs_at_once];
          unrolled<runs_at_once>([&](auto k) { addresses[k] = machine::shuffle(held.now.global, i + k); });
          unrolled<runs_at_once>([&](auto k) {
            if (first + (i + k) * warps < runs) {
              Run run = pattern.run_at(first + (i + k) * warps);  // each lane knows all of it but its position
              run.global = addresses[k];
              move(run);
            }
          });
        }
        held = {held.next, after_next};
      }
    } else {
      for (int i = first_run; i < runs; i += warps) {
        move(pattern.run_at(i));
      }
    }
  }

  /// Whether a part of the tile is written by ordinary stores.
  template <class Pattern>
  [[nodiscard]] DMA_HOST_DEVICE static bool wrote_by_itself(const Pattern& pattern) {
    constexpr bool may_write = may_have_tails<Pattern> || PaddedPattern<Pattern>;
    return full_tile_may_have_tails<Pattern> || (may_write && !pattern.is_full());
  }

  /// Whether the runs of a full tile, and of any tile, may end between two multiples of 16.
  template <class Pattern>
  static constexpr bool full_tile_may_have_tails =
      Pattern::max_run_bytes % alignment != 0 || !(Pattern::max_run_count == 1 || UniformPattern<Pattern>);
  template <class Pattern>
  static constexpr bool may_have_tails = full_tile_may_have_tails<Pattern> || !detail::has_whole_runs<Pattern>;

  /// The tail of this thread's first run, read before the wait for the slot.
  struct TailAhead {
    Run place = {};
    detail::HeldTail<alignment> held;
  };
  template <class Pattern>
  static constexpr bool reads_tails_ahead =
      !CompositePattern<Pattern> && Pattern::max_run_count > 1 && may_have_tails<Pattern>;

  template <class Pattern>
  [[nodiscard]] DMA_HOST_DEVICE static TailAhead read_tail_ahead(const Pattern& pattern, const unsigned char* source,
                                                                 int thread) {
    TailAhead tail;
    if constexpr (reads_tails_ahead<Pattern>) {
      if (has_tails(pattern)) {
        if (thread < pattern.run_count()) {
          tail.place = detail::tail_of<alignment>(pattern.run_at(thread));
          tail.held.read(tail.place, GlobalToShared{source, nullptr});
        }
        machine::sync_warp();
      }
    }
    return tail;
  }

  /// Whether tails have to be looked for, one run after another.
  template <class Pattern>
  [[nodiscard]] DMA_HOST_DEVICE static bool has_tails(const Pattern& pattern) {
    return full_tile_may_have_tails<Pattern> || !pattern.is_full();
  }

  /// Moves the tails of the runs `first`, `first + Threads`, ...
  template <int Threads, class Pattern, class Direction>
  DMA_HOST_DEVICE static void move_tails(const Pattern& pattern, const Direction& direction, int first) {
    if constexpr (Pattern::max_run_count == 1) {
      if (first == 0 && pattern.run_count() == 1) {
        const Run run = pattern.run_at(0);
        detail::move_tail<alignment>(run, run.bytes - run.bytes % alignment, direction);
      }
    } else if constexpr (may_have_tails<Pattern>) {
      if (has_tails(pattern)) {
        detail::for_each_run_of_thread<Pattern::max_run_count, Threads>(first, pattern.run_count(), [&](int run) {
          detail::move_tail<alignment>(detail::tail_of<alignment>(pattern.run_at(run)), 0, direction);
        });
      }
    }
  }
};

}  // namespace dma::inline v0_1
