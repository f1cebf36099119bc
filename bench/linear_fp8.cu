// Layers of 8-bit numbers with scales of blocks; a rate is that of the weights.
// Answers are compared with those of a plain kernel in float.

#include "../applications/linear/fp8/launch.cuh"
#include "measure.hpp"
#include "sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

namespace bench {
namespace {

using linear::BFloat16;
using linear::fp8::block;
using linear::fp8::blocks_of;
using linear::fp8::Number;
using linear::fp8::Problem;

constexpr double bytes_of_all = 1e9;  ///< of the weights that take turns

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

/// Weights of one shape, several times, with X and Y.
struct Arrays {
  int n;
  int k;
  long long numbers;  ///< of the weights
  long long scales;
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
        copies(std::max(4, static_cast<int>(bytes_of_all / static_cast<double>(numbers)))),
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
            blocks_of(k),
            1,
            w.data() + copy * numbers,
            k,
            w_scales.data() + copy * scales,
            y.data(),
            n};
  }
};
/// Those of the last shape that was asked for.
std::shared_ptr<const Arrays> arrays_of(int n, int k) {
  static std::shared_ptr<const Arrays> made;
  if (made == nullptr || made->n != n || made->k != k) {
    made.reset();
    made = std::make_shared<const Arrays>(n, k);
  }
  return made;
}

/// Squares of the differences from the answer, and of the answer: a warp for each number of Y.
__global__ void compare_layer(Problem p, double* squares) {
  const int row = static_cast<int>(blockIdx.x);
  const int column = static_cast<int>(blockIdx.y) * 8 + static_cast<int>(threadIdx.y);
  if (column >= p.n) {
    return;
  }
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < p.k; i += 32) {
    const float scale = p.x_scales[row * p.x_scales_row + i / block * p.x_scales_block] *
                        p.w_scales[static_cast<long long>(column / block) * blocks_of(p.k) + i / block];
    sum += static_cast<float>(p.x[row * p.ldx + i]) * static_cast<float>(p.w[column * p.ldw + i]) * scale;
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xffffffffU, sum, distance);
  }
  if (threadIdx.x == 0) {
    const float difference = __bfloat162float(p.y[row * p.ldy + column]) - sum;
    atomicAdd(&squares[0], static_cast<double>(difference) * difference);
    atomicAdd(&squares[1], static_cast<double>(sum) * sum);
  }
}
[[nodiscard]] std::string wrong_in(const Problem& p, cudaStream_t stream) {
  const gpu::Array<double> squares(2);
  check(cudaMemsetAsync(squares.data(), 0, squares.bytes(), stream));
  const dim3 grid(static_cast<unsigned>(p.m), static_cast<unsigned>((p.n + 7) / 8));
  compare_layer<<<grid, dim3(32, 8), 0, stream>>>(p, squares.data());
  check(cudaStreamSynchronize(stream));
  const std::vector<double> found = squares.values();
  const double error = std::sqrt(found[0] / found[1]);
  return error < 0.003 ? std::string() : "an error of " + std::to_string(100 * error) + "% of the answer";
}

template <class Kernel>
[[nodiscard]] Subject by_dma(int m, int n, int k) {
  const auto arrays = arrays_of(n, k);
  const auto layer = std::make_shared<const linear::fp8::DeviceLinear<Kernel>>(arrays->problem(m, 0), sms());
  Subject subject;
  subject.bytes = static_cast<double>(arrays->numbers);
  subject.launches = std::max(20, arrays->copies);
  subject.launch = [=](cudaStream_t stream, int i) { (*layer)(stream, arrays->problem(m, i)); };
  subject.wrong = [=](cudaStream_t stream) {
    const Problem p = arrays->problem(m, 1);
    check(cudaMemsetAsync(p.y, 0xff, arrays->y.bytes(), stream));
    (*layer)(stream, p);
    return wrong_in(p, stream);
  };
  return subject;
}

}  // namespace

void add_linear_fp8() {
  for (const auto& [n, k] : {std::pair{4096, 4096}, {14336, 4096}, {8192, 28672}}) {
    for (const int m : {1, 8, 16, 32, 48, 64}) {
      const std::string name =
          "linear_fp8/n:" + std::to_string(n) + "/k:" + std::to_string(k) + "/rows:" + std::to_string(m) + "/by:dma";
      add(name, [=, n = n, k = k] {
        Subject subject;
        linear::fp8::with_kernel(arrays_of(n, k)->problem(m, 0), sms(),
                                 [&]<class Kernel>(const Kernel&) { subject = by_dma<Kernel>(m, n, k); });
        return subject;
      });
    }
  }
}

}  // namespace bench
