#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/run.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/unrolled.hpp>

namespace dma {

/// Positions and lengths of the runs are read from memory.
template <class Pattern>
concept ReadsRunLengths = IndexedPattern<Pattern> && !UniformPattern<Pattern>;

/// The lanes of a warp that move one run together: neighbours, so that their accesses are.
struct LanesOfRun {
  int lane;   ///< of this thread among them
  int count;  ///< of them: a power of two
};

/// How many lanes move a run together, as a power of two, of `runs` runs with `pieces` accesses in all: half as many as
/// a run of mean length has accesses, and 4 to 32. A lane then has two or three accesses of a short run, and the lanes
/// that a run does not need move others.
[[nodiscard]] DMA_HOST_DEVICE constexpr int log2_lanes_of_run(int pieces, int runs) noexcept {
  constexpr int fewest = 2;
  constexpr int most = 5;
  int lanes = fewest;
  while (lanes < most && pieces > (2 * runs) << lanes) {
    ++lanes;
  }
  return lanes;
}

/// The runs that one warp of a group moves, every `Threads / 32`-th, of a pattern that reads their lengths from memory,
/// in accesses of `Width` bytes.
///
/// On a GPU each lane reads one of the warp's next 32 runs, so that these reads are in flight together. The first 32
/// are read when this is constructed: before the wait for the slot.
template <class Pattern, int Threads, int Width>
class WarpRuns {
 public:
  DMA_HOST_DEVICE WarpRuns(const Pattern& pattern, int thread)
      : pattern_(pattern), first_(thread / warp_size), lane_(thread % warp_size) {
    look_up(first_);
  }

  /// Calls `body(runs, lanes)` for `Count` runs of each lane after another, at most 4, where `lanes` are those that
  /// move them together. Behind the last run they have no bytes. Collective over the warp.
  template <int Count, class Body>
  DMA_HOST_DEVICE void for_each_few(const Body& body) {
    const int count = pattern_.run_count();
    for (int first = first_; first < count; first += Threads) {
      const int log2_lanes = log2_lanes_from(first);
      const int lanes = 1 << log2_lanes;
      const int at_once = warp_size >> log2_lanes;
      const int own = lane_ >> log2_lanes;
      for (int i = 0; i < warp_size && first + i * warps < count; i += Count * at_once) {
        Run runs[Count];
        unrolled<Count>([&](auto k) { runs[k] = run_of(first, i + k * at_once + own); });
        body(runs, LanesOfRun{lane_ & (lanes - 1), lanes});
      }
      look_up(first + Threads);
    }
  }

 private:
  static constexpr int warps = Threads / warp_size;

  DMA_HOST_DEVICE void look_up([[maybe_unused]] int first) {
    if constexpr (machine::reads_take_time) {
      const int run = first + lane_ * warps;
      own_ = run < pattern_.run_count() ? pattern_.run_at(run) : Run{};
    }
  }
  [[nodiscard]] DMA_HOST_DEVICE int log2_lanes_from([[maybe_unused]] int first) const {
    if constexpr (machine::reads_take_time) {
      const int behind = (pattern_.run_count() - first + warps - 1) / warps;
      int pieces = own_.bytes / Width;
      for (int distance = warp_size / 2; distance > 0; distance /= 2) {
        pieces += machine::shuffle(pieces, lane_ ^ distance);
      }
      return log2_lanes_of_run(pieces, behind < warp_size ? behind : warp_size);
    } else {
      return log2_lanes_of_run(Pattern::max_run_bytes / 2 / Width, 1);  // what runs of all lengths have in the mean
    }
  }
  [[nodiscard]] DMA_HOST_DEVICE Run run_of(int first, int i) const {
    if constexpr (machine::reads_take_time) {
      return {machine::shuffle(own_.global, i), machine::shuffle(own_.shared, i), machine::shuffle(own_.bytes, i)};
    } else {
      const int run = first + i * warps;
      return i < warp_size && run < pattern_.run_count() ? pattern_.run_at(run) : Run{};
    }
  }

  const Pattern& pattern_;
  int first_;
  int lane_;
  Run own_ = {};
};

}  // namespace dma
