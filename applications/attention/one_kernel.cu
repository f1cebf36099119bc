// The kernels of one element, which a build compiles to PTX also where there is no GPU.

#include "launch.cuh"

namespace attention {

void launch_each(const Problem<BFloat16>& p, const Plan& plan, cudaStream_t stream) {
  launch<Attention<BFloat16, 128, 128>>(p, plan, stream);
  launch<Attention<BFloat16, 64, 128>>(p, plan, stream);
  launch<Attention<BFloat16, 64, 128, 3>>(p, plan, stream);
}

}  // namespace attention
