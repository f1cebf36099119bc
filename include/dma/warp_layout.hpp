#pragma once

#include <dma/config.hpp>

namespace dma {

inline constexpr int warp_size = 32;
inline constexpr int max_cta_threads = 1024;
inline constexpr int hardware_barriers = 15;  ///< that a CTA has beside the one of `__syncthreads`

/// The compute warps of a CTA: they wait for tiles and compute on them.
template <int Warps>
struct Compute {
  static_assert(Warps > 0, "dma::Compute: a CTA needs at least one compute warp");
};

/// One group of DMA warps: they move tiles, together, and do nothing else.
template <int Warps>
struct Dma {
  static_assert(Warps > 0,
                "dma::Dma: a DMA group needs at least one warp; leave the group out for a CTA without DMA warps");
};

template <class ComputeWarps, class... DmaGroups>
struct WarpLayout {
  static_assert(sizeof(ComputeWarps) == 0,
                "dma::WarpLayout: compute warps come first, then one DMA group after another; "
                "write WarpLayout<Compute<4>, Dma<1>, ...>");
};

/// Who does what in a CTA: compute warps first, then one DMA group after another.
///
/// `WarpLayout<Compute<4>, Dma<1>, Dma<2>>` is 7 warps: 0 to 3 compute, 4 is DMA group 0, 5 and 6 are DMA group 1. A
/// layout without `Dma` is a CTA that is not specialized: every warp both moves and computes.
///
/// Every count that a kernel, a barrier or a launch needs follows from here.
///
/// Source  SC'11, section 3.1: dmaID, num_dma_threads, num_compute_threads and dma_threadIdx_start, derived
template <int ComputeWarps, int... DmaWarps>
struct WarpLayout<Compute<ComputeWarps>, Dma<DmaWarps>...> {
  static constexpr int compute_warps = ComputeWarps;
  static constexpr int dma_warps = (0 + ... + DmaWarps);
  static constexpr int warps = compute_warps + dma_warps;
  static constexpr int groups = sizeof...(DmaWarps);
  static constexpr bool is_specialized = groups > 0;

  static constexpr int compute_threads = compute_warps * warp_size;
  static constexpr int threads = warps * warp_size;  ///< for `__launch_bounds__`

  static_assert(threads <= max_cta_threads,
                "dma::WarpLayout: a CTA has at most 32 warps; use fewer compute or DMA warps");

  /// The DMA group that `warp` belongs to, -1 for a compute warp.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int group_of_warp([[maybe_unused]] int warp) noexcept {
    int group = -1;
    [[maybe_unused]] int first = compute_warps;
    ((group += warp >= first ? 1 : 0, first += DmaWarps), ...);
    return group;
  }

  /// Warps in DMA group `group`, 0 where the layout has no such group.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int group_warps([[maybe_unused]] int group) noexcept {
    int warps_found = 0;
    [[maybe_unused]] int index = 0;
    ((warps_found += index++ == group ? DmaWarps : 0), ...);
    return warps_found;
  }

  /// First warp of DMA group `group`.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int group_first_warp([[maybe_unused]] int group) noexcept {
    int first = compute_warps;
    [[maybe_unused]] int index = 0;
    ((first += index++ < group ? DmaWarps : 0), ...);
    return first;
  }
};

}  // namespace dma
