#pragma once

#include <dma/config.hpp>
#include <dma/engines/threads/piece_map.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>
#include <dma/unrolled.hpp>

namespace dma::inline v0_1::detail {

/// The pieces of `Width` bytes that one thread of a DMA group moves of a full tile. Where lanes and steps are separable
/// and the pattern has pitches, an address is the thread's own base plus a constant for each step.
template <class Pattern, int Threads, int Width, bool may_share_runs = true>
class FullTilePartition {
 public:
  using Map = PieceMap<Pattern::max_run_count, Pattern::max_run_bytes, Width, Threads, may_share_runs>;

  static constexpr int steps = Map::steps;
  static constexpr int tail_steps = Map::tail_steps;
  /// Whether all lanes have equally many pieces, so that they never diverge.
  static constexpr bool is_even = Map::is_even;
  /// Whether lanes of a warp diverge nevertheless: not where whole warps have a piece less.
  static constexpr bool lanes_diverge = !is_even && (Map::shares_runs || Map::threads_in_last_step % 32 != 0);
  /// Of a tile with fewer pieces than threads: how many have one. 0 of all others.
  static constexpr int threads_of_one_piece =
      steps == 1 && tail_steps == 0 && !is_even && !Map::shares_runs ? Map::threads_in_last_step : 0;

  /// At most `most` steps that move together.
  [[nodiscard]] static consteval int steps_together(int most) noexcept { return Map::steps_together(most); }

  static constexpr bool has_own_base = Map::is_separable && AffinePattern<Pattern>;
  /// Whether a thread without a piece in a step may read another one, `repeated_piece`, and write it once more.
  static constexpr bool repeats_pieces = !is_even && (Map::shares_runs || (!Map::is_separable && tail_steps != 0));

  DMA_HOST_DEVICE FullTilePartition(const Pattern& pattern, int thread)
      : pattern_(pattern), first_(pattern.run_at(0)), thread_(thread) {}

  /// Only the last step of a tile that the threads do not divide needs a test.
  [[nodiscard]] DMA_HOST_DEVICE bool has_piece(int step) const {
    if constexpr (is_even) {
      return true;
    } else {
      return Map::has_piece(thread_, step);
    }
  }

  /// The direction with both addresses moved to where this thread begins: computed once a tile, so that its pieces are
  /// constants from there and no address is kept for each.
  template <class Direction>
  [[nodiscard]] DMA_HOST_DEVICE Direction begin(const Direction& direction) const {
    if constexpr (has_own_base) {
      const Piece lane = Map::lane_part(busy_thread());
      return {direction.global + (first_.global + lane.run * pattern_.global_pitch_bytes() + lane.offset),
              direction.shared + (first_.shared + lane.run * pattern_.shared_pitch_bytes + lane.offset)};
    } else {
      return direction;
    }
  }
  /// The piece of a step, relative to what `begin` returns.
  [[nodiscard]] DMA_HOST_DEVICE Run piece(int step) const { return piece_of(thread_, step); }
  /// The same, and another thread's or an earlier one for a thread that has none.
  /// @pre repeats_pieces
  [[nodiscard]] DMA_HOST_DEVICE Run repeated_piece(int step) const {
    if constexpr (Map::shares_runs) {
      return piece_of(busy_thread(), Map::step_or_earlier(busy_thread(), step));
    } else {
      return piece_of(Map::has_piece(thread_, step) ? thread_ : Map::threads_in_last_step - 1, step);
    }
  }

  [[nodiscard]] DMA_HOST_DEVICE bool has_tail(int step) const { return Map::has_tail(thread_, step); }
  /// The tail of a tail step, relative to the tile.
  [[nodiscard]] DMA_HOST_DEVICE Run tail(int step) const { return tail_of_run(Map::tail(thread_, step).run); }
  /// The same, and the tail of the last run for a thread that has none.
  [[nodiscard]] DMA_HOST_DEVICE Run tail_or_last(int step) const {
    const int run = Map::tail(thread_, step).run;
    return tail_of_run(run < Pattern::max_run_count ? run : Pattern::max_run_count - 1);
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE Run piece_of(int thread, int step) const {
    if constexpr (has_own_base) {
      const Piece moved = Map::step_part(step);
      return {moved.run * pattern_.global_pitch_bytes() + moved.offset,
              moved.run * pattern_.shared_pitch_bytes + moved.offset, Width};
    } else {
      const Piece place = Map::at(thread, step);
      const Run run = pattern_.run_at(place.run);
      return {run.global + place.offset, run.shared + place.offset, Width};
    }
  }
  [[nodiscard]] DMA_HOST_DEVICE int busy_thread() const {
    return Map::busy_threads == Threads || thread_ < Map::busy_threads ? thread_ : Map::busy_threads - 1;
  }
  [[nodiscard]] DMA_HOST_DEVICE Run tail_of_run(int index) const {
    const Run run = Pattern::max_run_count == 1 ? first_ : pattern_.run_at(index);
    constexpr int bytes = Map::tail_bytes;
    return {run.global + (Pattern::max_run_bytes - bytes), run.shared + (Pattern::max_run_bytes - bytes), bytes};
  }

  const Pattern& pattern_;
  Run first_;
  int thread_;
};

/// The positions of `Steps` pieces from a step on, repeated ones if `repeats`: all read at once where that reads
/// memory, otherwise computed when needed.
template <class Partition, int Steps, bool looks_up, bool repeats = false>
class PieceAddresses {
 public:
  DMA_HOST_DEVICE PieceAddresses(const Partition& partition, int first_step)
      : partition_(partition), first_step_(first_step) {}
  template <int Step>
  [[nodiscard]] DMA_HOST_DEVICE Run at(Constant<Step>) const {
    if constexpr (repeats) {
      return partition_.repeated_piece(first_step_ + Step);
    } else {
      return partition_.piece(first_step_ + Step);
    }
  }

