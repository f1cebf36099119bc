#pragma once

#include <dma/config.hpp>
#include <dma/engines/copy_engine.hpp>
#include <dma/engines/fill.hpp>
#include <dma/engines/threads/full_tile.hpp>
#include <dma/engines/threads/partition.hpp>
#include <dma/engines/threads/tail.hpp>
#include <dma/engines/threads/transfer.hpp>
#include <dma/engines/threads/warp_runs.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/word.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/sync/barrier.hpp>
#include <dma/unrolled.hpp>

namespace dma::inline v0_1 {

/// How many accesses `RegisterCopy` has in flight: each has registers of its own.
struct RegisterCopyTuning {
  int loads_in_flight = 16;  ///< accesses a thread issues before it waits for the first: 4 registers each at 16 bytes
  /// Full tiles whose reads a DMA group has in flight together in `for_each_tile`: for tiles of few accesses a
  /// thread, at most `loads_in_flight`, so that they fill the memory's latency. Each needs registers of its own.
  /// Measure more than 4: of more than 6 nvcc 13 kept the load body out of line and the tiles in local memory, at a
  /// tenth of the rate.
  /// @pre The load body waits for nothing else: a tile that is held reaches its slot in the body of a later tile, so
  /// that the compute warps have it late. A body that moves tiles of another pipeline too can hang.
  int tiles_ahead = 1;
  /// Bytes of an access where the pattern's alignment allows it: 16, or 32 on sm_100 and newer, by one instruction of 8
  /// registers, so that as many registers hold half as many loads. Before sm_100 it is 16 in any case. Compiled and
  /// emulated; no GPU has run it.
  int widest_access = 16;
  CacheHints cache = {};
};

/// Moves a tile through the registers of the DMA warps.
///
/// A load issues its reads before the wait for an empty slot and writes after it, so that the reads are in flight while
/// the slot is still in use. A store waits first: shared memory is never read before it is full. Accesses have the
/// width of the pattern's alignment; the tail of each run, the bytes after the last of them, moves in narrower ones, in
/// flight together with the first accesses.
///
/// With `tiles_ahead` of 4 `for_each_tile` has the reads of 4 tiles in flight: tile k goes to its slot just before tile
/// k + 4 is read. A partial tile moves when the tiles before it are in their slots.
///
/// A pattern with its own transfer (`HasCustomLoad`, `HasCustomStore`) is moved by that.
///
/// Cost    registers of a DMA thread for `loads_in_flight` accesses, 4 each at 16 bytes. A tile that needs more
///         accesses a thread moves in rounds, and only the first round is in flight before the wait. A partial tile
///         moves in one branch and a loop
/// Source  SC'11, section 4.1 (prefetching, memory-level parallelism); 2.0's start_xfer_async and wait_xfer_finish
template <RegisterCopyTuning Tuning = RegisterCopyTuning{}>
struct RegisterCopy {
  static_assert(
      Tuning.loads_in_flight > 0 && Tuning.tiles_ahead > 0,
      "dma::RegisterCopy: loads_in_flight and tiles_ahead must be positive; name 1 or more, or leave them out");
  static_assert(Tuning.widest_access == 16 || Tuning.widest_access == 32,
                "dma::RegisterCopy: widest_access is 16, or 32 for sm_100 and newer; name one of these");

 private:
  /// Accesses of a partial tile that a thread issues before it waits for the first.
  static constexpr int partial_tile_loads = Tuning.loads_in_flight < 4 ? Tuning.loads_in_flight : 4;

 public:
  static constexpr Completion completion = Completion::sync;
  static constexpr Completion store_completion = Completion::sync;
  static constexpr EngineTraits traits{.name = "dma::RegisterCopy",
                                       .can_add = true,
                                       .can_fill = true,
                                       .widest_access = machine::widest_access(Tuning.widest_access),
                                       .loads_in_flight = Tuning.loads_in_flight,
                                       .short_tile_loads = partial_tile_loads};

  using GlobalToShared = detail::GlobalToShared<Tuning.cache>;

  /// Width of an access: the pattern's alignment, up to the widest.
  template <class Pattern>
  static constexpr int access_bytes =
      Pattern::run_alignment < traits.widest_access ? Pattern::run_alignment : traits.widest_access;

