#pragma once

#include <dma/completion.hpp>
#include <dma/config.hpp>
#include <dma/engines/access.hpp>
#include <dma/engines/piece_map.hpp>
#include <dma/engines/unrolled.hpp>
#include <dma/engines/word.hpp>
#include <dma/run.hpp>
#include <dma/sync/machine.hpp>
#include <dma/transfer_pattern.hpp>

namespace dma {

struct RegisterCopyTuning {
  int loads_in_flight = 16;  ///< accesses a thread issues before it waits for the first: 4 registers each at 16 bytes
  int short_tile_loads = 4;  ///< the same for a tile that is not full
};

/// Moves a tile through the registers of the DMA warps.
///
/// Loads are issued before the wait for an empty slot and stored after it, so that memory works while the slot is still
/// being read. Accesses have the width of the pattern's alignment.
///
/// Cost    `loads_in_flight` words of registers a DMA thread; a tile that needs more accesses a thread takes rounds,
/// and
///         only the first round is in flight before the wait. A tile that is not full takes one branch and a loop.
/// Source  SC'11, section 4.1 (prefetching, memory-level parallelism); 2.0's start_xfer_async and wait_xfer_finish
template <RegisterCopyTuning Tuning = RegisterCopyTuning{}>
struct RegisterCopy {
  static_assert(Tuning.loads_in_flight > 0 && Tuning.short_tile_loads > 0,
                "dma::RegisterCopy: loads_in_flight and short_tile_loads must be positive");

  static constexpr Completion completion = Completion::stores;

  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void load(const Pattern& pattern, const unsigned char* source, int thread, const Slot& slot) {
    if constexpr (UniformPattern<Pattern>) {
      if (pattern.is_full()) {
        FullTile<Pattern, Threads>::load(pattern, source, thread, slot);
        return;
      }
    }
    slot.wait_until_empty();
    if constexpr (UniformPattern<Pattern>) {
      move_runs<Pattern, Threads>(pattern, 0, pattern.run_count(), source, slot.data(), thread);
    } else {
      for (int run = 0; run < pattern.run_count(); ++run) {
        move_runs<Pattern, Threads>(pattern, run, 1, source, slot.data(), thread);
      }
    }
    machine::sync_warp();
  }

 private:
  /// The full tile: who moves what is a constant.
  template <class Pattern, int Threads>
  struct FullTile {
    static constexpr int width = Pattern::run_alignment;
    static constexpr int tail_bytes = Pattern::max_run_bytes % width;
    using Map = PieceMap<Pattern::max_run_count, Pattern::max_run_bytes, width, Threads>;

    static constexpr int first_round = Map::steps < Tuning.loads_in_flight ? Map::steps : Tuning.loads_in_flight;
    static constexpr int full_rounds = first_round == 0 ? 0 : Map::steps / first_round;
    static constexpr int last_round = first_round == 0 ? 0 : Map::steps % first_round;

    template <class Slot>
    DMA_HOST_DEVICE static void load(const Pattern& pattern, const unsigned char* source, int thread,
                                     const Slot& slot) {
      const Lane lane{pattern, source, thread};
      move<first_round>(lane, 0, slot.data(), [&] { slot.wait_until_empty(); });
      for (int round = 1; round < full_rounds; ++round) {
        move<first_round>(lane, round * first_round, slot.data(), [] {});
      }
      if constexpr (last_round != 0) {
        move<last_round>(lane, full_rounds * first_round, slot.data(), [] {});
      }
      if constexpr (tail_bytes != 0) {
        static_assert(Pattern::max_run_count == 1, "dma::RegisterCopy: several runs are multiples of run_alignment");
        if (thread == 0) {
          move_tail<width>(pattern.run_at(0), Pattern::max_run_bytes - tail_bytes, source, slot.data());
        }
        machine::sync_warp();
      }
    }

   private:
    /// A thread's share of the tile: its base on both sides, to which steps add what does not depend on the thread.
    struct Lane {
      const Pattern& pattern;
      const unsigned char* source;
      int thread;

