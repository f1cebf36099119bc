#pragma once

#include <dma/launch/launch.hpp>
#include <dma/tune/bandwidth_report.hpp>
#include <dma/tune/fastest.hpp>
#include <dma/tune/graph_timer.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include <cuda_runtime.h>

namespace dma::inline v0_1::tuning {

/// How `measure_bandwidth` measures.
struct BandwidthOptions {
  int launches = 8;  ///< in one graph: `round` is 0 to `launches - 1`
  int samples = 9;   ///< of such a graph; the median is reported
};

namespace detail {

/// The bandwidth of the current device's memory by its clock and the width of its bus, in bytes a second; 0 where the
/// driver does not tell.
[[nodiscard]] inline double theoretical_bandwidth() {
  int device = 0;
  int kilohertz = 0;
  int bits = 0;
  dma::detail::throw_if(cudaGetDevice(&device), dma::detail::no_device);
  dma::detail::throw_if(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, device), dma::detail::no_device);
  dma::detail::throw_if(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device), dma::detail::no_device);
  constexpr double transfers = 2;  // a clock
  return transfers * 1e3 * kilohertz * bits / 8;
}

/// What `cudaMemcpy` reads and writes, in bytes a second, when it copies `bytes` from `from` to `to`.
[[nodiscard]] inline double copy_bandwidth(void* to, const void* from, std::size_t bytes,
                                           const BandwidthOptions& options) {
  // Copies of the driver are slower as a node of a graph than as a call.
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  dma::detail::throw_if(cudaEventCreate(&start), dma::detail::timing_failed);
  dma::detail::throw_if(cudaEventCreate(&stop), dma::detail::timing_failed);
  Samples samples;
  for (int i = -1; i < options.samples; ++i) {
    dma::detail::throw_if(cudaEventRecord(start), dma::detail::timing_failed);
    for (int copy = 0; copy < options.launches; ++copy) {
      dma::detail::throw_if(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice), dma::detail::timing_failed);
    }
    dma::detail::throw_if(cudaEventRecord(stop), dma::detail::timing_failed);
    dma::detail::throw_if(cudaEventSynchronize(stop), dma::detail::timing_failed);
    float milliseconds = 0;
    dma::detail::throw_if(cudaEventElapsedTime(&milliseconds, start, stop), dma::detail::timing_failed);
    if (i >= 0) {
      samples.add(milliseconds * 1e-3 / options.launches);
    }
  }
  cudaEventDestroy(stop);
  cudaEventDestroy(start);
  return 2 * static_cast<double>(bytes) / samples.median();
}

}  // namespace detail

/// What a bandwidth on the current device is compared with: that of its memory's clock and bus alone, 0 where the
/// driver does not tell.
[[nodiscard]] inline BandwidthCeilings bandwidth_ceilings() { return {.theoretical = detail::theoretical_bandwidth()}; }

/// The same, and what `cudaMemcpy` reads and writes when it copies `bytes` from `from` to `to` in device memory. With
/// more bytes than a few times the L2 this is the speed of the memory.
///
/// @throw LaunchError  a copy fails
///
/// Cost    `options.samples + 1` times `options.launches` copies, in the default stream; waits for them
[[nodiscard]] inline BandwidthCeilings bandwidth_ceilings(void* to, const void* from, std::size_t bytes,
                                                          const BandwidthOptions& options = {}) {
  return {detail::theoretical_bandwidth(), detail::copy_bandwidth(to, from, bytes, options)};
}

/// Measures a kernel's effective bandwidth on this GPU.
///
///     const auto ceilings = dma::tuning::bandwidth_ceilings(y, x, bytes);
///     const auto report = dma::tuning::measure_bandwidth(
///         "scale", {.read = bytes, .written = bytes}, ceilings,
///         [&](cudaStream_t stream, int round) { scale<<<ctas, 256, 0, stream>>>(x + round * n, y, n); });
///     std::cout << report.to_text() << '\n';
///
/// `launch(stream, round)` enqueues launch `round` and nothing else, so that it can be captured into a graph. To
/// measure with cold caches, let successive rounds take different inputs that together are several times the L2.
///
/// @param kernel    its name in the report
/// @param bytes     that a launch must move, each once
/// @param ceilings  what it is compared with; 0 is left out
/// @throw LaunchError  a launch fails, or cannot be captured
///
/// Cost    `options.samples + 1` replays of a graph of `options.launches` launches; waits for them
/// Source  "Achievable Kernel Bandwidth", formula (1)
[[nodiscard]] inline BandwidthReport measure_bandwidth(std::string kernel, DeclaredBytes bytes,
                                                       const BandwidthCeilings& ceilings,
                                                       const std::function<void(cudaStream_t, int round)>& launch,
                                                       const BandwidthOptions& options = {}) {
  const detail::GraphTimer timer(launch, options.launches);
  static_cast<void>(timer.replay());  // the first replay uploads the graph
  detail::Samples samples;
  for (int i = 0; i < options.samples; ++i) {
    samples.add(timer.replay());
  }
  return {std::move(kernel), bytes, samples.median(), ceilings};
}

}  // namespace dma::inline v0_1::tuning
