#include "gpu.cuh"

namespace fft {

bool launches_first(const PlannedPass& pass, const PassProblem& problem, cudaStream_t stream) {
  return launches(pass, problem, Gpu<Kind::first>{stream});
}

}  // namespace fft
