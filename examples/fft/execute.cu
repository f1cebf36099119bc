#include "execute.hpp"

#include "kernels.hpp"

#include <dma/dma.hpp>

namespace fft {
namespace {

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

}  // namespace

void execute(const Plan& plan, const Complex* in, Complex* out, Complex* work, cudaStream_t stream) {
  run(plan, in, out, work, Gpu{stream});
}

}  // namespace fft
