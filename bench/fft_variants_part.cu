// The kernels of one part of the variants of a transform's pass: DMA_BENCH_PART.

#include "../applications/fft/kernels.hpp"
#include "fft_variants.hpp"
#include "measure.hpp"

#include <dma/dma.hpp>

#include <utility>
#include <vector>

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

struct FitsAnSm {
  template <PassShape shape>
  [[nodiscard]] consteval bool operator()() const {
    constexpr std::size_t sm_bytes = 227 * 1024;
    if constexpr (shape.loads == fft::Loads::ahead) {
      return shape.ctas_an_sm * (sizeof(typename fft::AheadPass<shape>::Shared) + 1024) <= sm_bytes;
    } else {
      return shape.ctas_an_sm * (sizeof(typename fft::Pass<shape>::Shared) + 1024) <= sm_bytes;
    }
  }
};

struct LaunchPass {
  template <PassShape shape>
  void operator()(cudaStream_t stream, int round) const {
    const fft::PlannedPass pass = fft_pass::planned(shape);
    fft::launch_pass<shape>(pass, fft_pass::problem_of(pass, round), Gpu{stream});
  }
};
constexpr LaunchPass launch_pass;  // the candidates refer to it

template <auto Shapes>
[[nodiscard]] std::vector<Candidate> candidates_of() {
  return dma::tuning::candidates<Shapes>(launch_pass);
}

constexpr auto fitting = dma::tuning::select<shapes_of_part<DMA_BENCH_PART>()>(FitsAnSm{});

}  // namespace

template <>
std::vector<Candidate> candidates_of_part<DMA_BENCH_PART>() {
  return candidates_of<fitting>();
}

}  // namespace bench::fft_variants
