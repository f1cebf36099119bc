#pragma once

#include <dma/config.hpp>
#include <dma/engines/threads/partition.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/word.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/unrolled.hpp>

namespace dma {

/// One thread's part of a full tile, in registers between its reads and its writes. A copy direction makes the
/// accesses.
template <class Pattern, int Threads, int Width>
class HeldTile {
  using Partition = FullTilePartition<Pattern, Threads, Width>;

 public:
  static constexpr int steps = Partition::steps;  ///< accesses of a thread

  /// Whether a tile can be held: runs of one length without tails, at most `most` accesses a thread.
  [[nodiscard]] static consteval bool holds(int most) {
    return !IndexedPattern<Pattern> && steps > 0 && steps <= most && Partition::tail_steps == 0;
  }

  template <class Direction>
  DMA_HOST_DEVICE void read(const Pattern& pattern, const Direction& direction, int thread) {
    const Partition partition(pattern, thread);
    const Direction own = partition.begin(direction);
    for_each_piece(partition, [&](auto step) { words_[step] = own.template read<Width>(partition.piece(step)); });
  }
  template <class Direction>
  DMA_HOST_DEVICE void write(const Pattern& pattern, const Direction& direction, int thread) const {
    const Partition partition(pattern, thread);
    const Direction own = partition.begin(direction);
    for_each_piece(partition, [&](auto step) { own.template write<Width>(partition.piece(step), words_[step]); });
  }

 private:
  template <class Body>
  DMA_HOST_DEVICE static void for_each_piece(const Partition& partition, const Body& body) {
    unrolled<steps>([&](auto step) {
      if (partition.has_piece(step)) {
        body(step);
      }
    });
    if constexpr (!Partition::is_even) {
      machine::sync_warp();
    }
  }

  Word<Width> words_[steps > 0 ? steps : 1] = {};
};

}  // namespace dma
