#pragma once

#include "../../examples/gpu.hpp"

#include <dma/dma.hpp>

#include <cuda_runtime.h>

namespace sparse {

/// Runs kernels in a stream of the current device.
struct GpuLauncher {
  explicit GpuLauncher(cudaStream_t in) : stream(in) {
    int device = 0;
    gpu::check(cudaGetDevice(&device));
    gpu::check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  }

  template <class Kernel, class... Args>
  void operator()(const Kernel& kernel, dma::Index3 grid, const Args&... args) const {
    dma::launch(kernel, grid, stream, args...);
  }

  cudaStream_t stream;
  int sms = 0;
};

}  // namespace sparse
