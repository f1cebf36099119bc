#pragma once

#include "plan.hpp"

#include <cuda_runtime.h>

namespace fft {

/// Transforms `in` to `out` as planned, on the current GPU, in a stream. May be captured into a graph.
///
/// @param in, out  arrays of the GPU, `plan.in_points()` and `plan.out_points()` points; may be the same
/// @param work     an array of `plan.work_points()` points that no other transform uses meanwhile, or null where 0
/// @throw std::invalid_argument  for arrays that the plan cannot run on
void execute(const Plan& plan, const Complex* in, Complex* out, Complex* work, cudaStream_t stream);

}  // namespace fft
