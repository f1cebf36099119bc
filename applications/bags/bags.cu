// Sums of 65536 bags of 8, of 32 and of 0 to 64 rows of 512 bytes and of 1 KB: the kernel of kernel.hpp beside a plain
// one. Checks both; exits with 4 where there is no GPU.

#include "../../examples/gpu.hpp"
#include "../../examples/usage.hpp"
#include "launch.cuh"

#include <cstddef>
#include <cstdio>
#include <exception>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

namespace {

using gpu::check;

constexpr int bags = 65536;
constexpr std::size_t table_elements = std::size_t{1} << 28;  // many times the L2

/// Element i of the table. Small integers, so that sums of them are exact whatever their order.
__host__ __device__ float value_at(std::size_t i) { return static_cast<float>(i * 2654435761U >> 20 & 0xff); }

__global__ void fill(float* table) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < table_elements; i += step) {
    table[i] = value_at(i);
  }
}

/// Bags of `fewest` to `most` rows of `cols` floats, anywhere in the table.
class Problem {
 public:
  Problem(float* table, int cols, int fewest, int most)
      : cols_(cols), name_(std::to_string(fewest) + " to " + std::to_string(most)), table_(table) {
    std::mt19937 random(1);
    std::uniform_int_distribution<int> size(fewest, most);
    std::uniform_int_distribution<int> row(0, static_cast<int>(table_rows() - 1));
    for (int bag = 0; bag < bags; ++bag) {
      for (int k = size(random); k > 0; --k) {
        ids_.push_back(row(random));
      }
      offsets_.push_back(static_cast<int>(ids_.size()));
    }
    device_ids_ = gpu::Array<int>(ids_);
    device_offsets_ = gpu::Array<int>(offsets_);
    sums_.resize(static_cast<std::size_t>(bags) * static_cast<std::size_t>(cols), -1.0F);
    device_sums_ = gpu::Array<float>(sums_);
    check(cudaStreamCreate(&stream_));
  }
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;
  ~Problem() { cudaStreamDestroy(stream_); }

  /// Measures and checks both kernels; returns whether they are right.
  template <int Cols>
  [[nodiscard]] bool run() {
    const bool ours = report("dma", [&] {
      launch_sum_bags<Cols>(stream_, table_, table_rows(), device_ids_.data(), static_cast<int>(ids_.size()),
                            device_offsets_.data(), bags, device_sums_.data());
    });
    const bool plain = report("plain", [&] {
      launch_plain_sum_bags<Cols>(stream_, table_, device_ids_.data(), device_offsets_.data(), bags,
                                  device_sums_.data());
    });
    return ours && plain;
  }

 private:
  [[nodiscard]] long long table_rows() const { return static_cast<long long>(table_elements) / cols_; }
  /// What a kernel reads and writes at least.
  [[nodiscard]] double bytes() const {
    const double row = cols_ * 4.0 + 4.0;  // with its id, or with the offset of its bag
    return (static_cast<double>(ids_.size()) + bags) * row;
  }

  template <class Launch>
  bool report(const char* name, const Launch& launch) {
    launch();
    check(cudaGetLastError());
    check(cudaStreamSynchronize(stream_));
    const std::size_t wrong = wrong_sums();
    const double seconds = gpu::median_seconds(stream_, launch);
    std::printf("bags of %-8s rows of %4d bytes, %-5s %5.0f GB/s, %zu sums are wrong\n", name_.c_str(), cols_ * 4, name,
                1e-9 * bytes() / seconds, wrong);
    return wrong == 0;
  }

  /// Of every 97th bag. Overwrites the sums.
  [[nodiscard]] std::size_t wrong_sums() {
    const std::size_t cols = static_cast<std::size_t>(cols_);
    sums_ = device_sums_.values();
    device_sums_.set_bytes(0xff);
    std::size_t wrong = 0;
    for (std::size_t bag = 0; bag < bags; bag += 97) {
      for (std::size_t col = 0; col < cols; ++col) {
        float expected = 0;
        for (int k = offsets_[bag]; k < offsets_[bag + 1]; ++k) {
          expected += value_at(static_cast<std::size_t>(ids_[static_cast<std::size_t>(k)]) * cols + col);
        }
        wrong += sums_[bag * cols + col] == expected ? 0 : 1;
      }
    }
    return wrong;
  }

  int cols_;
  std::string name_;
  float* table_;
  std::vector<int> ids_;
  std::vector<int> offsets_{0};
  std::vector<float> sums_;
  gpu::Array<int> device_ids_;
  gpu::Array<int> device_offsets_;
  gpu::Array<float> device_sums_;
  cudaStream_t stream_{};
};

}  // namespace

int main(int argc, char** argv) try {
  expect_no_arguments(argc, argv,
                      "Sums bags of rows by DMA warps and by a plain kernel on a GPU, and prints their speeds.");
  if (const std::string reason = gpu::missing(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 4;
  }
  const gpu::Array<float> table(table_elements);
  fill<<<1024, 1024>>>(table.data());
  check(cudaDeviceSynchronize());

  bool is_right = true;
  for (const auto& [fewest, most] : {std::pair{8, 8}, {32, 32}, {0, 64}}) {
    is_right = Problem(table.data(), 128, fewest, most).run<128>() && is_right;
    is_right = Problem(table.data(), 256, fewest, most).run<256>() && is_right;
  }
  return is_right ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bags: %s\n", error.what());
  return 1;
}
