#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>
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
  DMA_HOST_DEVICE void wait_until_full() const { ring.template await_done<Lanes::converged>(ring.store_cursor()); }
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

// Where a tile is in global memory: an address, or what an engine takes instead, as a tensor map.

/// Whether an address is a multiple of what the pattern asks for. Anything else is.
template <class Pattern, class Global>
[[nodiscard]] DMA_HOST_DEVICE bool is_aligned_for([[maybe_unused]] const Global& global) {
  if constexpr (stdlib::is_pointer_v<Global>) {
    return reinterpret_cast<unsigned long long>(global) % source_alignment_of<Pattern>() == 0;
  } else {
    return true;
  }
}
/// Whether a tile may be moved from or to this address, as far as it shows.
template <class Pattern, class Global>
[[nodiscard]] DMA_HOST_DEVICE bool is_movable([[maybe_unused]] const Global& global,
                                              [[maybe_unused]] const Pattern& pattern) {
  if constexpr (stdlib::is_pointer_v<Global>) {
    return is_aligned_for<Pattern>(global) && (pattern.run_count() == 0 || machine::is_global(global));
  } else {
    return true;
  }
}
/// States the precondition of a transfer: `is_movable(global, pattern)`.
template <class Pattern, class Global>
DMA_HOST_DEVICE void expect_movable([[maybe_unused]] const Global& global, [[maybe_unused]] const Pattern& pattern) {
  if constexpr (stdlib::is_pointer_v<Global>) {
    DMA_EXPECTS(is_movable(global, pattern),
                !is_aligned_for<Pattern>(global)
                    ? "dma::DmaHandle: the global address is not a multiple of the pattern's "
                      "run_alignment; align it, or give the pattern a smaller alignment"
                    : "dma::DmaHandle: the global address is null, or not in global memory; pass one "
                      "of memory that cudaMalloc or its like allocated",
                "address", global, "run_alignment", source_alignment_of<Pattern>());
  }
}

/// An address as bytes; a map unchanged.
template <bool stores, class Global>
[[nodiscard]] DMA_HOST_DEVICE decltype(auto) as_engine_takes_it(const Global& global) {
  if constexpr (stdlib::is_pointer_v<Global>) {
    using Byte = stdlib::conditional_t<stores, unsigned char, const unsigned char>;
    return reinterpret_cast<Byte*>(global);
  } else {
    return (global);
  }
}

}  // namespace dma::inline v0_1::detail
