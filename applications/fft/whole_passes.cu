#include "gpu.cuh"

namespace fft {

bool launches_whole(const PlannedPass& pass, const PassProblem& problem, cudaStream_t stream) {
  return launches(pass, problem, Gpu<Kind::whole>{stream});
}

}  // namespace fft
