// The kernels with two and with three pipelines on a GPU. Checks every element of both; exits with 4 where there is no
// GPU.

#include "../gpu.hpp"
#include "add.hpp"
#include "axpy.hpp"

#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

int main() try {
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

  dma::launch(Axpy{}, {132}, nullptr, x_there.data(), y_there.data(), axpy.data(), 3.0F, shorter);
  dma::launch(Add{}, {132}, nullptr, x_there.data(), y_there.data(), sum.data(), tiles);
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
  std::printf("several pipelines: %d of %d elements are wrong\n", wrong, 2 * n);
  return wrong == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "several pipelines: %s\n", error.what());
  return 1;
}
