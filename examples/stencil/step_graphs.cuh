#pragma once

/// CUDA graphs of a period of steps.

#include "gpu_slabs.cuh"
#include "stream_words.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

namespace stencil {

/// A graph for each stream of an exchange: the march's and those of its copies, which wait for each other by words. One
/// graph for all would have branches whose order CUDA does not see, and may serialize so that one waits for ever.
class StepGraphs {
 public:
  /// @param steps  starts `steps_a_period` steps in those streams; all before have been started
  template <class Steps>
  StepGraphs(std::vector<cudaStream_t> streams, const Steps& steps) {
    for (cudaStream_t stream : streams) {
      check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    }
    steps();
    for (cudaStream_t stream : streams) {
      cudaGraph_t graph{};
      check(cudaStreamEndCapture(stream, &graph));
      replays_.push_back({stream, nullptr});
      const cudaError_t error = cudaGraphInstantiate(&replays_.back().graph, graph, 0);
      cudaGraphDestroy(graph);
      check(error);
    }
  }
  StepGraphs(const StepGraphs&) = delete;
  StepGraphs& operator=(const StepGraphs&) = delete;
  ~StepGraphs() {
    for (const Replay& replay : replays_) {
      cudaGraphExecDestroy(replay.graph);
    }
  }

  /// Starts the steps of a period.
  void launch() const {
    for (const Replay& replay : replays_) {
      check(cudaGraphLaunch(replay.graph, replay.stream));
    }
  }

 private:
  struct Replay {
    cudaStream_t stream;
    cudaGraphExec_t graph;
  };

  std::vector<Replay> replays_;
};

}  // namespace stencil