      DMA_HOST_DEVICE Run place(int step) const {
        if constexpr (Map::is_separable && AffinePattern<Pattern>) {
          const Piece lane = Map::lane_part(thread);
          const Piece moved = Map::step_part(step);
          const long long pitch = pattern.source_pitch_bytes();
          constexpr int destination_pitch = Pattern::destination_pitch_bytes;
          return {(lane.run * pitch + lane.offset) + (moved.run * pitch + moved.offset),
                  (lane.run * destination_pitch + lane.offset) + (moved.run * destination_pitch + moved.offset), width};
        } else {
          const Piece piece = Map::at(thread, step);
          const Run run = pattern.run_at(piece.run);
          return {run.source + piece.offset, run.destination + piece.offset, width};
        }
      }
    };

    /// Issues `Steps` loads, calls `between`, stores them.
    template <int Steps, class Between>
    DMA_HOST_DEVICE static void move(const Lane& lane, int first_step, unsigned char* tile, const Between& between) {
      Word<width> held[Steps > 0 ? Steps : 1] = {};
      unrolled<Steps>([&](auto step) {
        if (has_piece(lane.thread, first_step + step)) {
          held[step] = machine::load_global<width>(lane.source, lane.place(first_step + step).source);
        }
      });
      between();
      unrolled<Steps>([&](auto step) {
        if (has_piece(lane.thread, first_step + step)) {
          machine::store_shared<width>(tile, lane.place(first_step + step).destination, held[step]);
        }
      });
    }

    /// Only the last step of a tile that the threads do not divide asks who is there.
    DMA_HOST_DEVICE static bool has_piece(int thread, int step) {
      if constexpr (Map::threads_in_last_step == Threads) {
        return true;
      } else {
        return Map::has_piece(thread, step);
      }
    }
  };

  /// `count` runs of equal length from `first` on, with few loads in flight: one loop serves every length.
  template <class Pattern, int Threads>
  DMA_HOST_DEVICE static void move_runs(const Pattern& pattern, int first, int count, const unsigned char* source,
                                        unsigned char* tile, int thread) {
    if (count == 0) {
      return;
    }
    constexpr int width = Pattern::run_alignment;
    constexpr int batch = Tuning.short_tile_loads;
    const int bytes = pattern.run_at(first).bytes;
    const int pieces_per_run = bytes / width;
    const int pieces = count * pieces_per_run;

    const auto place = [&](int piece) -> Run {
      const int run = Pattern::max_run_count == 1 ? 0 : piece / pieces_per_run;
      const int offset = (piece - run * pieces_per_run) * width;
      const Run whole = pattern.run_at(first + run);
      return {whole.source + offset, whole.destination + offset, width};
    };
    for (int piece = thread; piece < pieces; piece += batch * Threads) {
      Word<width> held[batch] = {};
      unrolled<batch>([&](auto i) {
        if (piece + i * Threads < pieces) {
          held[i] = machine::load_global<width>(source, place(piece + i * Threads).source);
        }
      });
      unrolled<batch>([&](auto i) {
        if (piece + i * Threads < pieces) {
          machine::store_shared<width>(tile, place(piece + i * Threads).destination, held[i]);
        }
      });
    }
    for (int run = thread; run < count; run += Threads) {
      move_tail<width>(pattern.run_at(first + run), bytes - bytes % width, source, tile);
    }
  }

  /// The bytes of a run from `done` on, fewer than `Width`: one access of each smaller power of two that they need.
  template <int Width>
  DMA_HOST_DEVICE static void move_tail(const Run& run, int done, const unsigned char* source, unsigned char* tile) {
    if constexpr (Width > 1) {
      constexpr int half = Width / 2;
      if (run.bytes - done >= half) {
        machine::store_shared<half>(tile, run.destination + done,
                                    machine::load_global<half>(source, run.source + done));
        done += half;
      }
      move_tail<half>(run, done, source, tile);
    }
  }
};

}  // namespace dma
