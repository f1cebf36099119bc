// Transforms of real points of single precision and back, beside cuFFT's. The error is that of all numbers, as a root
// mean square, against cuFFT in double precision; on the way back against the input, which it leads back to.

#include "../applications/fft/execute.hpp"
#include "cufft.cuh"
#include "measure.hpp"
#include "sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include <cuda_runtime.h>

namespace bench {
namespace {

using fft::Complex;

__global__ void widen(const float* from, double* to, long long count) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    to[i] = from[i];
  }
}

/// Adds up the squares of the differences, and of the exact values, of `length` numbers in each `distance`.
__global__ void add_squares(const float* found, const double* exact, long long count, long long distance,
                            long long length, double scale, double* sums) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  double errors = 0;
  double squares = 0;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    if (i % distance < length) {
      const double error = found[i] * scale - exact[i];
      errors += error * error;
      squares += exact[i] * exact[i];
    }
  }
  atomicAdd(&sums[0], errors);
  atomicAdd(&sums[1], squares);
}

/// Real points without gaps, their results on whole lines of 128 bytes.
struct Problem {
  long long points;
  int batch;
  bool inverse;

  [[nodiscard]] long long distance() const { return points / 2 + 16; }  ///< of results
  [[nodiscard]] long long reals() const { return points * batch; }
  [[nodiscard]] long long results() const { return distance() * batch; }
  [[nodiscard]] fft::Transform transform() const {
    return {.points = points,
            .batch = batch,
            .inverse = inverse,
            .in_distance = inverse ? distance() : points / 2,
            .out_distance = inverse ? points / 2 : distance(),
            .numbers = fft::Numbers::real};
  }
  [[nodiscard]] std::shared_ptr<cufftHandle> cufft(cufftType type, bool is_inverse) const {
    return cufft_plan(points, batch, type, is_inverse ? distance() : points, is_inverse ? points : distance());
  }
};

/// The error of what a launch has left in the output.
[[nodiscard]] double error_of(const Problem& problem, cudaStream_t stream) {
  const auto reals = device_array<double>(problem.reals());
  const auto sums = device_array<double>(2);
  widen<<<1024, 256, 0, stream>>>(input(), reals.get(), problem.reals());
  check(cudaMemsetAsync(sums.get(), 0, 2 * sizeof(double), stream));
  if (problem.inverse) {
    add_squares<<<256, 256, 0, stream>>>(output(), reals.get(), problem.reals(), 1, 1,
                                         1 / static_cast<double>(problem.points), sums.get());
  } else {
    const auto exact = device_array<double2>(problem.results());
    const auto plan = problem.cufft(CUFFT_D2Z, false);
    check_fft(cufftSetStream(*plan, stream));
    check_fft(cufftExecD2Z(*plan, reals.get(), exact.get()));
    add_squares<<<256, 256, 0, stream>>>(output(), reinterpret_cast<const double*>(exact.get()), 2 * problem.results(),
                                         2 * problem.distance(), problem.points + 2, 1, sums.get());
    check(cudaStreamSynchronize(stream));
  }
  double found[2];
  check(cudaMemcpyAsync(found, sums.get(), sizeof found, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  return std::sqrt(found[0] / found[1]);
}

/// `run(stream, from, to)` transforms; `from` is the input, or on the way back the input's exact results.
template <class Run>
[[nodiscard]] Subject transforms(const Problem& problem, const Run& run) {
  Subject subject;
  subject.bytes = sizeof(float) * static_cast<double>(problem.reals() + 2 * problem.results());
  // So many that the inputs are past the L2 before the first is read again.
  subject.launches = static_cast<int>(std::clamp((1LL << 28) / problem.reals(), 2LL, 64LL));
  const long long room = windows * window_elements();
  const long long turns = std::min<long long>(subject.launches, room / (2 * problem.results()));
  const auto results = device_array<Complex>(problem.inverse ? turns * problem.results() : 0);
  if (problem.inverse) {
    const auto plan = problem.cufft(CUFFT_R2C, false);
    for (long long turn = 0; turn < turns; ++turn) {
      check_fft(cufftExecR2C(*plan, const_cast<float*>(input()) + turn * problem.reals(),
                             reinterpret_cast<cufftComplex*>(results.get() + turn * problem.results())));
    }
    check(cudaDeviceSynchronize());
  }
  subject.launch = [=](cudaStream_t stream, int i) {
    const long long turn = i % turns;
    const float* const reals = input() + turn * problem.reals();
    run(stream, problem.inverse ? results.get() + turn * problem.results() : reinterpret_cast<const Complex*>(reals),
        reinterpret_cast<Complex*>(output() + turn * (problem.inverse ? problem.reals() : 2 * problem.results())));
  };
  subject.wrong = [=, launch = subject.launch](cudaStream_t stream) {
    poison(output(), problem.inverse ? problem.reals() : 2 * problem.results(), stream);
    launch(stream, 0);
    const double error = error_of(problem, stream);
    return error < 1e-6 ? std::string() : "an error of " + std::to_string(error);
  };
  subject.error = [=](cudaStream_t stream) { return error_of(problem, stream); };
  return subject;
}

[[nodiscard]] Subject by_dma(const Problem& problem) {
  const fft::Plan plan = fft::make_plan(problem.transform(), sms());
  const auto work = device_array<Complex>(plan.work_points());
  return transforms(problem, [=](cudaStream_t stream, const Complex* from, Complex* to) {
    fft::execute(plan, from, to, work.get(), stream);
  });
}

[[nodiscard]] Subject by_cufft(const Problem& problem) {
  const auto plan = problem.cufft(problem.inverse ? CUFFT_C2R : CUFFT_R2C, problem.inverse);
  return transforms(problem, [=](cudaStream_t stream, const Complex* from, Complex* to) {
    check_fft(cufftSetStream(*plan, stream));
    // What cuFFT may leave in the input of a way back does not change its time.
    auto* const input = const_cast<Complex*>(from);
    check_fft(problem.inverse
                  ? cufftExecC2R(*plan, reinterpret_cast<cufftComplex*>(input), reinterpret_cast<float*>(to))
                  : cufftExecR2C(*plan, reinterpret_cast<float*>(input), reinterpret_cast<cufftComplex*>(to)));
  });
}

void add_transform(int log, int batch, bool inverse) {
  const Problem problem{1LL << log, batch, inverse};
  const std::string name = "fft_real/n:" + std::to_string(problem.points) + "/batch:" + std::to_string(batch) +
                           "/inverse:" + std::to_string(inverse ? 1 : 0) + "/by:";
  add(name + "dma", [=] { return by_dma(problem); });
  add(name + "cufft", [=] { return by_cufft(problem); });
}

}  // namespace

void add_fft_real() {
  for (const bool inverse : {false, true}) {
    constexpr int log_of_batches = 26;
    for (const int log : {8, 9, 11, 13, 15, 16, 17}) {
      add_transform(log, 1 << (log_of_batches - log), inverse);
    }
    for (const int log : {11, 15, 20, 22, 24, 26}) {
      add_transform(log, 1, inverse);
    }
  }
}

}  // namespace bench
