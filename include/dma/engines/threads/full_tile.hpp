#pragma once

#include <dma/config.hpp>
#include <dma/engines/threads/partition.hpp>
#include <dma/engines/threads/tail.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/word.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/unrolled.hpp>

namespace dma::inline v0_1::detail {

/// One thread's part of a full tile, or its first `Most` accesses, in registers between its reads and its writes. A
/// copy direction makes the accesses.
///
/// Of an indexed pattern it also keeps where the pieces go, so that a write reads no index again.
template <class Pattern, int Threads, int Width, int Most>
class HeldTile {
  using Partition = FullTilePartition<Pattern, Threads, Width>;

 public:
  static constexpr int steps =
      Partition::steps < Most ? Partition::steps : Most;  ///< accesses of a thread that it holds

  /// Whether it holds the whole tile: runs of one length without tails, at most `Most` accesses a thread.
  [[nodiscard]] static consteval bool holds_all() {
    return !IndexedPattern<Pattern> && steps > 0 && Partition::steps <= Most && Partition::tail_steps == 0;
  }

  template <class Direction>
  DMA_HOST_DEVICE void read(const Pattern& pattern, const Direction& direction, int thread) {
    if constexpr (idle_threads_read_too) {
      const Partition partition(pattern, thread < Partition::threads_of_one_piece ? thread : 0);
      words_[0] = partition.begin(direction).template read<Width>(partition.piece(0));
      return;
    }
    const Partition partition(pattern, thread);
    const Direction own = partition.begin(direction);
    for_each_piece(partition, [&](auto step) {
      const Run piece = partition.piece(step);
      words_[step] = own.template read<Width>(piece);
      if constexpr (IndexedPattern<Pattern>) {
        places_[step] = piece.shared;
      }
    });
  }
  template <class Direction>
  DMA_HOST_DEVICE void write(const Pattern& pattern, const Direction& direction, int thread) const {
    const Partition partition(pattern, thread);
    if constexpr (IndexedPattern<Pattern>) {
      for_each_piece(partition, [&](auto step) {
        direction.template write<Width>(Run{0, places_[step], Width}, words_[step]);
      });
    } else {
      const Direction own = partition.begin(direction);
      for_each_piece(partition, [&](auto step) { own.template write<Width>(partition.piece(step), words_[step]); });
    }
  }

 private:
  /// Of a tile with fewer pieces than threads the others read the first one, and do not write it: a branch would keep
  /// the reads of a loop's next tiles behind a barrier.
  static constexpr bool idle_threads_read_too = Partition::threads_of_one_piece != 0 && Partition::has_own_base;

  template <class Body>
  DMA_HOST_DEVICE static void for_each_piece(const Partition& partition, const Body& body) {
    unrolled<steps>([&](auto step) {
      if (partition.has_piece(step)) {
        body(step);
      }
    });
    if constexpr (Partition::lanes_diverge) {
      machine::sync_warp();
    }
  }

  machine::Word<Width> words_[steps > 0 ? steps : 1];
  int places_[IndexedPattern<Pattern> && steps > 0 ? steps : 1];
};

/// The full tile: which thread moves which piece is a constant.
///
/// @tparam Width  bytes of an access
/// @tparam Loads  accesses that a thread issues before it waits for the first
template <class Pattern, int Threads, int Width, int Loads, class Direction>
struct FullTile {
  using Partition = FullTilePartition<Pattern, Threads, Width>;

  static constexpr int first_round = Partition::steps_together(Loads);
  static constexpr int full_rounds = first_round == 0 ? 0 : Partition::steps / first_round;
  static constexpr int last_round = first_round == 0 ? 0 : Partition::steps % first_round;

  /// All tails are read with the first pieces where they are few.
  static constexpr int tail_steps = Partition::tail_steps;
  static constexpr int few_tails = 2;
  static constexpr int tails_in_first_round = first_round + tail_steps <= Loads + few_tails ? tail_steps : 0;
  static constexpr int tail_round = tail_steps < Loads ? tail_steps : Loads;

  /// Whether lanes may be apart after the last round: some have no tail, or repeat a piece and do not write it.
  static constexpr bool lanes_may_diverge = tail_steps != 0 || Partition::repeats_pieces;

