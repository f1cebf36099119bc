#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/sync/barrier.hpp>

/// The slots that a pipeline passes to an engine (`MovableSlot`).
namespace dma::inline v0_1::detail {

/// A slot that the engine waits for itself, so that it can issue reads before the wait where that helps.
template <class Ring, class Window>
struct PendingSlot {
  Ring& ring;
  Window& window;

  [[nodiscard]] DMA_HOST_DEVICE unsigned char* data() const { return ring.tile(ring.dma_cursor().stage); }
  [[nodiscard]] DMA_HOST_DEVICE unsigned char* data_per_lane() const {
    return ring.tile(machine::per_lane(ring.dma_cursor().stage));
  }
  [[nodiscard]] DMA_HOST_DEVICE void* full_barrier() const { return ring.full_state(ring.dma_cursor().stage); }
  DMA_HOST_DEVICE void wait_until_empty() const {
    if constexpr (Ring::is_update) {
      window.await_stored(ring);
    } else {
      ring.template await_empty<Lanes::converged>(ring.dma_cursor());
    }
  }
  DMA_HOST_DEVICE void wait_until_full() const {
    window.finish_unless_full(ring);
    ring.template await_full<Lanes::converged>(ring.dma_cursor());
  }
};

/// The slot that an update stores next, for which the engine waits.
template <class Ring>
struct UpdatedSlot {
  Ring& ring;

  [[nodiscard]] DMA_HOST_DEVICE unsigned char* data() const { return ring.tile(ring.store_cursor().stage); }
  [[nodiscard]] DMA_HOST_DEVICE unsigned char* data_per_lane() const {
    return ring.tile(machine::per_lane(ring.store_cursor().stage));
  }
  [[nodiscard]] DMA_HOST_DEVICE void* full_barrier() const { return ring.full_state(ring.store_cursor().stage); }
  DMA_HOST_DEVICE void wait_until_empty() const {}
  DMA_HOST_DEVICE void wait_until_full() const { ring.template await_done<Lanes::converged>(); }
};

/// A slot that the caller has waited for: `copy` of the explicit protocol.
template <class Ring>
struct AcquiredSlot {
  const Ring& ring;
  int stage;

  [[nodiscard]] DMA_HOST_DEVICE unsigned char* data() const { return ring.tile(stage); }
  [[nodiscard]] DMA_HOST_DEVICE unsigned char* data_per_lane() const { return ring.tile(machine::per_lane(stage)); }
  [[nodiscard]] DMA_HOST_DEVICE void* full_barrier() const { return ring.full_state(stage); }
  DMA_HOST_DEVICE void wait_until_empty() const {}
  DMA_HOST_DEVICE void wait_until_full() const {}
};

}  // namespace dma::v0_1::detail
