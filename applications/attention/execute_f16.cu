#include "launch.cuh"

namespace attention {

void attend(const Problem<Half>& p, const Plan& plan, cudaStream_t stream) { launch_planned(p, plan, stream); }

}  // namespace attention
