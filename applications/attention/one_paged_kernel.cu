// One of the kernels of keys and values in pages, which a build compiles to PTX also where there is no GPU.

#include "launch.cuh"

namespace attention {

void launch_one(const PagedProblem<BFloat16>& p, const PagedPlan& plan, cudaStream_t stream) {
  launch<Attention<BFloat16, 128, 128, 2, InPages<64>>>(p, plan, stream);
}

}  // namespace attention
