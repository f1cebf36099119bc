#pragma once

#include <dma/completion.hpp>
#include <dma/composite_pattern.hpp>
#include <dma/config.hpp>
#include <dma/engines/piece_map.hpp>
#include <dma/engines/transfer.hpp>
#include <dma/engines/word.hpp>
#include <dma/run.hpp>
#include <dma/sync/machine.hpp>
#include <dma/transfer_pattern.hpp>
#include <dma/unrolled.hpp>

namespace dma {

struct RegisterCopyTuning {
  int loads_in_flight = 16;  ///< accesses a thread issues before it waits for the first: 4 registers each at 16 bytes
  int short_tile_loads = 4;  ///< the same for a tile that is not full
};

/// Moves a tile through the registers of the DMA warps.
///
/// A load issues its reads before the wait for an empty slot and writes after it, so that memory works while the slot
/// is still being read. A store waits first: shared memory is never read before it is full. Accesses have the width of
/// the pattern's alignment.
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
  static constexpr int loads_in_flight = Tuning.loads_in_flight;

  /// Width of an access: the pattern's alignment, up to 16 bytes.
  template <class Pattern>
  static constexpr int access_bytes = Pattern::run_alignment < 16 ? Pattern::run_alignment : 16;

  /// Of a composite, the first part's reads are issued before the wait.
  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void load(const Pattern& pattern, const unsigned char* source, int thread, const Slot& slot) {
    for_each_part(pattern, [&](const auto& part, int shared_bytes, auto index) {
      load_part<Threads>(part, Inward{source, slot.data() + shared_bytes}, thread, [&] {
        if constexpr (index == 0) {
          slot.wait_until_empty();
        }
      });
    });
  }

  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void store(const Pattern& pattern, unsigned char* destination, int thread, const Slot& slot) {
    slot.wait_until_full();
    for_each_part(pattern, [&](const auto& part, int shared_bytes, auto) {
      store_part<Threads>(part, Outward{destination, slot.data() + shared_bytes}, thread);
    });
  }

 private:
  template <int Threads, class Pattern, class Wait>
  DMA_HOST_DEVICE static void load_part(const Pattern& pattern, const Inward& direction, int thread, const Wait& wait) {
    if constexpr (UniformPattern<Pattern>) {
      if (pattern.is_full()) {
        FullTile<Pattern, Threads, Inward>::move(pattern, direction, thread, wait);
        return;
      }
    }
    wait();
    move_short_tile<Pattern, Threads>(pattern, direction, thread);
    if constexpr (FillingPattern<Pattern>) {
      fill<Pattern, Threads>(pattern, direction.shared, thread);
    }
    machine::sync_warp();
  }

  template <int Threads, class Pattern>
  DMA_HOST_DEVICE static void store_part(const Pattern& pattern, const Outward& direction, int thread) {
    if constexpr (UniformPattern<Pattern>) {
      if (pattern.is_full()) {
        FullTile<Pattern, Threads, Outward>::move(pattern, direction, thread, [] {});
        return;
      }
    }
    move_short_tile<Pattern, Threads>(pattern, direction, thread);
    machine::sync_warp();
  }

  /// The full tile: who moves what is a constant.
  template <class Pattern, int Threads, class Direction>
  struct FullTile {
    static constexpr int width = access_bytes<Pattern>;
    static constexpr int tail_bytes = Pattern::max_run_bytes % width;
    using Map = PieceMap<Pattern::max_run_count, Pattern::max_run_bytes, width, Threads>;

    static constexpr int first_round = Map::steps < Tuning.loads_in_flight ? Map::steps : Tuning.loads_in_flight;
    static constexpr int full_rounds = first_round == 0 ? 0 : Map::steps / first_round;
    static constexpr int last_round = first_round == 0 ? 0 : Map::steps % first_round;

    template <class Between>
    DMA_HOST_DEVICE static void move(const Pattern& pattern, const Direction& direction, int thread,
                                     const Between& between) {
      const Share share{pattern, pattern.run_at(0), thread};
      move_round<first_round>(share, 0, direction, between);
      for (int round = 1; round < full_rounds; ++round) {
        move_round<first_round>(share, round * first_round, direction, [] {});
      }
      if constexpr (last_round != 0) {
        move_round<last_round>(share, full_rounds * first_round, direction, [] {});
      }
      if constexpr (tail_bytes != 0) {
        static_assert(Pattern::max_run_count == 1, "dma::RegisterCopy: several runs are multiples of run_alignment");
        if (thread == 0) {
          move_tail<width>(share.first, Pattern::max_run_bytes - tail_bytes, direction);
        }
        machine::sync_warp();
      }
    }

   private:
    /// A thread's share of the tile: its base on both sides, to which steps add what does not depend on the thread.
    struct Share {
      const Pattern& pattern;
      Run first;
      int thread;

