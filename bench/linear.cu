// Layers of 4-bit and 8-bit weights, bf16 in groups of 128; a rate is that of the weights.
// Answers are compared with those of a plain kernel in float.

#include "../applications/linear/launch.cuh"
#include "measure.hpp"
#include "normal.cuh"
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
using Problem = linear::Problem<BFloat16>;

constexpr int group = 128;
constexpr double bytes_of_all = 1e9;  ///< of the packed weights that take turns

__global__ void fill_numbers(unsigned char* numbers, long long count, int bits) {
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < count; i += gridDim.x * 256LL) {
    numbers[i] = static_cast<unsigned char>((static_cast<unsigned>(i) * 2654435761U) >> (32 - bits));
  }
}
__global__ void fill_scales(BFloat16* scales, long long count) {
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < count; i += gridDim.x * 256LL) {
    scales[i] = static_cast<BFloat16>(0.01F * static_cast<float>(1 + i % 7));
  }
}

/// Weights of one shape and of numbers of so many bits, packed several times, with X and Y.
template <int bits>
struct Arrays {
  int n;
  int k;
  long long elements;  ///< of a packed copy
  int copies;
  gpu::Array<unsigned char> numbers;
  gpu::Array<BFloat16> scales;
  gpu::Array<BFloat16> packed;
  gpu::Array<BFloat16> x;
  gpu::Array<BFloat16> y;

  Arrays(int n_, int k_)
      : n(n_),
        k(k_),
        elements(static_cast<long long>(linear::packed_elements(n, k, group, false, bits))),
        copies(std::max(4, static_cast<int>(bytes_of_all / (2.0 * static_cast<double>(elements))))),
        numbers(static_cast<std::size_t>(n) * static_cast<std::size_t>(k)),
        scales(numbers.bytes() / group),
        packed(static_cast<std::size_t>(elements * copies)),
        x(static_cast<std::size_t>(linear::most_rows) * static_cast<std::size_t>(k)),
        y(static_cast<std::size_t>(linear::most_rows) * static_cast<std::size_t>(n)) {
    fill_numbers<<<1024, 256>>>(numbers.data(), static_cast<long long>(numbers.bytes()), bits);
    fill_scales<<<1024, 256>>>(scales.data(), static_cast<long long>(numbers.bytes() / group));
    fill_normal<<<1024, 256>>>(x.data(), static_cast<long long>(x.bytes() / sizeof(BFloat16)));
    for (int copy = 0; copy < copies; ++copy) {
      linear::pack<BFloat16, group, false, bits>(nullptr, {n, k, numbers.data(), scales.data(), nullptr},
                                                 packed.data() + copy * elements);
    }
    check(cudaDeviceSynchronize());
  }

  [[nodiscard]] Problem problem(int m, int i) const {
    return {m, n, k, group, false, x.data(), k, packed.data() + i % copies * elements, y.data(), n, bits};
  }
};
/// Those of the last shape that was asked for.
template <int bits>
std::shared_ptr<const Arrays<bits>> arrays_of(int n, int k) {
  static std::shared_ptr<const Arrays<bits>> made;
  if (made == nullptr || made->n != n || made->k != k) {
    made.reset();
    made = std::make_shared<const Arrays<bits>>(n, k);
  }
  return made;
}

/// Squares of the differences from the answer, and of the answer: a warp for each number of Y.
__global__ void compare_layer(Problem p, const unsigned char* numbers, const BFloat16* scales, double* squares) {
  const int row = static_cast<int>(blockIdx.x);
  const int column = static_cast<int>(blockIdx.y) * 8 + static_cast<int>(threadIdx.y);
  if (column >= p.n) {
    return;
  }
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < p.k; i += 32) {
    const long long at = static_cast<long long>(column) * p.k + i;
    sum += __bfloat162float(p.x[row * p.ldx + i]) * (static_cast<float>(numbers[at]) - (p.bits == 4 ? 8 : 128)) *
           __bfloat162float(scales[at / group]);
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
template <int bits>
[[nodiscard]] std::string wrong_in(const Arrays<bits>& arrays, const Problem& p, cudaStream_t stream) {
  const gpu::Array<double> squares(2);
  check(cudaMemsetAsync(squares.data(), 0, squares.bytes(), stream));
  const dim3 grid(static_cast<unsigned>(p.m), static_cast<unsigned>((p.n + 7) / 8));
  compare_layer<<<grid, dim3(32, 8), 0, stream>>>(p, arrays.numbers.data(), arrays.scales.data(), squares.data());
  check(cudaStreamSynchronize(stream));
  const std::vector<double> found = squares.values();
  const double error = std::sqrt(found[0] / found[1]);
  return error < 0.002 ? std::string() : "an error of " + std::to_string(100 * error) + "% of the answer";
}

template <class Kernel>
[[nodiscard]] Subject by_dma(int m, int n, int k) {
  const auto arrays = arrays_of<Kernel::form.bits>(n, k);
  const auto layer = std::make_shared<const linear::DeviceLinear<Kernel>>(arrays->problem(m, 0), sms());
  Subject subject;
  subject.bytes = 2.0 * static_cast<double>(arrays->elements);
  subject.launches = std::max(20, arrays->copies);
  subject.launch = [=](cudaStream_t stream, int i) { (*layer)(stream, arrays->problem(m, i)); };
  subject.wrong = [=](cudaStream_t stream) {
    const Problem p = arrays->problem(m, 1);
    check(cudaMemsetAsync(p.y, 0xff, arrays->y.bytes(), stream));
    (*layer)(stream, p);
    return wrong_in(*arrays, p, stream);
  };
  return subject;
}

/// A layer of m rows by the kernels for up to so many.
template <int bits, int rows>
void add_layer(int m, int n, int k) {
  const std::string name = "linear/n:" + std::to_string(n) + "/k:" + std::to_string(k) +
                           (bits == 4 ? "" : "/bits:" + std::to_string(bits)) + "/rows:" + std::to_string(m) +
                           "/by:dma";
  add(name, [=] {
    Subject subject;
    linear::with_kernel_of<BFloat16, rows, group, false, bits>(
        arrays_of<bits>(n, k)->problem(m, 0), sms(),
        [&]<class Kernel>(const Kernel&) { subject = by_dma<Kernel>(m, n, k); });
    return subject;
  });
}

}  // namespace

void add_linear() {
  for (const auto& [n, k] : {std::pair{4096, 4096}, {14336, 4096}, {8192, 28672}}) {
    add_layer<4, 8>(1, n, k);
    add_layer<4, 8>(8, n, k);
    add_layer<4, 16>(16, n, k);
    add_layer<4, 32>(32, n, k);
    add_layer<4, 48>(48, n, k);
    add_layer<4, 64>(64, n, k);
    add_layer<8, 8>(1, n, k);
    add_layer<8, 16>(16, n, k);
    add_layer<8, 64>(64, n, k);
  }
}

}  // namespace bench
