// Layers of 8-bit numbers with scales of blocks on a GPU, compared with a loop in double precision. Exits with 1 where
// an answer is wrong, with 4 where there is no GPU.

#include "../../../examples/gpu.hpp"
#include "../../../examples/usage.hpp"
#include "../launch.cuh"
#include "cases.hpp"
#include "linear.hpp"

#include <cstdio>
#include <exception>
#include <string>

#include <cuda_runtime.h>

namespace {

using linear::Division;
using linear::fp8::Case;
using linear::fp8::Form;
using linear::fp8::form_of;
using linear::fp8::Shape;

/// Multiplies three times, and returns whether the last answer is right.
template <Form form>
bool is_right(const Shape& shape) {
  Case c(shape);
  const gpu::Device device;
  const gpu::Array<linear::fp8::Number> x(c.x);
  const gpu::Array<linear::fp8::Number> w(c.w);
  const gpu::Array<float> x_scales(c.x_scales);
  const gpu::Array<float> w_scales(c.w_scales);
  const gpu::Array<linear::BFloat16> y(c.y);
  linear::fp8::Problem p = c.p;
  p.x = x.data();
  p.w = w.data();
  p.x_scales = x_scales.data();
  p.w_scales = w_scales.data();
  p.y = y.data();
  const linear::DeviceLinear<linear::fp8::ScaledLinear<form>> layer(p, device.properties.multiProcessorCount);
  for (int launch = 0; launch < 3; ++launch) {
    layer(device.stream, p);
  }
  gpu::check(cudaStreamSynchronize(device.stream));
  c.y = y.values();
  const double error = c.worst_error(true);
  std::printf("%d rows of X, %d x %d: error %.3f of its bound%s\n", shape.m, shape.n, shape.k, error,
              error <= 1 ? "" : " WRONG");
  return error <= 1;
}

}  // namespace

int main(int argc, char** argv) try {
  expect_no_arguments(argc, argv,
                      "Multiplies numbers of 8 bits with scales of blocks on a GPU, and compares with a loop.");
  if (const std::string reason = gpu::missing(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 4;
  }
  bool all = is_right<form_of(8)>({1, 1000, 4096});
  all = is_right<form_of(8)>({8, 64, 16, true}) && all;
  all = is_right<form_of(16, Division::narrow_parts)>({13, 500, 2064}) && all;
  all = is_right<form_of(32)>({32, 1000, 4096, true}) && all;
  all = is_right<form_of(48, Division::pairs)>({40, 1000, 4032}) && all;
  all = is_right<form_of(64)>({64, 300, 8192, true}) && all;
  return is_right<form_of(64, Division::narrow_pairs)>({61, 900, 2176}) && all ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "linear_fp8: %s\n", error.what());
  return 1;
}
