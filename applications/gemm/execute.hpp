#pragma once

#include "partial_sums.hpp"
#include "plan.hpp"
#include "problem.hpp"

#include <cuda_runtime.h>

namespace gemm {

/// C = A B^T (+ bias) (+ C) as planned, on the current GPU, in a stream. May be captured into a graph.
///
/// @param workspace  arrays of the GPU, of `sums_of(plan)` and `counters_of(plan)` elements, the counters zero; none
///                   where these are 0. Products that may run at the same time need one each
/// Cost  three tensor maps are encoded on the host, in about a microsecond
/// @throw std::invalid_argument  for a problem or a plan that no kernel takes
void multiply(const Problem<BFloat16>& p, const Plan& plan, const Workspace& workspace, cudaStream_t stream);
void multiply(const Problem<Half>& p, const Plan& plan, const Workspace& workspace, cudaStream_t stream);

}  // namespace gemm
