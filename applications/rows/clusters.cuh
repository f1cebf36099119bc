#pragma once

#include "../../examples/gpu.hpp"

#include <dma/dma.hpp>

#include <cuda_runtime.h>

/// Clusters of a kernel that the current GPU holds at a time. The SMs of one GPC hold a cluster, and GPCs have
/// different numbers of SMs.
///
/// @tparam Args  what the kernel is launched with
template <class Kernel, class... Args>
[[nodiscard]] int clusters_at_once() {
  constexpr int cluster = dma::kernel_traits<Kernel>.cluster;
  constexpr int bytes = dma::SharedOf<Kernel>::bytes;
  constexpr int portable_ctas = 8;
  const auto entry = dma::run_kernel_body<Kernel, Args...>;
  gpu::check(cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
             "this device gives a CTA less shared memory");
  if constexpr (cluster > portable_ctas) {
    gpu::check(cudaFuncSetAttribute(entry, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
               "this device has no clusters of more than 8 CTAs");
  }
  cudaLaunchAttribute shape{};
  shape.id = cudaLaunchAttributeClusterDimension;
  shape.val.clusterDim = {cluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(cluster);
  config.blockDim = dim3(Kernel::Layout::threads);
  config.dynamicSmemBytes = bytes;
  config.attrs = &shape;
  config.numAttrs = 1;
  int clusters = 0;
  gpu::check(cudaOccupancyMaxActiveClusters(&clusters, entry, &config), "the occupancy of clusters is unknown");
  return clusters;
}
