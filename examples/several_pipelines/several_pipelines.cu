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

namespace {

/// Floats in the GPU's memory.
class Array {
 public:
  explicit Array(int count) : count_(static_cast<std::size_t>(count)) {
    gpu::check(cudaMalloc(&data_, count_ * sizeof(float)));
    gpu::check(cudaMemset(data_, 0xff, count_ * sizeof(float)));
  }
  explicit Array(const std::vector<float>& values) : Array(static_cast<int>(values.size())) {
    gpu::check(cudaMemcpy(data_, values.data(), count_ * sizeof(float), cudaMemcpyHostToDevice));
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { cudaFree(data_); }

  [[nodiscard]] float* get() const { return data_; }
  [[nodiscard]] std::vector<float> values() const {
    std::vector<float> values(count_);
    gpu::check(cudaMemcpy(values.data(), data_, count_ * sizeof(float), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  std::size_t count_;
  float* data_ = nullptr;
};

}  // namespace

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
  const Array x_there(x);
  const Array y_there(y);
  const Array axpy(n);
  const Array sum(n);

  dma::launch(Axpy{}, {132}, nullptr, x_there.get(), y_there.get(), axpy.get(), 3.0F, shorter);
  dma::launch(Add{}, {132}, nullptr, x_there.get(), y_there.get(), sum.get(), tiles);
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
