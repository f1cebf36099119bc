#pragma once

#include <dma/config.hpp>
#include <dma/launch/launch_error.hpp>
#include <dma/machine/index3.hpp>
#include <dma/standard.hpp>

#include <cuda_runtime.h>

namespace dma::inline v0_1::detail {

/// Permits clusters of more CTAs than every GPU has, where a kernel has them.
template <class Entry>
void permit_clusters(int cluster, Entry entry) {
  constexpr int portable_ctas = 8;
  if (cluster > portable_ctas) {
    throw_if(cudaFuncSetAttribute(entry, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
             "this device has no clusters of more than 8 CTAs; make KernelTraits::cluster smaller");
  }
}

/// How many clusters the device holds at a time.
///
/// @param config  of a launch, with the cluster among its attributes
template <class Entry>
[[nodiscard]] int clusters_at_once(Entry entry, const cudaLaunchConfig_t& config) {
  int clusters = 0;
  throw_if(cudaOccupancyMaxActiveClusters(&clusters, entry, &config), occupancy_unknown);
  return clusters;
}

/// Checks what a launch in clusters needs of the grid, of the code and of the device, and permits clusters of more CTAs
/// than every GPU has; throws `LaunchError`.
///
/// @param config  of the launch, with the cluster among its attributes
/// @param ptx     for which the kernel's code was compiled, as `cudaFuncAttributes` has it
template <class Entry>
void prepare_clusters(int cluster, Index3 grid, Entry entry, const cudaLaunchConfig_t& config, int ptx) {
  constexpr int first_version_with_clusters = 90;
  if (ptx < first_version_with_clusters) {
    throw_or_abort<LaunchError>("dma::launch: the kernel body has clusters of " + std::to_string(cluster) +
                                " CTAs, and its code for this device was compiled for compute capability " +
                                std::to_string(ptx / 10) + '.' + std::to_string(ptx % 10) +
                                ", which has none; compile it for sm_90 or newer");
  }
  if (grid.x % cluster != 0) {
    throw_or_abort<LaunchError>("dma::launch: the kernel body has clusters of " + std::to_string(cluster) +
                                " CTAs along x, and the grid has " + std::to_string(grid.x) +
                                " CTAs there; launch a multiple of the cluster");
  }
  permit_clusters(cluster, entry);
  if (clusters_at_once(entry, config) < 1) {
    throw_or_abort<LaunchError>(
        "dma::launch: this device cannot run " + std::to_string(cluster) +
        " CTAs of the kernel body at the same time close to each other; use a smaller cluster, fewer "
        "warps or less shared memory");
  }
}

}  // namespace dma::v0_1::detail