  template <class Between>
  DMA_HOST_DEVICE static void move(const Pattern& pattern, const Direction& direction, int thread,
                                   const Between& between) {
    const Partition partition(pattern, thread);
    const Direction own = partition.begin(direction);
    if constexpr (tails_in_first_round != 0) {
      move_tails_around<tails_in_first_round>(partition, 0, direction,
                                              [&] { move_round<first_round>(partition, 0, own, between); });
    } else {
      move_round<first_round>(partition, 0, own, between);
    }
    move_later_rounds(partition, own);
    if constexpr (tails_in_first_round != tail_steps) {
      move_all_tails(partition, direction);
    }
    if constexpr (lanes_may_diverge) {
      machine::sync_warp();
    }
  }

  /// What the first round leaves without tails: the later rounds and all tails.
  DMA_HOST_DEVICE static void move_rest(const Pattern& pattern, const Direction& direction, int thread) {
    if constexpr (full_rounds > 1 || last_round != 0 || tail_steps != 0) {
      const Partition partition(pattern, thread);
      move_later_rounds(partition, partition.begin(direction));
      if constexpr (tail_steps != 0) {
        move_all_tails(partition, direction);
      }
      if constexpr (lanes_may_diverge) {
        machine::sync_warp();
      }
    }
  }

 private:
  DMA_HOST_DEVICE static void move_later_rounds(const Partition& partition, const Direction& own) {
    for (int round = 1; round < full_rounds; ++round) {
      move_round<first_round>(partition, round * first_round, own, [] {});
    }
    if constexpr (last_round != 0) {
      move_round<last_round>(partition, full_rounds * first_round, own, [] {});
    }
  }
  DMA_HOST_DEVICE static void move_all_tails(const Partition& partition, const Direction& direction) {
    for (int step = 0; step < tail_steps; step += tail_round) {
      move_tails_around<tail_round>(partition, step, direction, [] {});
    }
  }

  /// Reads `Steps` pieces, calls `between`, writes them. A thread without a piece in a step reads and writes another
  /// once more where it may: a branch would keep the assembler from moving the next round's reads ahead of the
  /// writes. Where lanes diverge only to write, the tile's end brings them together.
  template <int Steps, class Between>
  DMA_HOST_DEVICE static void move_round(const Partition& partition, int first_step, const Direction& direction,
                                         const Between& between) {
    constexpr bool repeats = Partition::repeats_pieces;
    const PieceAddresses<Partition, Steps, IndexedPattern<Pattern>, repeats> addresses(partition, first_step);
    machine::Word<Width> held[Steps > 0 ? Steps : 1] = {};
    unrolled<Steps>([&](auto step) {
      if (repeats || partition.has_piece(first_step + step)) {
        held[step] = direction.template read<Width>(addresses.at(step));
      }
    });
    bring_lanes_together();
    between();
    unrolled<Steps>([&](auto step) {
      const bool has_piece = partition.has_piece(first_step + step);
      if constexpr (repeats && Direction::can_write_twice) {
        direction.template write_once<Width>(has_piece, addresses.at(step), held[step]);
      } else if (has_piece) {
        direction.template write<Width>(addresses.at(step), held[step]);
      }
    });
    bring_lanes_together();
  }

  /// Reads `Steps` tails, calls `between`, writes them. A thread without a tail reads another's: a branch, or lanes
  /// brought together after it, would keep the assembler from moving the next round's reads ahead of the writes.
  template <int Steps, class Between>
  DMA_HOST_DEVICE static void move_tails_around(const Partition& partition, int first_step, const Direction& direction,
                                                const Between& between) {
    Run tails[Steps] = {};
    HeldTail<Width> held[Steps];
    unrolled<Steps>([&](auto step) {
      tails[step] = partition.tail_or_last(first_step + step);
      held[step].read(tails[step], direction);
    });
    between();
    unrolled<Steps>([&](auto step) {
      if (partition.has_tail(first_step + step)) {
        held[step].write(tails[step], direction);
      }
    });
  }

  DMA_HOST_DEVICE static void bring_lanes_together() {
    if constexpr (!Partition::is_even && !Partition::repeats_pieces) {
      machine::sync_warp();
    }
  }
};

}  // namespace dma::inline v0_1::detail
