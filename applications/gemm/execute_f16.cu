#include "launch.cuh"

namespace gemm {

void multiply(const Problem<Half>& p, const Plan& plan, const Workspace& workspace, cudaStream_t stream) {
  launch_planned(p, plan, workspace, stream);
}

}  // namespace gemm
