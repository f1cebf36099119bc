#include "launch_backward.cuh"

namespace attention {

void attend_backward(const BackwardProblem<Half>& p, const BackwardPlan& plan, cudaStream_t stream) {
  launch_planned(p, plan, stream);
}

}  // namespace attention
