#include "launch.cuh"

namespace attention {

void attend(const Problem<BFloat16>& p, const Plan& plan, cudaStream_t stream) { launch_planned(p, plan, stream); }

}  // namespace attention
