#pragma once

#include "shape.hpp"

#include <dma/host/launch.hpp>

namespace fft {

/// The machine that emulates every thread on the host.
struct Emulator {
  /// The small ones, of transforms of up to 2^16 points.
  [[nodiscard]] static constexpr bool has(const PassShape& shape) {
    return shape.threads() <= 128 || (shape.points == 4096 && shape.columns == 1);
  }

  template <class Kernel, class... Arguments>
  void launch(const Kernel& kernel, int ctas, const Arguments&... arguments) const {
    dma::host::launch(kernel, {ctas}, arguments...);
  }
  template <class Pattern>
  [[nodiscard]] dma::TensorMap<Pattern> map(const Complex* array, const Pattern& pattern) const {
    return dma::host::tensor_map<Pattern>(array, pattern);
  }
};

}  // namespace fft
