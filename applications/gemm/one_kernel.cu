// One of the kernels, which a build compiles to PTX also where there is no GPU.

#include "launch.cuh"
#include "multiply.hpp"

namespace gemm {

void launch_one(const Problem<BFloat16>& p, const Plan& plan, const Workspace& workspace, cudaStream_t stream) {
  launch<Gemm<BFloat16, TileShape{128, 256}>>(p, plan, workspace, stream);
}

}  // namespace gemm