  /// Of a composite, the first part's reads are issued before the wait.
  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void load(const Pattern& pattern, const unsigned char* source, int thread, const Slot& slot) {
    expect_hints_known<Pattern>();
    if constexpr (detail::HasCustomLoad<Pattern>) {
      slot.wait_until_empty();
      if (thread == 0) {
        machine::touched(slot.data(), Pattern::tile_bytes, machine::Access::write);
      }
      pattern.template load_tile<Threads>(source, slot.data(), thread);
      machine::sync_warp();
    } else {
      for_each_part(pattern, [&](const auto& part, int shared_bytes, auto index) {
        using Part = stdlib::remove_cvref_t<decltype(part)>;
        unsigned char* const data = takes_one_round<Part, Threads>() ? slot.data_per_lane() : slot.data();
        load_part<Threads>(part, GlobalToShared{source, data + shared_bytes}, thread, [&] {
          if constexpr (decltype(index)::value == 0) {
            slot.wait_until_empty();
          }
        });
      });
    }
  }

  /// How many tiles `for_each_tile` reads ahead of their slots: 1 where a thread cannot hold its part of a tile.
  template <class Pattern, int Threads>
  [[nodiscard]] static consteval int tiles_ahead() {
    return holds_tiles<Pattern, Threads>() ? Tuning.tiles_ahead : 1;
  }
  /// Whether a full tile, or its first `loads_in_flight` accesses a thread, can be read before its slot is known.
  template <class Pattern>
  static constexpr bool can_read_ahead = UniformPattern<Pattern> && !detail::HasCustomLoad<Pattern> &&
                                         !CompositePattern<Pattern> && stdlib::is_copy_assignable_v<Pattern>;
  template <class Pattern, int Threads>
  using Held = detail::HeldTile<Pattern, Threads, access_bytes<Pattern>, Tuning.loads_in_flight>;

  /// The two halves of `load` for a full tile, between which other tiles are read and written. What does not fit into
  /// the registers moves in the second half. `shared` is any address in the pipeline's slots.
  template <class Pattern, int Threads>
  DMA_HOST_DEVICE static void read_ahead(const Pattern& pattern, const unsigned char* source, int thread,
                                         unsigned char* shared, Held<Pattern, Threads>& held) {
    expect_hints_known<Pattern>();
    held.read(pattern, GlobalToShared{source, shared}, thread);
  }
  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void write_held(const Pattern& pattern, const unsigned char* source, int thread,
                                         const Slot& slot, const Held<Pattern, Threads>& held) {
    slot.wait_until_empty();
    const GlobalToShared direction{source, slot.data_per_lane()};
    held.write(pattern, direction, thread);
    FullTile<Pattern, Threads, GlobalToShared>::move_rest(pattern, direction, thread);
  }

  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void store(const Pattern& pattern, unsigned char* destination, int thread, const Slot& slot) {
    static_assert(
        !is_store_add<Pattern> ||
            (Tuning.cache.store == StoreCache::write_back && Tuning.cache.l2 == L2Priority::normal),
        "dma::RegisterCopy: a dma::StoreAdd is done by red instructions, which take no cache hints of stores; leave "
        "them out, or use dma::BulkCopy, which takes an L2 priority");
    expect_hints_known<Pattern>();
    slot.wait_until_full();
    if constexpr (detail::HasCustomStore<Pattern>) {
      if (thread == 0) {
        machine::touched(slot.data(), Pattern::tile_bytes, machine::Access::read);
      }
      pattern.template store_tile<Threads>(destination, slot.data(), thread);
      machine::sync_warp();
    } else {
      for_each_part(pattern, [&](const auto& part, int shared_bytes, auto) {
        store_part<Threads>(
            part, detail::StoreDirection<Pattern, Tuning.cache>{destination, slot.data() + shared_bytes}, thread);
      });
    }
  }

 private:
  template <class Pattern, int Threads>
  [[nodiscard]] static consteval bool holds_tiles() {
    if constexpr (can_read_ahead<Pattern>) {
      return Held<Pattern, Threads>::holds_all();
    } else {
      return false;
    }
  }

  template <class Pattern, int Threads, class Direction>
  using FullTile = detail::FullTile<Pattern, Threads, access_bytes<Pattern>, Tuning.loads_in_flight, Direction>;

  template <class Pattern>
  DMA_HOST_DEVICE static void expect_hints_known() {
    if constexpr (Tuning.cache.l2 != L2Priority::normal) {
      machine::expect_architecture<800, Pattern>();
    }
  }

  /// Whether a thread reads all its pieces of a full tile before it writes. The tile then ends with the stores, and
  /// stores with part of their address in a uniform register delay the next tile's reads. With several rounds the
  /// opposite holds.
  template <class Pattern, int Threads>
  [[nodiscard]] static consteval bool takes_one_round() {
    if constexpr (UniformPattern<Pattern>) {
      using Full = FullTile<Pattern, Threads, GlobalToShared>;
      return Full::full_rounds == 1 && Full::last_round == 0 && Full::tails_in_first_round == Full::tail_steps;
    } else {
      return false;
    }
  }

