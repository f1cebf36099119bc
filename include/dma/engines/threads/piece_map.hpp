#pragma once

#include <dma/config.hpp>

namespace dma {

/// A piece of a tile: the run, and the offset in it, at which one access begins.
struct Piece {
  int run;
  int offset;  ///< bytes from the start of the run

  friend constexpr bool operator==(const Piece&, const Piece&) = default;
};

/// Assigns the pieces of a full tile to threads: `Runs` runs of `RunBytes` bytes, in accesses of `Width`, divided among
/// `Threads`.
///
/// In step s thread t moves piece `s * Threads + t`, counted run by run: neighbouring lanes access neighbouring memory.
/// Pure and constexpr, so that the whole mapping can be listed on a host.
///
/// The tail of a run, its last bytes after the pieces of `Width`, moves apart, in narrower accesses: in tail step s
/// thread t moves the tail of run `s * Threads + t`.
///
/// Where runs and threads divide one another, a piece is the sum of a part that depends only on the thread and a part
/// that depends only on the step. A thread then needs one base address and constants, instead of an address a piece.
template <int Runs, int RunBytes, int Width, int Threads>
struct PieceMap {
  static constexpr int pieces_per_run = RunBytes / Width;
  static constexpr int pieces = Runs * pieces_per_run;
  static constexpr int steps = (pieces + Threads - 1) / Threads;
  static constexpr int threads_in_last_step = pieces == 0 ? 0 : pieces - (steps - 1) * Threads;

  static constexpr int tail_bytes = RunBytes % Width;
  static constexpr int tail_steps = tail_bytes == 0 ? 0 : (Runs + Threads - 1) / Threads;

  static constexpr bool steps_stay_in_run = Runs == 1 || pieces_per_run % Threads == 0;
  static constexpr bool steps_take_whole_runs = pieces_per_run > 0 &&
                                                Threads % (pieces_per_run > 0 ? pieces_per_run : 1) == 0;
  static constexpr bool is_separable = steps_stay_in_run || steps_take_whole_runs;

  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool has_piece(int thread, int step) noexcept {
    return step + 1 < steps || (step + 1 == steps && thread < threads_in_last_step);
  }

  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool has_tail(int thread, int step) noexcept {
    constexpr int in_last_step = Runs - (tail_steps - 1) * Threads;
    return step + 1 < tail_steps || (step + 1 == tail_steps && (in_last_step == Threads || thread < in_last_step));
  }
  /// Where the tail that a thread moves in a tail step begins.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr Piece tail(int thread, int step) noexcept {
    return {Runs == 1 ? 0 : step * Threads + thread, RunBytes - tail_bytes};
  }

  /// @pre is_separable
  [[nodiscard]] DMA_HOST_DEVICE static constexpr Piece lane_part(int thread) noexcept {
    if constexpr (steps_stay_in_run) {
      return {0, thread * Width};
    } else {
      return {thread / pieces_per_run, thread % pieces_per_run * Width};
    }
  }

  /// @pre is_separable
  [[nodiscard]] DMA_HOST_DEVICE static constexpr Piece step_part(int step) noexcept {
    if constexpr (Runs == 1) {
      return {0, step * Threads * Width};
    } else if constexpr (steps_stay_in_run) {
      constexpr int steps_per_run = pieces_per_run / Threads;
      return {step / steps_per_run, step % steps_per_run * Threads * Width};
    } else {
      return {step * (Threads / pieces_per_run), 0};
    }
  }

  [[nodiscard]] DMA_HOST_DEVICE static constexpr Piece at(int thread, int step) noexcept {
    if constexpr (is_separable) {
      const Piece lane = lane_part(thread);
      const Piece moved = step_part(step);
      return {lane.run + moved.run, lane.offset + moved.offset};
    } else {
      const int piece = step * Threads + thread;
      return {piece / pieces_per_run, piece % pieces_per_run * Width};
    }
  }
};

}  // namespace dma
