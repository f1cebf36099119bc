#include "execute.hpp"

#include "gpu.cuh"

namespace fft {

void execute(const Plan& plan, const Complex* in, Complex* out, Complex* work, cudaStream_t stream) {
  run(plan, in, out, work, [&](const PlannedPass& pass, const PassProblem& problem) {
    return launches_whole(pass, problem, stream) || launches_first(pass, problem, stream) ||
           launches_last(pass, problem, stream) || launches_untangling(pass, problem, stream);
  });
}

}  // namespace fft
