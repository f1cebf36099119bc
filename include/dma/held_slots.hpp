#pragma once

#include <dma/config.hpp>
#include <dma/sync/machine.hpp>

namespace dma {

/// Which of a pipeline's slots a compute thread holds, between its wait and its giving back, so that a call out of turn
/// is reported where it is made and not by the other side's wait. A kernel that is not checked keeps nothing.
///
/// Slots from the 65th on are not watched.
template <int Stages>
class HeldSlots {
 public:
  DMA_HOST_DEVICE void take(int stage) {
    if constexpr (machine::is_checked) {
      DMA_EXPECTS(!has(stage),
                  "dma::ComputeHandle: a thread waits for a slot that it holds, which nobody can move before it is "
                  "given back; give a slot back first (release(), signal_empty(), signal_full()), or use more stages");
      bits_ |= bit(stage);
    }
  }
  DMA_HOST_DEVICE void give_back(int stage) {
    if constexpr (machine::is_checked) {
      DMA_EXPECTS(has(stage) || bit(stage) == 0,
                  "dma::ComputeHandle: a slot is given back that was not waited for, or twice; call signal_empty() or "
                  "signal_full() once after each wait");
      bits_ &= ~bit(stage);
    }
  }
  DMA_HOST_DEVICE void expect_none() const {
    if constexpr (machine::is_checked) {
      DMA_EXPECTS(bits_ == 0, "dma::DmaPipeline: close() while this thread holds a slot; give the slot back first");
    }
  }
  DMA_HOST_DEVICE void expect_free(int stage) const {
    if constexpr (machine::is_checked) {
      DMA_EXPECTS(!has(stage),
                  "dma::DmaHandle: a thread moves a tile into or out of a slot that it still holds; release the slot "
                  "first");
    }
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE static constexpr unsigned long long bit(int stage) noexcept {
    return stage < 64 ? 1ULL << stage : 0;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool has(int stage) const noexcept { return (bits_ & bit(stage)) != 0; }

  unsigned long long bits_ = 0;
};

}  // namespace dma