 private:
  const Partition& partition_;
  int first_step_;
};
template <class Partition, int Steps, bool repeats>
class PieceAddresses<Partition, Steps, true, repeats> {
 public:
  DMA_HOST_DEVICE PieceAddresses(const Partition& partition, int first_step) {
    unrolled<Steps>([&](auto step) {
      if constexpr (repeats) {
        addresses_[step] = partition.repeated_piece(first_step + step);
      } else if (partition.has_piece(first_step + step)) {
        addresses_[step] = partition.piece(first_step + step);
      }
    });
  }
  template <int Step>
  [[nodiscard]] DMA_HOST_DEVICE const Run& at(Constant<Step>) const {
    return addresses_[Step];
  }

 private:
  Run addresses_[Steps > 0 ? Steps : 1] = {};
};

/// `count` runs of equal length from `first` on, of any value of a pattern: the pieces of a thread are computed at run
/// time.
template <class Pattern, int Width>
class PartialTilePartition {
 public:
  DMA_HOST_DEVICE PartialTilePartition(const Pattern& pattern, int first, int count)
      : pattern_(pattern), first_(first), count_(count), bytes_(count == 0 ? 0 : pattern.run_at(first).bytes) {}

  [[nodiscard]] DMA_HOST_DEVICE int pieces() const { return count_ * (bytes_ / Width); }
  [[nodiscard]] DMA_HOST_DEVICE Run piece(int index) const {
    const int pieces_per_run = bytes_ / Width;
    const int run = Pattern::max_run_count == 1 ? 0 : index / pieces_per_run;
    const int offset = (index - run * pieces_per_run) * Width;
    const Run whole = pattern_.run_at(first_ + run);
    return {whole.global + offset, whole.shared + offset, Width};
  }

  /// Bytes of each run that remain after its pieces of `Width`.
  [[nodiscard]] DMA_HOST_DEVICE int tail_bytes() const { return bytes_ % Width; }
  [[nodiscard]] DMA_HOST_DEVICE int bytes() const { return bytes_; }
  [[nodiscard]] DMA_HOST_DEVICE int count() const { return count_; }
  [[nodiscard]] DMA_HOST_DEVICE Run run(int index) const { return pattern_.run_at(first_ + index); }

 private:
  const Pattern& pattern_;
  int first_;
  int count_;
  int bytes_;
};

/// The pieces of one thread of a partial tile, one after another: the thread divides once, not for each piece.
template <int Threads, int Width>
class PieceCursor {
 public:
  /// @pre run_bytes >= Width
  DMA_HOST_DEVICE PieceCursor(int run_bytes, int thread)
      : pieces_per_run_(run_bytes / Width),
        runs_a_step_(Threads / pieces_per_run_),
        pieces_a_step_(Threads - runs_a_step_ * pieces_per_run_),
        run_(thread / pieces_per_run_),
        piece_(thread - run_ * pieces_per_run_) {}

  [[nodiscard]] DMA_HOST_DEVICE int run() const { return run_; }
  [[nodiscard]] DMA_HOST_DEVICE int offset() const { return piece_ * Width; }
  DMA_HOST_DEVICE void advance() {
    run_ += runs_a_step_;
    piece_ += pieces_a_step_;
    if (piece_ >= pieces_per_run_) {
      piece_ -= pieces_per_run_;
      ++run_;
    }
  }

 private:
  int pieces_per_run_;
  int runs_a_step_;
  int pieces_a_step_;
  int run_;
  int piece_;
};

/// Calls `body(partition)` for the runs of a value of a pattern: once where they have one length, otherwise for each
/// run.
template <int Width, class Pattern, class Body>
DMA_HOST_DEVICE void for_each_partial_partition(const Pattern& pattern, const Body& body) {
  if constexpr (UniformPattern<Pattern>) {
    body(PartialTilePartition<Pattern, Width>(pattern, 0, pattern.run_count()));
  } else {
    for (int run = 0; run < pattern.run_count(); ++run) {
      body(PartialTilePartition<Pattern, Width>(pattern, run, 1));
    }
  }
}

}  // namespace dma::inline v0_1::detail
