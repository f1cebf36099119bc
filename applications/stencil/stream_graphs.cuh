#pragma once

#include "../../examples/gpu.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

namespace stencil {

/// A stream of a GPU.
struct DeviceStream {
  int device;
  cudaStream_t stream;
};

/// Work of several streams that is enqueued again and again: a graph for each stream, so that what waits in one for
/// another has a stream of its own in every launch too.
class StreamGraphs {
 public:
  /// @param enqueue  what enqueues the work, all of it into these streams; it does not run now
  template <class Enqueue>
  StreamGraphs(std::vector<DeviceStream> streams, const Enqueue& enqueue) : streams_(std::move(streams)) {
    for (const DeviceStream& at : streams_) {
      gpu::check(cudaSetDevice(at.device));
      gpu::check(cudaStreamBeginCapture(at.stream, cudaStreamCaptureModeRelaxed));
    }
    enqueue();
    for (const DeviceStream& at : streams_) {
      cudaGraph_t graph = nullptr;
      gpu::check(cudaSetDevice(at.device));
      gpu::check(cudaStreamEndCapture(at.stream, &graph));
      gpu::check(cudaGraphInstantiate(&graphs_.emplace_back(), graph, 0));
      gpu::check(cudaGraphDestroy(graph));
    }
  }
  StreamGraphs(const StreamGraphs&) = delete;
  StreamGraphs& operator=(const StreamGraphs&) = delete;
  ~StreamGraphs() {
    for (cudaGraphExec_t graph : graphs_) {
      cudaGraphExecDestroy(graph);
    }
  }

  void launch() const {
    for (std::size_t i = 0; i < graphs_.size(); ++i) {
      gpu::check(cudaSetDevice(streams_[i].device));
      gpu::check(cudaGraphLaunch(graphs_[i], streams_[i].stream));
    }
  }

 private:
  std::vector<DeviceStream> streams_;
  std::vector<cudaGraphExec_t> graphs_;
};

}  // namespace stencil
