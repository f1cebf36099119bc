// One of the kernels, which a build compiles to PTX also where there is no GPU.

#include "launch.cuh"

namespace attention {

void launch_one(const Problem<BFloat16>& p, const Plan& plan, cudaStream_t stream) {
  launch<Attention<BFloat16, 128, 128>>(p, plan, stream);
}

}  // namespace attention
