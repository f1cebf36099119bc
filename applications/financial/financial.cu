// The best sum of each of many points, in the steps of an article on memory access tuning and by the library: effective
// bandwidth, and how many times as fast each is as the first. Checks every answer. Exits with 1 where one is wrong,
// with 4 where there is no GPU.

#include "../../examples/gpu.hpp"
#include "../../examples/usage.hpp"
#include "choice.cuh"

#include <dma/tune/measure_bandwidth.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>

#include <cuda_runtime.h>

namespace {

using financial::Points;
using gpu::check;

/// Inputs that the launches of a graph take one after another: together more than the L2.
constexpr int inputs = 8;

__global__ void fill(double* values, long long count) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    values[i] = static_cast<double>(i * 7919 % 1013) - 500;
  }
}

/// Returns whether all answers are right.
bool run(int points, int values) {
  const auto elements = static_cast<std::size_t>(points) * static_cast<std::size_t>(values);
  auto* const big = gpu::device_array<double>(elements * inputs);
  auto* const best = gpu::device_array<double>(static_cast<std::size_t>(points));
  auto* const wrong = gpu::device_array<unsigned long long>(1);
  fill<<<1024, 256>>>(big, static_cast<long long>(elements * inputs));
  check(cudaGetLastError());
  const auto ceilings = dma::tuning::bandwidth_ceilings();
  const dma::tuning::DeclaredBytes bytes{.read = 8.0 * static_cast<double>(elements + static_cast<std::size_t>(values)),
                                         .written = 8.0 * points};
  std::printf("%d points of %d values\n", points, values);
  double scalar = 0;
  bool is_right = true;
  const auto report = [&](const char* name, const auto& launch) {
    const auto job_at = [&](int round) {
      return Points<double>{big + static_cast<std::size_t>(round % inputs) * elements, big, best, points, values};
    };
    check(cudaMemset(best, 0xff, static_cast<std::size_t>(points) * sizeof(double)));
    launch(nullptr, job_at(1));
    unsigned long long wrong_points = 0;
    check(cudaMemset(wrong, 0, sizeof wrong_points));
    count_not_best<<<static_cast<unsigned>((points + 255) / 256), 256>>>(job_at(1), points, wrong);
    check(cudaGetLastError());
    check(cudaMemcpy(&wrong_points, wrong, sizeof wrong_points, cudaMemcpyDeviceToHost));
    is_right = is_right && wrong_points == 0;
    const dma::tuning::BandwidthReport measured = dma::tuning::measure_bandwidth(
        name, bytes, ceilings, [&](cudaStream_t stream, int round) { launch(stream, job_at(round)); });
    scalar = scalar == 0 ? measured.seconds : scalar;
    std::printf("  %s, %.2f times the first%s\n", measured.to_text().c_str(), scalar / measured.seconds,
                wrong_points == 0 ? "" : " WRONG");
  };
  financial::for_each_step(report);
  report("tiles", financial::launch_tiles);
  report("registers", financial::launch_best);
  check(cudaFree(wrong));
  check(cudaFree(best));
  check(cudaFree(big));
  return is_right;
}

}  // namespace

int main(int argc, char** argv) try {
  expect_no_arguments(
      argc, argv,
      "Computes the best sum of many points in the steps of an article on a GPU, and prints each step's bandwidth.");
  if (const std::string reason = gpu::missing(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 4;
  }
  bool is_right = run(1 << 22, 16);
  is_right = run(1 << 20, 64) && is_right;
  is_right = run(1 << 18, 256) && is_right;
  is_right = run(1 << 16, 64) && is_right;
  return is_right ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "financial: %s\n", error.what());
  return 1;
}