  template <int Threads, class Pattern, class Wait>
  DMA_HOST_DEVICE static void load_part(const Pattern& pattern, const GlobalToShared& direction, int thread,
                                        const Wait& wait) {
    if constexpr (UniformPattern<Pattern>) {
      if (pattern.is_full()) {
        FullTile<Pattern, Threads, GlobalToShared>::move(pattern, direction, thread, wait);
        return;
      }
    }
    if constexpr (detail::ReadsRunLengths<Pattern>) {
      using Runs = detail::WarpRuns<Pattern, Threads, access_bytes<Pattern>>;
      Runs runs(pattern, thread);
      wait();
      runs.template for_each_few<1>(
          [&](const Run(&run)[1], int lane) { move_run<access_bytes<Pattern>, Runs::lanes>(run[0], direction, lane); });
    } else {
      wait();
      move_short_tile<Pattern, Threads>(pattern, direction, thread);
    }
    if constexpr (PaddedPattern<Pattern>) {
      fill_outside<Threads>(pattern, direction.shared, thread);
    }
    machine::sync_warp();  // as behind a load of AsyncCopy
  }

  template <int Threads, class Pattern, class SharedToGlobal>
  DMA_HOST_DEVICE static void store_part(const Pattern& pattern, const SharedToGlobal& direction, int thread) {
    if constexpr (UniformPattern<Pattern>) {
      if (pattern.is_full()) {
        FullTile<Pattern, Threads, SharedToGlobal>::move(pattern, direction, thread, [] {});
        return;
      }
    }
    if constexpr (detail::ReadsRunLengths<Pattern>) {
      using Runs = detail::WarpRuns<Pattern, Threads, access_bytes<Pattern>>;
      Runs(pattern, thread).template for_each_few<1>([&](const Run(&run)[1], int lane) {
        move_run<access_bytes<Pattern>, Runs::lanes>(run[0], direction, lane);
      });
    } else {
      move_short_tile<Pattern, Threads>(pattern, direction, thread);
    }
    machine::sync_warp();
  }

  /// Moves a run by some lanes.
  template <int Width, int Lanes, class Direction>
  DMA_HOST_DEVICE static void move_run(const Run& run, const Direction& direction, int lane) {
    constexpr int batch = partial_tile_loads;
    constexpr int stride = Lanes * Width;
    const auto piece = [&](int at) { return Run{run.global + at, run.shared + at, Width}; };
    for (int at = lane * Width; at + Width <= run.bytes; at += batch * stride) {
      machine::Word<Width> held[batch] = {};
      unrolled<batch>([&](auto i) {
        if (at + i * stride + Width <= run.bytes) {
          held[i] = direction.template read<Width>(piece(at + i * stride));
        }
      });
      unrolled<batch>([&](auto i) {
        if (at + i * stride + Width <= run.bytes) {
          direction.template write<Width>(piece(at + i * stride), held[i]);
        }
      });
    }
    if (lane == 0) {
      detail::move_tail<Width>(detail::tail_of<Width>(run), 0, direction);
    }
  }

  /// With few loads in flight: one loop serves every length. A tile of few pieces needs no loop, which the compiler
  /// would unroll, for 30 registers more.
  template <class Pattern, int Threads, class Direction>
  DMA_HOST_DEVICE static void move_short_tile(const Pattern& pattern, const Direction& direction, int thread) {
    constexpr int width = access_bytes<Pattern>;
    constexpr int most_steps = (Pattern::max_run_count * (Pattern::max_run_bytes / width) + Threads - 1) / Threads;
    constexpr int batch = most_steps < partial_tile_loads ? most_steps : partial_tile_loads;
    detail::for_each_partial_partition<width>(pattern, [&](const auto& partition) {
      const int pieces = partition.pieces();
      const auto move_batch = [&](int piece) {
        machine::Word<width> held[batch > 0 ? batch : 1] = {};
        unrolled<batch>([&](auto i) {
          if (piece + i * Threads < pieces) {
            held[i] = direction.template read<width>(partition.piece(piece + i * Threads));
          }
        });
        unrolled<batch>([&](auto i) {
          if (piece + i * Threads < pieces) {
            direction.template write<width>(partition.piece(piece + i * Threads), held[i]);
          }
        });
      };
      if constexpr (most_steps <= batch) {
        move_batch(thread);
      } else {
        for (int piece = thread; piece < pieces; piece += batch * Threads) {
          move_batch(piece);
        }
      }
      detail::move_tails<Threads, width, Pattern::max_run_count>(partition, direction, thread);
    });
  }
};

}  // namespace dma::inline v0_1
