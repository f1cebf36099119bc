#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/pipeline/cursor.hpp>
#include <dma/standard.hpp>
#include <dma/sync/barrier.hpp>
#include <dma/sync/barrier_ids.hpp>
#include <dma/sync/cuda_barrier.hpp>
#include <dma/thresholds.hpp>

namespace dma::inline v0_1::detail {

/// Whether `ctas` CTAs on `sms` SMs, each with `tiles` bulk copies of `tile_bytes` in flight, slow the SMs' copy
/// engines down.
[[nodiscard]] DMA_HOST_DEVICE constexpr bool are_too_many_copies(int ctas, int sms, int tiles, int tile_bytes,
                                                                 Thresholds by) noexcept {
  const int most =
      tile_bytes >= by.long_copy && ctas > by.many_ctas * sms ? by.most_copies_of_many_ctas : by.most_copies;
  return tile_bytes >= by.shortest_limited_copy && ctas * tiles > most * sms;
}

/// How many tiles of a DMA group are in flight at a time, where many CTAs share an SM: a DMA warp waits until an
/// earlier tile has landed before it copies the next, which orders nothing. There is no limit over a barrier of another
/// kind than `CudaBarrier`, whose generations may not be phases.
template <class Ring, class Sync, Completion completion>
class CopyLimit {
  static constexpr int ctas_that_fit = detail::ctas_that_fit(Ring::Layout::threads, Ring::stages* Ring::slot_bytes);
  static constexpr int tiles_a_set = Ring::stages / Ring::warp_sets;
  static constexpr bool may_be_reached = completion == Completion::mbarrier_complete_tx &&
                                         stdlib::is_same_v<typename Sync::State, CudaBarrier::State> &&
                                         tiles_a_set > 1 &&
                                         are_too_many_copies(ctas_that_fit, 1, Ring::stages, Ring::slot_bytes,
                                                             Ring::thresholds);

 public:
  DMA_HOST_DEVICE CopyLimit() {
    if constexpr (may_be_reached) {
      // Here, since device code has no address of a static member of a class type.
      constexpr Thresholds by = Ring::thresholds;
      const int sms = machine::sm_count();
      const auto blocks = machine::blocks();
      const long long grid = 1LL * blocks.x * blocks.y * blocks.z;
      const int ctas = grid < ctas_that_fit * sms ? static_cast<int>(grid) : ctas_that_fit * sms;
      while (tiles_ > 1 && are_too_many_copies(ctas, sms, tiles_ * Ring::warp_sets, Ring::slot_bytes, by)) {
        --tiles_;
      }
    }
  }

  /// Before the copy of the tile at the ring's cursor.
  DMA_HOST_DEVICE void await_earlier_tile(const Ring& ring) const {
    if constexpr (may_be_reached) {
      if (tiles_ < tiles_a_set) [[unlikely]] {
        const Cursor& cursor = ring.dma_cursor();
        const int tiles = tiles_ * Ring::warp_sets;
        if (cursor.follows(tiles)) {
          const Cursor earlier = cursor.before(Ring::stages, tiles);
          machine::await_landing(ring.full_state(earlier.stage), earlier.parity);
        }
      }
    }
  }

 private:
  int tiles_ = tiles_a_set;
};

}  // namespace dma::inline v0_1::detail
