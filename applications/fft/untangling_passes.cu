#include "gpu.cuh"

namespace fft {

bool launches_untangling(const PlannedPass& pass, const PassProblem& problem, cudaStream_t stream) {
  return launches(pass, problem, Gpu<Kind::untangling>{stream});
}

}  // namespace fft
