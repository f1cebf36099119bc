#pragma once

#include <dma/launch/launch.hpp>

#include <functional>

#include <cuda_runtime.h>

namespace dma::inline v0_1::tuning::detail {

/// Launches captured into a graph, and the time of a replay. Without the graph a small kernel's time is that of its
/// launch by the driver.
class GraphTimer {
 public:
  /// @param launch    enqueues launch `round` into the stream
  /// @param launches  in the graph; `round` counts from 0
  /// @throw LaunchError  a launch fails, or cannot be captured
  GraphTimer(const std::function<void(cudaStream_t, int round)>& launch, int launches) : launches_(launches) {
    try {
      make(launch);
    } catch (...) {
      destroy();
      throw;
    }
  }
  GraphTimer(const GraphTimer&) = delete;
  GraphTimer& operator=(const GraphTimer&) = delete;
  ~GraphTimer() { destroy(); }

  /// Seconds of one launch: the mean of one replay. Waits for the replay's end.
  ///
  /// @throw LaunchError  a kernel fails
  [[nodiscard]] double replay() const {
    dma::detail::throw_if(cudaEventRecord(start_, stream_), dma::detail::timing_failed);
    dma::detail::throw_if(cudaGraphLaunch(graph_, stream_), dma::detail::timing_failed);
    dma::detail::throw_if(cudaEventRecord(stop_, stream_), dma::detail::timing_failed);
    dma::detail::throw_if(
        cudaEventSynchronize(stop_),
        "the kernel failed; run a checked build (DMA_CHECKED=1), which names the rule that it breaks");
    float milliseconds = 0;
    dma::detail::throw_if(cudaEventElapsedTime(&milliseconds, start_, stop_), dma::detail::timing_failed);
    return milliseconds * 1e-3 / launches_;
  }

 private:
  void make(const std::function<void(cudaStream_t, int)>& launch) {
    dma::detail::throw_if(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), dma::detail::timing_failed);
    dma::detail::throw_if(cudaEventCreate(&start_), dma::detail::timing_failed);
    dma::detail::throw_if(cudaEventCreate(&stop_), dma::detail::timing_failed);
    cudaGraph_t graph = nullptr;
    dma::detail::throw_if(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal),
                          dma::detail::timing_failed);
    try {
      for (int round = 0; round < launches_; ++round) {
        launch(stream_, round);
      }
    } catch (...) {
      cudaStreamEndCapture(stream_, &graph);
      if (graph != nullptr) {
        cudaGraphDestroy(graph);
      }
      throw;
    }
    dma::detail::throw_if(cudaStreamEndCapture(stream_, &graph), dma::detail::timing_failed);
    const cudaError_t error = cudaGraphInstantiate(&graph_, graph, 0);
    cudaGraphDestroy(graph);
    dma::detail::throw_if(error, dma::detail::timing_failed);
  }
  void destroy() noexcept {
    if (graph_ != nullptr) {
      cudaGraphExecDestroy(graph_);
    }
    if (stop_ != nullptr) {
      cudaEventDestroy(stop_);
    }
    if (start_ != nullptr) {
      cudaEventDestroy(start_);
    }
    if (stream_ != nullptr) {
      cudaStreamDestroy(stream_);
    }
  }

  int launches_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace dma::inline v0_1::tuning::detail
