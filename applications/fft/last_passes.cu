#include "gpu.cuh"

namespace fft {

bool launches_last(const PlannedPass& pass, const PassProblem& problem, cudaStream_t stream) {
  return launches(pass, problem, Gpu<Kind::last>{stream});
}

}  // namespace fft
