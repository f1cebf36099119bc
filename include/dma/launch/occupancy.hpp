#pragma once

#include <dma/kernel/cta.hpp>
#include <dma/launch/kernel_entry.hpp>
#include <dma/launch/launch.hpp>
#include <dma/launch/launch_error.hpp>

#include <cuda_runtime.h>

namespace dma::inline v0_1 {

/// How much of a kernel a device runs at a time.
struct Occupancy {
  int ctas_an_sm = 0;  ///< CTAs that one SM holds
  int ctas = 0;      ///< that all SMs hold, or that are in `clusters`: the largest grid whose CTAs may wait for another
  int clusters = 0;  ///< the same as clusters of the body's `KernelTraits::cluster` CTAs, 1 where it has none
};

/// How many CTAs of a kernel body the current device holds at once, by its registers, threads and shared memory: the
/// grid of a kernel whose CTAs take one tile after another.
///
///     const int ctas = dma::occupancy<Kernel, const float*, float*, int>().ctas;
///     dma::launch(Kernel{}, {std::min(ctas, tiles)}, stream, in, out, tiles);
///
/// @tparam Args  what the body is launched with after its CTA
/// @throw LaunchError  the kernel has no code for the device, or the device lacks the shared memory that it needs
///
/// Cost    some queries of the runtime on the host; ask once
template <KernelBody Kernel, class... Args>
[[nodiscard]] Occupancy occupancy() {
  constexpr int bytes = detail::SharedOf<Kernel>::bytes;
  constexpr int cluster = detail::kernel_traits<Kernel>.cluster;
  const auto entry = detail::kernel_entry<Kernel, Args...>();
  detail::throw_if(cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                   detail::shared_refused);
  int device = 0;
  int sms = 0;
  detail::throw_if(cudaGetDevice(&device), detail::no_device);
  detail::throw_if(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device), detail::no_device);
  Occupancy found{};
  detail::throw_if(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found.ctas_an_sm, entry, Kernel::Layout::threads, bytes),
      detail::occupancy_unknown);
  found.clusters = found.ctas_an_sm * sms;
  if constexpr (cluster > 1) {
    // The SMs of one GPC hold a cluster, and GPCs have different numbers of SMs.
    detail::permit_clusters(cluster, entry);
    cudaLaunchAttribute shape{};
    shape.id = cudaLaunchAttributeClusterDimension;
    shape.val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(cluster));
    config.blockDim = dim3(Kernel::Layout::threads);
    config.dynamicSmemBytes = bytes;
    config.attrs = &shape;
    config.numAttrs = 1;
    found.clusters = detail::clusters_at_once(entry, config);
  }
  found.ctas = found.clusters * cluster;
  return found;
}

}  // namespace dma::inline v0_1
