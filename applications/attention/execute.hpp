#pragma once

#include "backward_plan.hpp"
#include "backward_problem.hpp"
#include "paged.hpp"
#include "plan.hpp"
#include "problem.hpp"

#include <cuda_runtime.h>

namespace attention {

/// O = softmax(scale Q K^T) V as planned (`plan_of`, attend.hpp), on the current GPU, in a stream. May be captured into
/// a graph. Arrays are the GPU's.
///
/// Cost  four tensor maps are encoded on the host
/// @throw std::invalid_argument  for a problem that no kernel takes, and for a plan with more CTAs than tiles
void attend(const Problem<BFloat16>& p, const Plan& plan, cudaStream_t stream);
void attend(const Problem<Half>& p, const Plan& plan, cudaStream_t stream);
/// The same with keys and values in pages.
void attend(const PagedProblem<BFloat16>& p, const PagedPlan& plan, cudaStream_t stream);
void attend(const PagedProblem<Half>& p, const PagedPlan& plan, cudaStream_t stream);

/// dQ, dK and dV as planned (`plan_of`, attend_backward.hpp), in three kernels one after another. CTAs add to dQ in no
/// fixed order, so that its last bits differ from run to run.
///
/// Cost  six tensor maps are encoded on the host
/// @throw std::invalid_argument  for a problem that no kernel takes
void attend_backward(const BackwardProblem<BFloat16>& p, const BackwardPlan& plan, cudaStream_t stream);
void attend_backward(const BackwardProblem<Half>& p, const BackwardPlan& plan, cudaStream_t stream);

}  // namespace attention
