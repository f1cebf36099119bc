// Tunes the layer norm of examples/layer_norm for rows of 8192 floats on this GPU, and prints what to write into the
// kernel. Exits with 4 where there is no GPU.

#include "../gpu.hpp"
#include "../layer_norm/kernel.hpp"

#include <dma/tune/tune.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <iostream>
#include <vector>

#include <cuda_runtime.h>

namespace {

constexpr int columns = 8192;
constexpr int row_bytes = columns * int{sizeof(float)};

template <dma::Variant V>
using Kernel = LayerNorm<dma::VariantLayout<V>, columns, row_bytes / V.tile_bytes, V.stages, V.ctas_per_sm>;

constexpr dma::VariantSpace space{
    .tile_bytes = {4096, 8192}, .stages = {4, 8}, .compute_warps = {8, 16}, .ctas_per_sm = {2, 3, 4}};

// A row's pieces are held at a time, each as whole vectors of the compute threads; an SM that has less than 90 KB in
// flight waits for memory.
constexpr auto variants = dma::select_variants<space>([](dma::Variant v) {
  return v.tile_bytes % (16 * 32 * v.compute_warps) == 0 && v.stages * v.tile_bytes >= row_bytes &&
         v.ctas_per_sm * v.stages * v.tile_bytes >= 90 * 1024 &&
         v.fits_an_sm(int{sizeof(Moments)} * 2 * v.compute_warps);
});

template <class T>
T* device_array(std::size_t count) {
  T* array = nullptr;
  gpu::check(cudaMalloc(&array, count * sizeof(T)));
  return array;
}

}  // namespace

int main() try {
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
  auto* x = device_array<float>(elements * inputs);
  auto* y = device_array<float>(elements * inputs);
  auto* scale = device_array<float>(columns);
  auto* shift = device_array<float>(columns);
  gpu::check(cudaMemcpy(x, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
  gpu::check(cudaMemcpy(scale, host.data(), row_bytes, cudaMemcpyHostToDevice));
  gpu::check(cudaMemcpy(shift, host.data() + columns, row_bytes, cudaMemcpyHostToDevice));

  const dma::TuneReport report = dma::tune<variants>(
      [&]<dma::Variant V>(cudaStream_t stream, int round) {
        const std::size_t first = static_cast<std::size_t>(round % inputs) * elements;
        dma::launch(Kernel<V>{}, {rows}, stream, x + first, scale, shift, y + first, rows, 1e-5F);
      },
      {.seconds = 20,
       .bytes = 2.0 * elements * sizeof(float),
       .answer = dma::tuned_answer(y, elements),
       .progress = &std::cerr});
  std::cout << report.to_text();
  return report.best().refused.empty() ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "tune_layer_norm: %s\n", error.what());
  return 1;
}
