// The kernels of the backward pass of one element, which a build compiles to PTX also where there is no GPU.

#include "launch_backward.cuh"

namespace attention {

void launch_each(const BackwardProblem<BFloat16>& p, const BackwardPlan& plan, cudaStream_t stream) {
  launch_planned(p, plan, stream);
}

}  // namespace attention
