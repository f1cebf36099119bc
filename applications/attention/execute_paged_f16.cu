#include "launch.cuh"

namespace attention {

void attend(const PagedProblem<Half>& p, const PagedPlan& plan, cudaStream_t stream) {
  launch_planned(p, plan, stream);
}

}  // namespace attention
