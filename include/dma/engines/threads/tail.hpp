#pragma once

#include <dma/config.hpp>
#include <dma/machine/word.hpp>
#include <dma/patterns/transfer_pattern.hpp>

namespace dma::inline v0_1::detail {

/// The tail of a run: its last bytes, fewer than `Width`, after the accesses of `Width`.
template <int Width>
[[nodiscard]] DMA_HOST_DEVICE constexpr Run tail_of(const Run& run) noexcept {
  const int bytes = run.bytes % Width;
  return {run.global + (run.bytes - bytes), run.shared + (run.bytes - bytes), bytes};
}

/// A tail without its first `Width` bytes where it has the access of that width, otherwise the same.
template <int Width>
[[nodiscard]] DMA_HOST_DEVICE constexpr Run after_access(const Run& tail) noexcept {
  const int bytes = tail.bytes & Width;
  return {tail.global + bytes, tail.shared + bytes, tail.bytes - bytes};
}

/// Calls `body(run)` for a thread's runs: `first`, `first + Threads`, ... of `count`, which is at most `MaxRuns`. No
/// loop where a thread has at most one: the compiler would unroll it, for four times the registers.
template <int MaxRuns, int Threads, class Body>
DMA_HOST_DEVICE void for_each_run_of_thread(int first, int count, const Body& body) {
  if constexpr (MaxRuns <= Threads) {
    if (first < count) {
      body(first);
    }
  } else {
    for (int run = first; run < count; run += Threads) {
      body(run);
    }
  }
}

/// A tail of fewer than `Width` bytes in registers: one word of each smaller power of two that it needs.
///
/// `read` and `write` are apart, so that the reads of several tails are in flight together.
template <int Width>
class HeldTail {
 public:
  template <class Direction>
  DMA_HOST_DEVICE void read(const Run& tail, const Direction& direction) {
    if ((tail.bytes & half) != 0) {
      word_ = direction.template read<half>(tail);
    }
    rest_.read(after_access<half>(tail), direction);
  }
  template <class Direction>
  DMA_HOST_DEVICE void write(const Run& tail, const Direction& direction) const {
    if ((tail.bytes & half) != 0) {
      direction.template write<half>(tail, word_);
    }
    rest_.write(after_access<half>(tail), direction);
  }

 private:
  static constexpr int half = Width / 2;

  machine::Word<half> word_ = {};
  HeldTail<half> rest_;
};
template <>
class HeldTail<1> {
 public:
  template <class Direction>
  DMA_HOST_DEVICE void read(const Run&, const Direction&) {}
  template <class Direction>
  DMA_HOST_DEVICE void write(const Run&, const Direction&) const {}
};

}  // namespace dma::inline v0_1::detail
