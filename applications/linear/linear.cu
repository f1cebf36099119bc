// Layers of 4-bit and 8-bit weights on a GPU, compared with a loop in double precision. Exits with 1 where an answer is
// wrong, with 4 where there is no GPU.

#include "../../examples/gpu.hpp"
#include "../../examples/usage.hpp"
#include "cases.hpp"
#include "launch.cuh"

#include <cstdio>
#include <exception>
#include <string>

#include <cuda_runtime.h>

namespace {

using linear::BFloat16;
using linear::Case;
using linear::Division;
using linear::Form;
using linear::form_of;
using linear::Half;
using linear::Shape;

/// Packs weights, multiplies three times, and returns whether the last answer is right.
template <class Element, Form form>
bool is_right(const Shape& shape) {
  Case<Element> c(shape);
  const gpu::Device device;
  const gpu::Array<unsigned char> numbers(c.numbers);
  const gpu::Array<unsigned char> zeros(c.zeros);
  const gpu::Array<Element> scales(c.scales);
  const gpu::Array<Element> x(c.x);
  const gpu::Array<Element> w(c.w);
  const gpu::Array<Element> y(c.y);
  linear::pack<Element, form.group, form.has_zeros, form.bits>(
      device.stream,
      linear::Rows<Element>{shape.n, shape.k, numbers.data(), scales.data(), form.has_zeros ? zeros.data() : nullptr},
      w.data());
  linear::Problem<Element> p = c.p;
  p.x = x.data();
  p.w = w.data();
  p.y = y.data();
  const linear::DeviceLinear<linear::Linear<Element, form>> layer(p, device.properties.multiProcessorCount);
  for (int launch = 0; launch < 3; ++launch) {
    layer(device.stream, p);
  }
  gpu::check(cudaStreamSynchronize(device.stream));
  c.y = y.values();
  const double error = c.worst_error();
  std::printf("%d rows of X, %d x %d of %d bits in groups of %d%s: error %.3f of its bound%s\n", shape.m, shape.n,
              shape.k, shape.bits, shape.group, shape.has_zeros ? " with zeros" : "", error,
              error <= 1 ? "" : " WRONG");
  return error <= 1;
}

}  // namespace

int main(int argc, char** argv) try {
  expect_no_arguments(argc, argv, "Multiplies by 4-bit and 8-bit weights on a GPU, and compares with a loop.");
  if (const std::string reason = gpu::missing(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 4;
  }
  bool all = is_right<BFloat16, form_of(8)>({1, 1000, 4096});
  all = is_right<BFloat16, form_of(8)>({8, 64, 128}) && all;
  all = is_right<BFloat16, form_of(16)>({13, 4096, 1152}) && all;
  all = is_right<BFloat16, form_of(32)>({32, 1000, 4096}) && all;
  all = is_right<BFloat16, form_of(16, 128, false, Division::narrow_parts)>({15, 500, 2048}) && all;
  all = is_right<BFloat16, form_of(8, 128, false, Division::pairs)>({5, 1000, 4096}) && all;
  all = is_right<BFloat16, form_of(64, 128, false, Division::narrow_pairs)>({61, 900, 2176}) && all;
  all = is_right<BFloat16, form_of(64)>({64, 1000, 2048}) && all;
  all = is_right<BFloat16, form_of(48, 64, true)>({40, 1000, 4032, 64, true}) && all;
  all = is_right<Half, form_of(16, 128, true)>({16, 129, 8192, 128, true}) && all;
  all = is_right<Half, form_of(64, 64)>({50, 300, 4096, 64}) && all;
  all = is_right<BFloat16, form_of(8, 128, false, Division::parts, 8)>({5, 1000, 4096, 128, false, 8}) && all;
  all = is_right<BFloat16, form_of(16, 128, false, Division::narrow_pairs, 8)>({13, 900, 2176, 128, false, 8}) && all;
  all = is_right<BFloat16, form_of(64, 64, true, Division::parts, 8)>({50, 300, 4032, 64, true, 8}) && all;
  return is_right<Half, form_of(16, 128, true, Division::narrow_parts, 8)>({16, 129, 8192, 128, true, 8}) && all ? 0
                                                                                                                 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "linear: %s\n", error.what());
  return 1;
}
