#pragma once

#include <dma/config.hpp>
#include <dma/engines/threads/tail.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/run.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/unrolled.hpp>

namespace dma {

/// Positions and lengths of the runs are read from memory.
template <class Pattern>
concept ReadsRunLengths = IndexedPattern<Pattern> && !UniformPattern<Pattern>;

/// The runs that one warp of a group moves, every `Threads / 32`-th, of a pattern that reads their lengths from memory.
///
/// On a GPU each lane reads one of the warp's next 32 runs, so that these reads are in flight together. The first 32
/// are read when this is constructed: before the wait for the slot.
template <class Pattern, int Threads>
class WarpRuns {
 public:
  DMA_HOST_DEVICE WarpRuns(const Pattern& pattern, int thread)
      : pattern_(pattern), first_(thread / warp_size), lane_(thread % warp_size) {
    look_up(first_);
  }

  /// Calls `body(run, lane)` for each run, in all lanes. Collective over the warp.
  template <class Body>
  DMA_HOST_DEVICE void for_each(const Body& body) {
    for_each_few<1>([&](const Run(&runs)[1], int lane) { body(runs[0], lane); });
  }
  /// Calls `body(runs, lane)` for `Count` runs after another, which divides 32. Behind the last run they have no bytes.
  template <int Count, class Body>
  DMA_HOST_DEVICE void for_each_few(const Body& body) {
    const int count = pattern_.run_count();
    for (int first = first_; first < count; first += Threads) {
      for (int i = 0; i < warp_size && first + i * warps < count; i += Count) {
        Run runs[Count];
        unrolled<Count>([&](auto k) { runs[k] = run_of(first, i + k); });
        body(runs, lane_);
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
  [[nodiscard]] DMA_HOST_DEVICE Run run_of(int first, int i) const {
    if constexpr (machine::reads_take_time) {
      return {machine::shuffle(own_.global, i), machine::shuffle(own_.shared, i), machine::shuffle(own_.bytes, i)};
    } else {
      const int run = first + i * warps;
      return run < pattern_.run_count() ? pattern_.run_at(run) : Run{};
    }
  }

  const Pattern& pattern_;
  int first_;
  int lane_;
  Run own_ = {};
};

}  // namespace dma