      DMA_HOST_DEVICE Run piece(int step) const {
        if constexpr (Map::is_separable && AffinePattern<Pattern>) {
          const Piece lane = Map::lane_part(thread);
          const Piece moved = Map::step_part(step);
          const long long pitch = pattern.global_pitch_bytes();
          constexpr int shared_pitch = Pattern::shared_pitch_bytes;
          return {(first.global + lane.run * pitch + lane.offset) + (moved.run * pitch + moved.offset),
                  (first.shared + lane.run * shared_pitch + lane.offset) + (moved.run * shared_pitch + moved.offset),
                  width};
        } else {
          const Piece place = Map::at(thread, step);
          const Run run = pattern.run_at(place.run);
          return {run.global + place.offset, run.shared + place.offset, width};
        }
      }
    };

    /// Reads `Steps` pieces, calls `between`, writes them.
    template <int Steps, class Between>
    DMA_HOST_DEVICE static void move_round(const Share& share, int first_step, const Direction& direction,
                                           const Between& between) {
      Word<width> held[Steps > 0 ? Steps : 1] = {};
      unrolled<Steps>([&](auto step) {
        if (has_piece(share.thread, first_step + step)) {
          held[step] = direction.template read<width>(share.piece(first_step + step));
        }
      });
      bring_lanes_together();
      between();
      unrolled<Steps>([&](auto step) {
        if (has_piece(share.thread, first_step + step)) {
          direction.template write<width>(share.piece(first_step + step), held[step]);
        }
      });
      bring_lanes_together();
    }

    /// A tile that the threads divide has no lane with less to do than another.
    DMA_HOST_DEVICE static void bring_lanes_together() {
      if constexpr (Map::threads_in_last_step != Threads) {
        machine::sync_warp();
      }
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

  template <class Pattern, int Threads, class Direction>
  DMA_HOST_DEVICE static void move_short_tile(const Pattern& pattern, const Direction& direction, int thread) {
    if constexpr (UniformPattern<Pattern>) {
      move_runs<Pattern, Threads>(pattern, 0, pattern.run_count(), direction, thread);
    } else {
      for (int run = 0; run < pattern.run_count(); ++run) {
        move_runs<Pattern, Threads>(pattern, run, 1, direction, thread);
      }
    }
  }

  /// `count` runs of equal length from `first` on, with few loads in flight: one loop serves every length.
  template <class Pattern, int Threads, class Direction>
  DMA_HOST_DEVICE static void move_runs(const Pattern& pattern, int first, int count, const Direction& direction,
                                        int thread) {
    if (count == 0) {
      return;
    }
    constexpr int width = access_bytes<Pattern>;
    constexpr int batch = Tuning.short_tile_loads;
    const int bytes = pattern.run_at(first).bytes;
    const int pieces_per_run = bytes / width;
    const int pieces = count * pieces_per_run;

    const auto place = [&](int piece) -> Run {
      const int run = Pattern::max_run_count == 1 ? 0 : piece / pieces_per_run;
      const int offset = (piece - run * pieces_per_run) * width;
      const Run whole = pattern.run_at(first + run);
      return {whole.global + offset, whole.shared + offset, width};
    };
    for (int piece = thread; piece < pieces; piece += batch * Threads) {
      Word<width> held[batch] = {};
      unrolled<batch>([&](auto i) {
        if (piece + i * Threads < pieces) {
          held[i] = direction.template read<width>(place(piece + i * Threads));
        }
      });
      unrolled<batch>([&](auto i) {
        if (piece + i * Threads < pieces) {
          direction.template write<width>(place(piece + i * Threads), held[i]);
        }
      });
    }
    if (bytes % width != 0) {
      for (int run = thread; run < count; run += Threads) {
        move_tail<width>(pattern.run_at(first + run), bytes - bytes % width, direction);
      }
    }
  }

  /// The bytes of a run from `done` on, fewer than `Width`: one access of each smaller power of two that they need.
  template <int Width, class Direction>
  DMA_HOST_DEVICE static void move_tail(const Run& run, int done, const Direction& direction) {
    if constexpr (Width > 1) {
      constexpr int half = Width / 2;
      if (run.bytes - done >= half) {
        const Run piece{run.global + done, run.shared + done, half};
        direction.template write<half>(piece, direction.template read<half>(piece));
        done += half;
      }
      move_tail<half>(run, done, direction);
    }
  }

  /// What lies outside, element by element.
  template <class Pattern, int Threads>
  DMA_HOST_DEVICE static void fill(const Pattern& pattern, unsigned char* tile, int thread) {
    using Element = typename Pattern::Element;
    for (int i = thread; i < Pattern::count; i += Threads) {
      if (pattern.fills(i)) {
        reinterpret_cast<Element*>(tile)[Pattern::place_of(i)] = pattern.fill_value();
      }
    }
  }
};

}  // namespace dma
