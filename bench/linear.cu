// Layers of 4-bit and 8-bit weights, bf16 in groups of 128; a rate is that of the weights.
// Answers are compared with those of a plain kernel in float.

#include "layers.cuh"
#include "normal.cuh"
#include "sweeps.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <cuda_runtime.h>

namespace bench {
namespace {

using linear::BFloat16;
using Problem = linear::Problem<BFloat16>;

constexpr int group = 128;

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

/// Numbers and scales before they are packed.
struct Numbers {
  const unsigned char* numbers;
  const BFloat16* scales;

  __device__ float product(const Problem& p, int row, int column, int i) const {
    const long long at = static_cast<long long>(column) * p.k + i;
    return __bfloat162float(p.x[row * p.ldx + i]) * (static_cast<float>(numbers[at]) - (p.bits == 4 ? 8 : 128)) *
           __bfloat162float(scales[at / group]);
  }
};

/// Weights of one shape and of numbers of so many bits, packed several times, with X and Y.
template <int bits>
struct Arrays {
  int n;
  int k;
  static constexpr double limit = 0.002;

  long long elements;  ///< of a packed copy
  double bytes;        ///< likewise
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
        bytes(2.0 * static_cast<double>(elements)),
        copies(std::max(4, static_cast<int>(bytes_of_all / bytes))),
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
  [[nodiscard]] Numbers view() const { return {numbers.data(), scales.data()}; }
};

/// A layer of m rows by the kernels for up to so many.
template <int bits, int rows>
void add_layer(int m, int n, int k) {
  const std::string name = "linear/n:" + std::to_string(n) + "/k:" + std::to_string(k) +
                           (bits == 4 ? "" : "/bits:" + std::to_string(bits)) + "/rows:" + std::to_string(m) +
                           "/by:dma";
  add(name, [=] {
    const auto arrays = arrays_of<Arrays<bits>>(n, k);
    Subject subject;
    linear::with_kernel_of<BFloat16, rows, group, false, bits>(
        arrays->problem(m, 0), sms(), [&]<class Kernel>(const Kernel&) { subject = layer_by_dma<Kernel>(arrays, m); });
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
