#include "execute.hpp"

#include "launch.cuh"
#include "multiply.hpp"

namespace gemm {
namespace {

template <class Element>
void launch_planned(const Problem<Element>& p, const Plan& plan, const Workspace& workspace, cudaStream_t stream) {
  expect_valid(p);
  with_kernel<Element>(plan, [&]<class Kernel>(const Kernel&) { launch<Kernel>(p, plan, workspace, stream); });
}

}  // namespace

void multiply(const Problem<BFloat16>& p, const Plan& plan, const Workspace& workspace, cudaStream_t stream) {
  launch_planned(p, plan, workspace, stream);
}
void multiply(const Problem<Half>& p, const Plan& plan, const Workspace& workspace, cudaStream_t stream) {
  launch_planned(p, plan, workspace, stream);
}

}  // namespace gemm
