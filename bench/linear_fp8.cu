// Layers of 8-bit numbers with scales of blocks; a rate is that of the weights.
// Answers are compared with those of a plain kernel in float.

#include "../applications/linear/fp8/linear.hpp"
#include "layers.cuh"
#include "sweeps.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <cuda_runtime.h>

namespace bench {
namespace {

using linear::BFloat16;
using linear::fp8::block;
using linear::fp8::blocks_of;
using linear::fp8::Number;
using linear::fp8::Problem;

/// Signs and mantissas of 8 bits, exponents of six octaves.
__global__ void fill_numbers(Number* numbers, long long count) {
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < count; i += gridDim.x * 256LL) {
    const unsigned random = static_cast<unsigned>(i) * 2654435761U >> 16;
    numbers[i].__x = static_cast<unsigned char>(random % 8 + (5 + random / 8 % 6) * 8 + random / 64 % 2 * 128);
  }
}
__global__ void fill_scales(float* scales, long long count) {
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < count; i += gridDim.x * 256LL) {
    scales[i] = 0.01F * static_cast<float>(1 + i % 7);
  }
}

/// A problem has all that the answer is of.
struct Itself {
  __device__ float product(const Problem& p, int row, int column, int i) const {
    const float scale = p.x_scales[row * p.x_scales_row + i / block * p.x_scales_block] *
                        p.w_scales[static_cast<long long>(column / block) * blocks_of(p.k) + i / block];
    return static_cast<float>(p.x[row * p.ldx + i]) * static_cast<float>(p.w[column * p.ldw + i]) * scale;
  }
};

/// Weights of one shape, several times, with X and Y.
struct Arrays {
  int n;
  int k;
  static constexpr double limit = 0.003;

  long long numbers;  ///< of the weights
  long long scales;
  double bytes;  ///< of the numbers
  int copies;
  gpu::Array<Number> w;
  gpu::Array<float> w_scales;
  gpu::Array<Number> x;
  gpu::Array<float> x_scales;
  gpu::Array<BFloat16> y;

  Arrays(int n_, int k_)
      : n(n_),
        k(k_),
        numbers(static_cast<long long>(n) * k),
        scales(static_cast<long long>(blocks_of(n)) * blocks_of(k)),
        bytes(static_cast<double>(numbers)),
        copies(std::max(4, static_cast<int>(bytes_of_all / bytes))),
        w(static_cast<std::size_t>(numbers * copies)),
        w_scales(static_cast<std::size_t>(scales * copies)),
        x(static_cast<std::size_t>(linear::most_rows) * static_cast<std::size_t>(k)),
        x_scales(static_cast<std::size_t>(linear::most_rows) * static_cast<std::size_t>(blocks_of(k))),
        y(static_cast<std::size_t>(linear::most_rows) * static_cast<std::size_t>(n)) {
    fill_numbers<<<1024, 256>>>(w.data(), numbers * copies);
    fill_numbers<<<1024, 256>>>(x.data(), static_cast<long long>(x.bytes()));
    fill_scales<<<1024, 256>>>(w_scales.data(), scales * copies);
    fill_scales<<<1024, 256>>>(x_scales.data(), static_cast<long long>(x_scales.bytes() / sizeof(float)));
    check(cudaDeviceSynchronize());
  }

  [[nodiscard]] Problem problem(int m, int i) const {
    const int copy = i % copies;
    return {m,
            n,
            k,
            x.data(),
            k,
            x_scales.data(),
            1,
            linear::most_rows,
            w.data() + copy * numbers,
            k,
            w_scales.data() + copy * scales,
            y.data(),
            n};
  }
  [[nodiscard]] Itself view() const { return {}; }
};

}  // namespace

void add_linear_fp8() {
  for (const auto& [n, k] : {std::pair{4096, 4096}, {14336, 4096}, {8192, 28672}}) {
    for (const int m : {1, 8, 16, 32, 48, 64}) {
      const std::string name =
          "linear_fp8/n:" + std::to_string(n) + "/k:" + std::to_string(k) + "/rows:" + std::to_string(m) + "/by:dma";
      add(name, [=, n = n, k = k] {
        const auto arrays = arrays_of<Arrays>(n, k);
        Subject subject;
        linear::fp8::with_kernel(arrays->problem(m, 0), sms(),
                                 [&]<class Kernel>(const Kernel&) { subject = layer_by_dma<Kernel>(arrays, m); });
        return subject;
      });
    }
  }
}

}  // namespace bench
