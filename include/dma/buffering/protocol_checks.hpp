#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>

namespace dma {

template <int Stages, bool AreChecked = machine::checks_contracts>
class ProtocolChecks;

/// Nothing, in a kernel that is not checked.
template <int Stages>
class ProtocolChecks<Stages, false> {
 public:
  DMA_HOST_DEVICE void take(int) {}
  DMA_HOST_DEVICE void release(int) {}
  DMA_HOST_DEVICE void close() const {}
  DMA_HOST_DEVICE void load_or_store(int) const {}
  DMA_HOST_DEVICE void wait_to_move() {}
  DMA_HOST_DEVICE void copy() const {}
  DMA_HOST_DEVICE void signal() {}
};

/// What a thread has done with a pipeline's slots, so that a call out of its turn is reported where it is made, and not
/// by somebody who then waits in vain.
///
/// Slots from the 65th on are not watched.
template <int Stages>
class ProtocolChecks<Stages, true> {
 public:
  // The compute side: a slot is held between its wait and its giving back.

  DMA_HOST_DEVICE void take(int stage) {
    DMA_EXPECTS(!holds(stage),
                "dma::ComputeHandle: a thread waits for a slot that it holds, which nobody can move before it is given "
                "back; give a slot back first (release(), signal_empty(), signal_full()), or use more stages");
    held_ |= bit(stage);
  }
  DMA_HOST_DEVICE void release(int stage) {
    DMA_EXPECTS(holds(stage) || bit(stage) == 0,
                "dma::ComputeHandle: a slot is given back that was not waited for, or twice; call signal_empty() or "
                "signal_full() once after each wait");
    held_ &= ~bit(stage);
  }
  DMA_HOST_DEVICE void close() const {
    DMA_EXPECTS(held_ == 0, "dma::DmaPipeline: close() while this thread holds a slot; give the slot back first");
  }

  // The DMA side: a slot is waited for, moved and signalled, in one call or in three.

  DMA_HOST_DEVICE void load_or_store(int stage) const {
    DMA_EXPECTS(!holds(stage),
                "dma::DmaHandle: a thread moves a tile into or out of a slot that it still holds; release the slot "
                "first");
  }
  DMA_HOST_DEVICE void wait_to_move() { may_move_ = true; }
  DMA_HOST_DEVICE void copy() const {
    DMA_EXPECTS(may_move_,
                "dma::DmaHandle: copy() into or out of a slot that was not waited for; call wait_until_empty(), or "
                "wait_until_full() in a pipeline that stores, before it");
  }
  DMA_HOST_DEVICE void signal() {
    DMA_EXPECTS(may_move_,
                "dma::DmaHandle: a slot is signalled that was not waited for, or twice; call signal_full() or "
                "signal_empty() once after each wait");
    may_move_ = false;
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE static constexpr unsigned long long bit(int stage) noexcept {
    return stage < 64 ? 1ULL << stage : 0;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool holds(int stage) const noexcept { return (held_ & bit(stage)) != 0; }

  unsigned long long held_ = 0;
  bool may_move_ = false;
};

}  // namespace dma
