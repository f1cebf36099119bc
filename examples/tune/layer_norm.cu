// Tunes the layer norm of applications/rows/layer_norm for rows of 8192 floats on this GPU, and prints what to write
// into the kernel. Exits with 4 where there is no GPU.

#include "../../applications/rows/layer_norm/launch.cuh"
#include "../gpu.hpp"
#include "../usage.hpp"
#include "layer_norm.hpp"

#include <dma/tune/tune.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <iostream>
#include <type_traits>
#include <vector>

#include <cuda_runtime.h>

// The first variant's answers are those of the others: it is the shape that the example of the layer norm has.
static_assert(std::is_same_v<tuned_layer_norm::Kernel<tuned_layer_norm::variants[0]>,
                             LayerNormChoice<tuned_layer_norm::columns>::Kernel>);

int main(int argc, char** argv) try {
  expect_no_arguments(argc, argv, "Measures the variants of the layer norm on a GPU and prints the fastest.");
  using namespace tuned_layer_norm;
  if (const std::string reason = gpu::missing(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 4;
  }
  // Each launch of a graph takes the next of four inputs: together they are many times the L2.
  constexpr int inputs = 4;
  constexpr int rows = 2048;
  constexpr std::size_t elements = std::size_t{rows} * columns;
  std::vector<float> host(elements * inputs);
  for (std::size_t i = 0; i < host.size(); ++i) {
    host[i] = static_cast<float>(i * 2654435761U >> 8 & 0xffff) / 16384.0F;
  }
  const float* const x = gpu::device_copy(host);
  const float* const scale = x;
  const float* const shift = x + columns;
  auto* const y = gpu::device_array<float>(elements * inputs);

  const dma::tuning::Report report = dma::tuning::tune<variants>(
      [&]<dma::tuning::Variant V>(cudaStream_t stream, int round) {
        const std::size_t first = static_cast<std::size_t>(round % inputs) * elements;
        dma::launch(Kernel<V>{}, {rows}, stream, x + first, scale, shift, y + first, rows, 1e-5F);
      },
      {.seconds = 20,
       .bytes = 2.0 * elements * sizeof(float),
       .answer = dma::tuning::answer(y, elements),
       .progress = &std::cerr});
  std::cout << report.to_text();
  return report.best().refused.empty() ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "tune_layer_norm: %s\n", error.what());
  return 1;
}
