#pragma once

/// Runs plans on the current GPU, in a stream.

#include "kernels.hpp"

#include <dma/dma.hpp>

#include <cuda_runtime.h>

namespace fft {

/// The current GPU.
struct Gpu {
  cudaStream_t stream;

  [[nodiscard]] static constexpr bool has(const PassShape&) { return true; }

  template <class Kernel, class... Arguments>
  void launch(const Kernel& kernel, int ctas, const Arguments&... arguments) const {
    dma::launch(kernel, {ctas}, stream, arguments...);
  }
  template <class Pattern>
  [[nodiscard]] dma::TensorMap<Pattern> map(const Complex* array, const Pattern& pattern) const {
    return dma::tensor_map<Pattern>(array, pattern);
  }
};

/// Transforms `in` to `out` as planned, in a stream. May be captured into a graph.
///
/// @param in, out  arrays of the GPU, of the plan's distances times its batch; may be the same
/// @param work     an array of `plan.work_points()` points that no other transform uses meanwhile, or null where 0
inline void execute(const Plan& plan, const Complex* in, Complex* out, Complex* work, cudaStream_t stream) {
  run(plan, in, out, work, Gpu{stream});
}

}  // namespace fft
