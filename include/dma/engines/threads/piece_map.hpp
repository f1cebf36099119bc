#pragma once

#include <dma/config.hpp>

namespace dma::inline v0_1::detail {

/// A piece of a tile: the run, and the offset in it, at which one access begins.
struct Piece {
  int run;
  int offset;  ///< bytes from the start of the run

  friend constexpr bool operator==(const Piece&, const Piece&) = default;
};

/// How threads share runs: `lanes` of them take a run together, in `steps_per_run` steps, and `runs_at_once` runs move
/// at a time.
struct RunShares {
  int lanes;
  int steps_per_run;
  int runs_at_once;

  [[nodiscard]] constexpr int steps(int runs) const { return (runs + runs_at_once - 1) / runs_at_once * steps_per_run; }
};

/// The shares of at least `least_lanes` with the fewest steps; of equal ones those of which the fewest lanes idle in a
/// run's last step, and then the longest neighbourhoods. No lanes where there are none.
[[nodiscard]] constexpr RunShares shares_of_runs(int runs, int pieces_per_run, int threads, int least_lanes) {
  RunShares best{};
  const auto idle_lanes = [&](const RunShares& shares) { return shares.lanes * shares.steps_per_run - pieces_per_run; };
  for (int steps = 1; steps <= pieces_per_run; ++steps) {
    const int lanes = (pieces_per_run + steps - 1) / steps;
    const bool needs_all_steps = (pieces_per_run + lanes - 1) / lanes == steps;
    if (lanes > threads || lanes < least_lanes || !needs_all_steps) {
      continue;
    }
    const RunShares shares{lanes, steps, threads / lanes < runs ? threads / lanes : runs};
    if (best.lanes == 0 || shares.steps(runs) < best.steps(runs) ||
        (shares.steps(runs) == best.steps(runs) && idle_lanes(shares) < idle_lanes(best))) {
      best = shares;
    }
  }
  return best;
}

/// Assigns the pieces of a full tile to threads: `Runs` runs of `RunBytes` bytes, in accesses of `Width`, divided among
/// `Threads`.
///
/// In step s thread t moves piece `s * Threads + t`, counted run by run: neighbouring lanes access neighbouring memory.
/// Pure and constexpr, so that the whole mapping can be listed on a host.
///
/// The tail of a run, its last bytes after the pieces of `Width`, moves apart, in narrower accesses: in tail step s
/// thread t moves the tail of run `s * Threads + t`.
///
/// A piece is then the sum of a part that depends only on the thread and a part that depends only on the step, so that
/// a thread needs one base address and constants, instead of an address a piece. Where runs and threads do not divide
/// one another, a run has lanes of its own (`shares`), and some threads idle. Where too many would, thread t moves
/// piece `s * Threads + t` in any case.
template <int Runs, int RunBytes, int Width, int Threads, bool may_share_runs = true>
struct PieceMap {
  static constexpr int pieces_per_run = RunBytes / Width;
  static constexpr int pieces = Runs * pieces_per_run;
  static constexpr int fewest_steps = (pieces + Threads - 1) / Threads;
  static constexpr int threads_in_last_step = pieces == 0 ? 0 : pieces - (fewest_steps - 1) * Threads;

  static constexpr int tail_bytes = RunBytes % Width;
  static constexpr int tail_steps = tail_bytes == 0 ? 0 : (Runs + Threads - 1) / Threads;

  static constexpr bool steps_stay_in_run = Runs == 1 || pieces_per_run % Threads == 0;
  static constexpr bool steps_take_whole_runs = pieces_per_run > 0 &&
                                                Threads % (pieces_per_run > 0 ? pieces_per_run : 1) == 0;

  /// Otherwise a run has lanes of its own where that takes at most an eighth more steps. They access at least 64 bytes
  /// together. Trials are in docs/guide/reference/trials.md. Not by cp.async (`may_share_runs`).
  static constexpr RunShares shares = shares_of_runs(Runs, pieces_per_run, Threads, 64 / Width);
  static constexpr bool shares_runs = may_share_runs && !steps_stay_in_run && !steps_take_whole_runs &&
                                      shares.lanes > 0 && 8 * shares.steps(Runs) <= 9 * fewest_steps;
  static constexpr bool is_separable = steps_stay_in_run || steps_take_whole_runs || shares_runs;

  static constexpr int steps = shares_runs ? shares.steps(Runs) : fewest_steps;
  /// Threads that have a piece in some step: the first ones.
  static constexpr int busy_threads = shares_runs ? shares.lanes * shares.runs_at_once : Threads;
  /// Whether the busy ones among the lanes of a run have a piece in each of its steps, and whether all runs that move
  /// at a time are there in each.
  static constexpr bool all_lanes_last = shares.lanes * shares.steps_per_run == pieces_per_run;
  static constexpr bool all_runs_last = !shares_runs || Runs % (shares_runs ? shares.runs_at_once : 1) == 0;
  /// Whether all threads have a piece in each step.
  static constexpr bool is_even =
      shares_runs ? busy_threads == Threads && all_lanes_last && all_runs_last : threads_in_last_step == Threads;

  /// At most `most` steps that move together: those of whole runs where lanes share them, so that each round is like
  /// the first. With parts of runs a halo of 40 rows of 34 pieces took 96 registers, and spilled, instead of 80.
  [[nodiscard]] static consteval int steps_together(int most) noexcept {
    const int of_a_run = shares_runs && steps > most && shares.steps_per_run < most ? shares.steps_per_run : 1;
    return steps < most ? steps : most - most % of_a_run;
  }

  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool has_piece(int thread, int step) noexcept {
    if constexpr (shares_runs) {
      return (busy_threads == Threads || thread < busy_threads) && is_in_run(thread, step) && has_run(thread, step);
    } else {
      return step + 1 < steps || (step + 1 == steps && thread < threads_in_last_step);
    }
  }

  /// A step in which a thread has a piece: this one, or one before.
  /// @pre shares_runs, thread < busy_threads
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int step_or_earlier(int thread, int step) noexcept {
    const int of_a_run = has_run(thread, step) ? step : step - shares.steps_per_run;
    return is_in_run(thread, of_a_run) ? of_a_run : of_a_run - 1;
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
    } else if constexpr (shares_runs) {
      return {thread / shares.lanes, thread % shares.lanes * Width};
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
    } else if constexpr (shares_runs) {
      return {step / shares.steps_per_run * shares.runs_at_once, step % shares.steps_per_run * shares.lanes * Width};
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

 private:
  /// Of a thread and a step that share runs: whether the piece is within a run, and whether the run is within the tile.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool is_in_run(int thread, int step) noexcept {
    return all_lanes_last || thread % shares.lanes + step % shares.steps_per_run * shares.lanes < pieces_per_run;
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool has_run(int thread, int step) noexcept {
    return all_runs_last || thread / shares.lanes + step / shares.steps_per_run * shares.runs_at_once < Runs;
  }
};

}  // namespace dma::inline v0_1::detail
