#pragma once

#include "kernels.hpp"

#include <dma/dma.hpp>

#include <cuda_runtime.h>

namespace fft {

/// A kind of pass, by how its tiles' columns are.
enum class Kind { whole, first, last, untangling };

[[nodiscard]] constexpr Kind kind_of(const PassShape& shape) {
  return shape.untangles != Untangles::nothing ? Kind::untangling
         : shape.to == Columns::runs           ? Kind::whole
         : shape.from == Columns::runs         ? Kind::last
                                               : Kind::first;
}

/// The current GPU, with the kernels of one kind. Each kind is compiled in a unit of its own.
template <Kind kind>
struct Gpu {
  cudaStream_t stream;

  [[nodiscard]] static constexpr bool has(const PassShape& shape) { return kind_of(shape) == kind; }

  template <class Kernel, class... Arguments>
  void launch(const Kernel& kernel, int ctas, const Arguments&... arguments) const {
    dma::launch(kernel, {ctas}, stream, arguments...);
  }
  template <class Pattern>
  [[nodiscard]] dma::TensorMap<Pattern> map(const Complex* array, const Pattern& pattern) const {
    return dma::tensor_map<Pattern>(array, pattern);
  }
};

bool launches_whole(const PlannedPass& pass, const PassProblem& problem, cudaStream_t stream);
bool launches_first(const PlannedPass& pass, const PassProblem& problem, cudaStream_t stream);
bool launches_last(const PlannedPass& pass, const PassProblem& problem, cudaStream_t stream);
bool launches_untangling(const PlannedPass& pass, const PassProblem& problem, cudaStream_t stream);

}  // namespace fft
