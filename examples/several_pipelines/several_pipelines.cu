// The kernels with two and with three pipelines, and of two compute groups, on a GPU. Checks every element; exits with
// 4 where there is no GPU.

#include "../gpu.hpp"
#include "../hand_off/softmax.hpp"
#include "../tile_queue/split_sums.hpp"
#include "../usage.hpp"
#include "add.hpp"
#include "axpy.hpp"

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

int main(int argc, char** argv) try {
  expect_no_arguments(argc, argv, "Runs kernels of two and three pipelines, and of two compute groups, on a GPU.");
  if (const std::string reason = gpu::missing(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 4;
  }
  constexpr int tiles = 3000;
  constexpr int n = tiles * 1024;
  constexpr int shorter = n - 77;  // the last tile is a partial one
  std::vector<float> x(n);
  std::vector<float> y(n);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i % 4099);
    y[i] = static_cast<float>(i % 1013);
  }
  const gpu::Array<float> x_there(x);
  const gpu::Array<float> y_there(y);
  const gpu::Array<float> axpy(n);
  const gpu::Array<float> sum(n);
  axpy.set_bytes(0xff);
  sum.set_bytes(0xff);
  const gpu::Array<float> softmax(n);
  softmax.set_bytes(0xff);

  dma::launch(Axpy{}, {132}, nullptr, x_there.data(), y_there.data(), axpy.data(), 3.0F, shorter);
  dma::launch(Add{}, {132}, nullptr, x_there.data(), y_there.data(), sum.data(), tiles);
  dma::launch(Softmax{}, {132}, nullptr, y_there.data(), softmax.data(), tiles);
  constexpr int cols = 128;
  constexpr int rows = n / cols - 5;
  std::vector<float> ones(n, 1.0F);
  const gpu::Array<float> ones_there(ones);
  const gpu::Array<float> column_sums(cols);
  const gpu::Array<dma::TileCounter> counter(1);
  column_sums.set_bytes(0);
  counter.set_bytes(0);
  for (int launch = 0; launch < 3; ++launch) {
    dma::launch(SplitSums{}, {264}, nullptr, ones_there.data(), rows, cols, column_sums.data(), counter.data());
  }
  gpu::check(cudaDeviceSynchronize());

  const std::vector<float> axpy_here = axpy.values();
  const std::vector<float> sum_here = sum.values();
  int wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    wrong += sum_here[i] == x[i] + y[i] ? 0 : 1;
    // Beyond the last element nothing is written: the bytes are those of the memset, which are a NaN.
    const bool is_written = i < static_cast<std::size_t>(shorter);
    wrong += (is_written ? axpy_here[i] == 3.0F * x[i] + y[i] : axpy_here[i] != axpy_here[i]) ? 0 : 1;
  }
  const std::vector<float> softmax_here = softmax.values();
  for (std::size_t row = 0; row < y.size(); row += Softmax::cols) {
    double most = 0;
    for (std::size_t i = row; i < row + Softmax::cols; ++i) {
      most = std::fmax(most, static_cast<double>(y[i]));
    }
    double powers = 0;
    for (std::size_t i = row; i < row + Softmax::cols; ++i) {
      powers += std::exp(static_cast<double>(y[i]) - most);
    }
    for (std::size_t i = row; i < row + Softmax::cols; ++i) {
      const double expected = std::exp(static_cast<double>(y[i]) - most) / powers;
      wrong += std::abs(static_cast<double>(softmax_here[i]) - expected) <= 1e-5 * expected + 1e-30 ? 0 : 1;
    }
  }
  for (const float sum : column_sums.values()) {
    wrong += sum == 3.0F * rows ? 0 : 1;
  }
  std::printf("several pipelines: %d of %d elements are wrong\n", wrong, 3 * n);
  return wrong == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "several pipelines: %s\n", error.what());
  return 1;
}
