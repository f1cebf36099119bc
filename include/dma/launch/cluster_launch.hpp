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
    refuse_launch(MessageText().add(
        "dma::launch: the kernel body has clusters of %d CTAs, and its code for this device was compiled for compute "
        "capability %d.%d, which has none; compile it for sm_90 or newer",
        cluster, ptx / 10, ptx % 10));
  }
  if (grid.x % cluster != 0) {
    refuse_launch(
        MessageText().add("dma::launch: the kernel body has clusters of %d CTAs along x, and the grid has %d CTAs "
                          "there; launch a multiple of the cluster",
                          cluster, grid.x));
  }
  permit_clusters(cluster, entry);
  if (clusters_at_once(entry, config) < 1) {
    refuse_launch(
        MessageText().add("dma::launch: this device cannot run %d CTAs of the kernel body at the same time close to "
                          "each other; use a smaller cluster, fewer warps or less shared memory",
                          cluster));
  }
}

}  // namespace dma::v0_1::detail
