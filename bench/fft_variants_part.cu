// The kernels of one part of the variants of a transform's pass: DMA_BENCH_PART.

#include "../examples/fft/kernels.hpp"
#include "fft_variants.hpp"

#include <dma/dma.hpp>

#include <utility>

namespace bench::fft_variants {
namespace {

struct Gpu {
  cudaStream_t stream;

  template <class Kernel, class... Arguments>
  void launch(const Kernel& kernel, int ctas, const Arguments&... arguments) const {
    dma::launch(kernel, {ctas}, stream, arguments...);
  }
  template <class Pattern>
  [[nodiscard]] dma::TensorMap<Pattern> map(const fft::Complex* array, const Pattern& pattern) const {
    return dma::tensor_map<Pattern>(array, pattern);
  }
};

template <PassShape shape>
[[nodiscard]] consteval bool fits_an_sm() {
  constexpr std::size_t sm_bytes = 227 * 1024;
  if constexpr (shape.loads == fft::Loads::ahead) {
    return shape.ctas_an_sm * (sizeof(typename fft::AheadPass<shape>::Shared) + 1024) <= sm_bytes;
  } else {
    return shape.ctas_an_sm * (sizeof(typename fft::Pass<shape>::Shared) + 1024) <= sm_bytes;
  }
}

template <PassShape shape>
void add_to(std::vector<PassVariant>& variants) {
  if constexpr (fits_an_sm<shape>()) {
    variants.push_back({shape, [](const fft::PlannedPass& pass, const fft::PassProblem& problem, cudaStream_t stream) {
                          fft::launch_pass<shape>(pass, problem, Gpu{stream});
                        }});
  }
}

}  // namespace

template <>
std::vector<PassVariant> variants_of_part<DMA_BENCH_PART>() {
  std::vector<PassVariant> variants;
  constexpr int count = (count_shapes() - DMA_BENCH_PART + parts - 1) / parts;
  [&]<int... I>(std::integer_sequence<int, I...>) { (add_to<shape_at(DMA_BENCH_PART + I * parts)>(variants), ...); }
  (std::make_integer_sequence<int, count>{});
  return variants;
}

}  // namespace bench::fft_variants
