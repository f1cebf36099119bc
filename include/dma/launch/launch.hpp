#pragma once

#include <dma/config.hpp>
#include <dma/engines/tensor/tensor_map.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/launch/kernel_entry.hpp>
#include <dma/launch/launch_error.hpp>
#include <dma/machine/index3.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/site.hpp>
#include <dma/standard.hpp>

#include <cuda_runtime.h>

#if DMA_JITTER
#include <dma/launch/jitter_seed.hpp>
#endif

namespace dma::inline v0_1 {

namespace detail {

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

/// The shared memory of a CTA: that of `__shared__` variables, and the body's, which follows it at its alignment.
template <KernelBody Kernel>
[[nodiscard]] int shared_bytes_of(const cudaFuncAttributes& attributes) {
  const int variables = static_cast<int>(attributes.sharedSizeBytes);
  constexpr int bytes = SharedOf<Kernel>::bytes;
  constexpr int alignment = machine::shared_alignment;
  return bytes == 0 ? variables : (variables + alignment - 1) / alignment * alignment + bytes;
}

/// Throws `LaunchError` where the body's Shared would not have its alignment. It follows the kernel's `__shared__`
/// variables, and where functions are not inlined the assembler does not round their size: it does not see that the
/// kernel uses Shared.
template <KernelBody Kernel>
void check_alignment(const cudaFuncAttributes& attributes) {
  if constexpr (SharedOf<Kernel>::bytes != 0) {
    constexpr std::size_t alignment = alignof(typename SharedOf<Kernel>::Type);
    if (attributes.sharedSizeBytes % alignment != 0) {
      refuse_launch(MessageText().add(
          "dma::launch: the kernel body's Shared follows %zu bytes of __shared__ variables and is aligned to %zu, "
          "which "
          "a compiler that does not inline (-G, --Ofast-compile) ignores; make these variables members of Shared",
          attributes.sharedSizeBytes, alignment));
    }
  }
}

/// Checks what a launch of `Kernel` needs of the current device; throws `LaunchError` where the device has too little.
template <KernelBody Kernel>
void check_device(Index3 grid, const cudaFuncAttributes& attributes) {
  int device = 0;
  int most_shared_bytes = 0;
  throw_if(cudaGetDevice(&device), no_device);
  throw_if(cudaDeviceGetAttribute(&most_shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), no_device);

  const int needed = shared_bytes_of<Kernel>(attributes);
  if (needed > most_shared_bytes) {
    refuse_launch(
        MessageText().add("dma::launch: the kernel body needs %d bytes of shared memory, %d of them its Shared, and "
                          "this device gives a CTA %d; use fewer stages or smaller tiles",
                          needed, SharedOf<Kernel>::bytes, most_shared_bytes));
  }
  if (Kernel::Layout::threads > attributes.maxThreadsPerBlock) {
    refuse_launch(
        MessageText().add("dma::launch: the layout has %d threads and the kernel runs with at most %d; use fewer warps",
                          Kernel::Layout::threads, attributes.maxThreadsPerBlock));
  }
  if (grid.x < 1 || grid.y < 1 || grid.z < 1 || grid.y > 65535 || grid.z > 65535) {
    refuse_launch(MessageText().add(
        "dma::launch: a grid is 1 to 2^31 - 1 by 1 to 65535 by 1 to 65535 CTAs, and this one %d by %d by "
        "%d; launch at least one CTA along each axis, and large grids along x",
        grid.x, grid.y, grid.z));
  }
}

/// Throws `LaunchError` for a grid whose CTAs wait for one another and are not all resident at once.
template <KernelBody Kernel, class Entry>
void check_residency(Index3 grid, Entry entry) {
  int device = 0;
  int sms = 0;
  int ctas_an_sm = 0;
  throw_if(cudaGetDevice(&device), no_device);
  throw_if(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device), no_device);
  throw_if(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas_an_sm, entry, Kernel::Layout::threads,
                                                         SharedOf<Kernel>::bytes),
           occupancy_unknown);
  const long long resident = static_cast<long long>(sms) * ctas_an_sm;
  const long long ctas = static_cast<long long>(grid.x) * grid.y * grid.z;
  if (ctas > resident) {
    refuse_launch(
        MessageText().add("dma::launch: the kernel body's CTAs wait for one another (cooperative) and of its %lld CTAs "
                          "this device holds %lld at once; launch no more than that",
                          ctas, resident));
  }
}

}  // namespace detail

