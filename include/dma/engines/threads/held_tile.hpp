#pragma once

#include <dma/config.hpp>
#include <dma/engines/threads/partition.hpp>
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

}  // namespace dma::v0_1::detail
