#pragma once

/// What the sweeps of layers have in common: weights that take turns, and a comparison with a plain kernel in float.

#include "../applications/linear/launch.cuh"
#include "measure.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace bench {

inline constexpr double bytes_of_all = 1e9;  ///< of the weights that take turns

/// Arrays of the last shape that was asked for.
template <class Arrays>
std::shared_ptr<const Arrays> arrays_of(int n, int k) {
  static std::shared_ptr<const Arrays> made;
  if (made == nullptr || made->n != n || made->k != k) {
    made.reset();
    made = std::make_shared<const Arrays>(n, k);
  }
  return made;
}

/// Squares of the differences from the answer, and of the answer: a warp for each number of Y.
///
/// @param arrays  have `product(p, row, column, i)`, of which the answer is the sum over k
template <class Problem, class View>
__global__ void compare_layer(Problem p, View arrays, double* squares) {
  const int row = static_cast<int>(blockIdx.x);
  const int column = static_cast<int>(blockIdx.y) * 8 + static_cast<int>(threadIdx.y);
  if (column >= p.n) {
    return;
  }
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < p.k; i += 32) {
    sum += arrays.product(p, row, column, i);
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
/// @param limit  of the error, of the answer's norm
template <class Problem, class View>
[[nodiscard]] std::string wrong_in(const Problem& p, const View& arrays, double limit, cudaStream_t stream) {
  const gpu::Array<double> squares(2);
  check(cudaMemsetAsync(squares.data(), 0, squares.bytes(), stream));
  const dim3 grid(static_cast<unsigned>(p.m), static_cast<unsigned>((p.n + 7) / 8));
  compare_layer<<<grid, dim3(32, 8), 0, stream>>>(p, arrays, squares.data());
  check(cudaStreamSynchronize(stream));
  const std::vector<double> found = squares.values();
  const double error = std::sqrt(found[0] / found[1]);
  return error < limit ? std::string() : "an error of " + std::to_string(100 * error) + "% of the answer";
}

/// A layer of m rows by a kernel. Its arrays have `problem(m, i)`, `bytes` of a copy of the weights, `view()` for the
/// comparison, and the `limit` of its error.
template <class Kernel, class Arrays>
[[nodiscard]] Subject layer_by_dma(const std::shared_ptr<const Arrays>& arrays, int m) {
  const auto layer = std::make_shared<const linear::DeviceLinear<Kernel>>(arrays->problem(m, 0), sms());
  Subject subject;
  subject.bytes = arrays->bytes;
  subject.launches = std::max(20, arrays->copies);
  subject.launch = [=](cudaStream_t stream, int i) { (*layer)(stream, arrays->problem(m, i)); };
  subject.wrong = [=](cudaStream_t stream) {
    const auto p = arrays->problem(m, 1);
    check(cudaMemsetAsync(p.y, 0xff, arrays->y.bytes(), stream));
    (*layer)(stream, p);
    return wrong_in(p, arrays->view(), Arrays::limit, stream);
  };
  return subject;
}

}  // namespace bench