/// Runs a kernel body on the GPU: launch bounds, shared memory and its opt-in are derived from the body's types.
///
/// Checks before the kernel runs all that can be known, the body's own `expects(args...)` included. Asynchronous, as
/// launches are; may be captured into a graph. A fault while the kernel runs is reported by a later CUDA call.
///
/// @param kernel  a kernel body (dma/kernel/cta.hpp), trivially copyable
/// @param grid    CTAs along x, y and z: 1 to 2^31 - 1 by 1 to 65535 by 1 to 65535; x is a multiple of the cluster
/// @param stream  of the current device
/// @param args    what the body takes after its CTA; passed by value, tensor maps too: the hardware reads them where
///                `launch` puts them
/// @throw LaunchError  the kernel has no code for the device, the device lacks the shared memory, threads or resident
///                     CTAs that the body needs, the grid is out of range, or CUDA refuses the launch
/// @throw  what the body's `expects` throws
///
/// Cost    some queries of the runtime on the host before each launch; a graph that has captured it repeats none
template <KernelBody Kernel, class... Args>
void launch(const Kernel& kernel, Index3 grid, cudaStream_t stream, Args... args) {
  detail::check_body<Kernel>();
  detail::check_arguments<Kernel>(args...);
  const auto entry = detail::kernel_entry<Kernel, Args...>();
#if DMA_JITTER
  detail::throw_if(detail::read_jitter_seed(),
                   "the jitter seed cannot be written, or a kernel before failed; check the kernel before");
#endif
  cudaFuncAttributes attributes{};
  detail::throw_if(
      cudaFuncGetAttributes(&attributes, entry),
      "the kernel has no code for this device; compile it for the device's architecture, as with nvcc -arch=native");
  detail::check_device<Kernel>(grid, attributes);
  detail::check_alignment<Kernel>(attributes);

  constexpr int bytes = detail::SharedOf<Kernel>::bytes;
  constexpr int bytes_without_opt_in = 48 * 1024;
  if (detail::shared_bytes_of<Kernel>(attributes) > bytes_without_opt_in) {
    detail::throw_if(cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                     detail::shared_refused);
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), static_cast<unsigned>(grid.z));
  config.blockDim = dim3(Kernel::Layout::threads);
  config.dynamicSmemBytes = bytes;
  config.stream = stream;
  cudaLaunchAttribute attributes_of_launch[2] = {};
  config.attrs = attributes_of_launch;
  const auto next_attribute = [&]() -> cudaLaunchAttribute& { return attributes_of_launch[config.numAttrs++]; };
  // A cooperative launch starts all CTAs at once, beside other kernels too: otherwise two grids that both wait could
  // keep each other from starting.
  if constexpr (detail::kernel_traits<Kernel>.cooperative) {
    detail::check_residency<Kernel>(grid, entry);
    cudaLaunchAttribute& all_at_once = next_attribute();
    all_at_once.id = cudaLaunchAttributeCooperative;
    all_at_once.val.cooperative = 1;
  }
  // Code compiled for older architectures does not wait for the preceding grids, on any GPU.
  constexpr int first_version_that_waits = 90;
  if (detail::kernel_traits<Kernel>.programmatic_launch && attributes.ptxVersion >= first_version_that_waits) {
    cudaLaunchAttribute& early = next_attribute();
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
  }
  if constexpr (constexpr int cluster = detail::kernel_traits<Kernel>.cluster; cluster > 1) {
    cudaLaunchAttribute& clusters = next_attribute();
    clusters.id = cudaLaunchAttributeClusterDimension;
    clusters.val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
    detail::prepare_clusters(cluster, grid, entry, config, attributes.ptxVersion);
  }
  if constexpr (detail::has_tensor_maps<Args...>) {
    detail::throw_if(cudaLaunchKernelEx(&config, entry, kernel, detail::kernel_arguments(args...)),
                     detail::launch_failed);
  } else {
    detail::throw_if(cudaLaunchKernelEx(&config, entry, kernel, args...), detail::launch_failed);
  }
}

namespace detail {

/// A stream of another library, for example `cuda::stream_ref`: `get()` is the runtime's.
template <class Stream>
concept HoldsStream = requires(const Stream& stream) {
  { stream.get() } -> stdlib::convertible_to<cudaStream_t>;
};

}  // namespace detail

/// The same on the stream that `stream` holds.
template <KernelBody Kernel, detail::HoldsStream Stream, class... Args>
void launch(const Kernel& kernel, Index3 grid, const Stream& stream, Args... args) {
  launch(kernel, grid, static_cast<cudaStream_t>(stream.get()), args...);
}

}  // namespace dma::inline v0_1
