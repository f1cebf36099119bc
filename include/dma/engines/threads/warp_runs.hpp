#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/unrolled.hpp>

namespace dma::inline v0_1::detail {

/// Positions and lengths of the runs are read from memory.
template <class Pattern>
concept ReadsRunLengths = IndexedPattern<Pattern> && !UniformPattern<Pattern>;

/// How many lanes of a warp move a run together, where runs have up to `most_pieces` accesses: half as many as a run of
/// half that length has, and 4 to 32. A lane then has two or three accesses of such a run, and the lanes that a short
/// run does not need move others.
[[nodiscard]] DMA_HOST_DEVICE constexpr int lanes_of_run(int most_pieces) noexcept {
  int lanes = 4;
  while (lanes < warp_size && most_pieces > 4 * lanes) {
    lanes *= 2;
  }
  return lanes;
}

/// The runs that one warp of a group moves, every `Threads / 32`-th, of a pattern that reads their lengths from memory,
/// in accesses of `Width` bytes.
///
/// Each lane reads one of the warp's next 32 runs, so that these reads are in flight together. The first 32
/// are read when this is constructed: before the wait for the slot.
template <class Pattern, int Threads, int Width>
class WarpRuns {
 public:
  DMA_HOST_DEVICE WarpRuns(const Pattern& pattern, int thread)
      : pattern_(pattern), first_(thread / warp_size), lane_(thread % warp_size) {
    look_up(first_);
  }

  /// Lanes that move a run together: neighbours, as their accesses are.
  static constexpr int lanes = lanes_of_run(Pattern::max_run_bytes / Width);

  /// Calls `body(runs, lane)` for `Count` runs of each lane after another, at most 4, and its rank among those that
  /// move them. Behind the last run they have no bytes. Collective over the warp.
  template <int Count, class Body>
  DMA_HOST_DEVICE void for_each_few(const Body& body) {
    constexpr int at_once = warp_size / lanes;
    const int count = pattern_.run_count();
    const int own = lane_ / lanes;
    for (int first = first_; first < count; first += Threads) {
      for (int i = 0; i < warp_size && first + i * warps < count; i += Count * at_once) {
        Run runs[Count];
        unrolled<Count>([&](auto k) { runs[k] = run_of(i + k * at_once + own); });
        body(runs, lane_ % lanes);
      }
      look_up(first + Threads);
    }
  }

 private:
  static constexpr int warps = Threads / warp_size;

  DMA_HOST_DEVICE void look_up(int first) {
    const int run = first + lane_ * warps;
    own_ = run < pattern_.run_count() ? pattern_.run_at(run) : Run{};
  }
  /// The run that lane `i` has read.
  [[nodiscard]] DMA_HOST_DEVICE Run run_of(int i) const {
    return {machine::shuffle(own_.global, i), machine::shuffle(own_.shared, i), machine::shuffle(own_.bytes, i)};
  }

  const Pattern& pattern_;
  int first_;
  int lane_;
  Run own_ = {};
};

}  // namespace dma::inline v0_1::detail
