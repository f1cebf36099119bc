// Layer norms of 256 MB, in rows of 8192 to 262144 floats: the kernel of kernel.hpp, or that of rows/kernel.hpp where a
// cluster of CTAs shares a row, beside a plain one. Checks both against sums in double; exits with 4 where there is no
// GPU.

#include "../../../examples/gpu.hpp"
#include "../../../examples/usage.hpp"
#include "../launch.cuh"
#include "launch.cuh"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <vector>

#include <cuda_runtime.h>

namespace {

using gpu::check;

constexpr std::size_t elements = std::size_t{1} << 26;
constexpr int most_columns = 262144;
constexpr float epsilon = 1e-5F;

struct Arrays {
  float* x;
  float* y;
  float* scale;
  float* shift;
  cudaStream_t stream;
};

float value_at(std::size_t i) { return 1.0F + static_cast<float>(i * 2654435761U >> 8 & 0xffff) / 16384.0F; }
float scale_at(std::size_t i) { return 0.5F + static_cast<float>(i % 101) / 101.0F; }
float shift_at(std::size_t i) { return static_cast<float>(i % 37) / 37.0F; }

/// The largest error in every 61st row of y, which is then overwritten.
double error(const Arrays& arrays, std::size_t columns) {
  std::vector<float> y(columns);
  double worst = 0;
  for (std::size_t row = 0; row < elements / columns; row += 61) {
    const std::size_t first = row * columns;
    check(cudaMemcpy(y.data(), arrays.y + first, columns * sizeof(float), cudaMemcpyDeviceToHost));
    double mean = 0;
    double variance = 0;
    for (std::size_t i = 0; i < columns; ++i) {
      mean += value_at(first + i);
    }
    mean /= static_cast<double>(columns);
    for (std::size_t i = 0; i < columns; ++i) {
      variance += (value_at(first + i) - mean) * (value_at(first + i) - mean);
    }
    variance /= static_cast<double>(columns);
    for (std::size_t i = 0; i < columns; ++i) {
      const double expected =
          (value_at(first + i) - mean) / std::sqrt(variance + double{epsilon}) * scale_at(i) + shift_at(i);
      const double distance = std::abs(y[i] - expected);
      worst = distance <= worst ? worst : distance;  // also where y is no number
    }
  }
  check(cudaMemset(arrays.y, 0xff, elements * sizeof(float)));
  return worst;
}

/// Measures and checks one kernel; returns whether it is right.
template <class Launch>
bool report(const char* name, int columns, const Arrays& arrays, const Launch& launch) {
  launch();
  check(cudaGetLastError());
  check(cudaStreamSynchronize(arrays.stream));
  const double worst = error(arrays, static_cast<std::size_t>(columns));
  const double seconds = gpu::median_seconds(arrays.stream, launch);
  const bool is_right = worst < 4e-6;
  std::printf("%6d columns, %-5s %5.0f GB/s, error %.1e%s\n", columns, name,
              2e-9 * static_cast<double>(elements * sizeof(float)) / seconds, worst, is_right ? "" : " WRONG");
  return is_right;
}

using LaunchRows = void(cudaStream_t, const float* x, const float* scale, const float* shift, float* y, int rows,
                        float epsilon);

bool run(int columns, const Arrays& a, LaunchRows& launch_dma, LaunchRows& launch_plain) {
  const int rows = static_cast<int>(elements) / columns;
  const bool ours = report("dma", columns, a, [&] { launch_dma(a.stream, a.x, a.scale, a.shift, a.y, rows, epsilon); });
  const bool plain =
      report("plain", columns, a, [&] { launch_plain(a.stream, a.x, a.scale, a.shift, a.y, rows, epsilon); });
  return ours && plain;
}
template <int Columns>
bool run(const Arrays& arrays) {
  return run(Columns, arrays, launch_layer_norm<Columns>, launch_plain_layer_norm<Columns>);
}
template <int Columns>
bool run_long(const Arrays& arrays) {
  return run(Columns, arrays, launch_layer_norm_of_rows<Columns>, launch_plain_long_layer_norm<Columns>);
}

template <class ValueAt>
float* array_of(std::size_t count, const ValueAt& value) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = value(i);
  }
  return gpu::device_copy(values);
}

}  // namespace

int main(int argc, char** argv) try {
  expect_no_arguments(argc, argv,
                      "Normalizes rows by DMA warps and by a plain kernel on a GPU, and prints their speeds.");
  if (const std::string reason = gpu::missing(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 4;
  }
  Arrays arrays{array_of(elements, value_at), gpu::device_array<float>(elements), array_of(most_columns, scale_at),
                array_of(most_columns, shift_at), nullptr};
  check(cudaStreamCreate(&arrays.stream));

  bool is_right = run<8192>(arrays);
  is_right = run<16384>(arrays) && is_right;
  is_right = run<32768>(arrays) && is_right;
  is_right = run_long<65536>(arrays) && is_right;
  is_right = run_long<131072>(arrays) && is_right;
  is_right = run_long<262144>(arrays) && is_right;
  return is_right ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "layer_norm: %s\n", error.what());
  return 1;
}
