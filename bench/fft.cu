// One-dimensional complex transforms of single precision, single ones and batches, beside cuFFT's. The error is that of
// all results, as a root mean square, against cuFFT in double precision. `fft_events` has launches timed one by one.

#include "../applications/fft/execute.hpp"
#include "cufft.cuh"
#include "fft_error.cuh"
#include "measure.hpp"
#include "sweeps.hpp"
#include "vkfft.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

namespace bench {
namespace {

using fft::Complex;

constexpr int first_log_by_events = 19;

/// The error of `results`, the transforms of the input's first window, relative to the results.
[[nodiscard]] double error_of(const Complex* results, long long points, int batch, cudaStream_t stream) {
  const long long count = points * batch;
  const auto exact = device_array<double2>(count);
  const auto plan = cufft_plan(points, batch, CUFFT_Z2Z);
  check_fft(cufftSetStream(*plan, stream));
  widen<<<1024, 256, 0, stream>>>(reinterpret_cast<const Complex*>(input()), exact.get(), count);
  check_fft(cufftExecZ2Z(*plan, exact.get(), exact.get(), CUFFT_FORWARD));
  return relative_error(results, exact.get(), count, stream);
}

/// `run(stream, from, to)` transforms.
template <class Run>
[[nodiscard]] Subject transforms(long long points, int batch, const Run& run) {
  const long long count = points * batch;
  const long long room = windows * window_elements() / 2;
  Subject subject;
  subject.bytes = 2.0 * sizeof(Complex) * static_cast<double>(count);
  // So many that the inputs are past the L2 before the first is read again.
  subject.launches = static_cast<int>(std::clamp((1LL << 27) / count, 2LL, 64LL));
  const long long turns = std::min<long long>(subject.launches, room / count);
  subject.launch = [=](cudaStream_t stream, int i) {
    const long long at = i % turns * count;
    run(stream, reinterpret_cast<const Complex*>(input()) + at, reinterpret_cast<Complex*>(output()) + at);
  };
  subject.wrong = [=, launch = subject.launch](cudaStream_t stream) {
    poison(output(), 2 * count, stream);
    launch(stream, 0);
    const double error = error_of(reinterpret_cast<const Complex*>(output()), points, batch, stream);
    return error < 1e-6 ? std::string() : "an error of " + std::to_string(error);
  };
  subject.error = [=](cudaStream_t stream) {
    return error_of(reinterpret_cast<const Complex*>(output()), points, batch, stream);
  };
  return subject;
}

[[nodiscard]] Subject by_dma(long long points, int batch) {
  const fft::Plan plan = fft::make_plan({.points = points, .batch = batch}, sms());
  const auto work = device_array<Complex>(plan.work_points());
  return transforms(points, batch, [=](cudaStream_t stream, const Complex* from, Complex* to) {
    fft::execute(plan, from, to, work.get(), stream);
  });
}

[[nodiscard]] Subject by_cufft(long long points, int batch) {
  const auto plan = cufft_plan(points, batch, CUFFT_C2C);
  return transforms(points, batch, [=](cudaStream_t stream, const Complex* from, Complex* to) {
    check_fft(cufftSetStream(*plan, stream));
    // cuFFT does not write to the input of a transform that is not in place.
    check_fft(cufftExecC2C(*plan, reinterpret_cast<cufftComplex*>(const_cast<Complex*>(from)),
                           reinterpret_cast<cufftComplex*>(to), CUFFT_FORWARD));
  });
}

/// The faster of two, of rows as long as VkFFT takes by itself and twice as long.
[[maybe_unused, nodiscard]] Subject by_vkfft(long long points, int batch) {
  std::vector<Subject> subjects;
  for (const int coalesced_bytes : {32, 64}) {
    subjects.push_back(transforms(points, batch, vkfft_transform(points, coalesced_bytes)));
    subjects.back().label = "rows of " + std::to_string(coalesced_bytes) + " bytes";
  }
  return fastest_of(std::move(subjects));
}

/// `by(points, batch)` makes the subject. Single transforms of several passes are also timed one by one.
template <class By>
void add_transforms(int log, int batch, const std::string& name, const By& by) {
  const long long points = 1LL << log;
  const std::string rest = "/n:" + std::to_string(points) + "/batch:" + std::to_string(batch) + "/by:" + name;
  add("fft" + rest, [=] { return by(points, batch); });
  if (batch == 1 && log >= first_log_by_events) {
    add("fft_events" + rest, [=] {
      Subject subject = by(points, batch);
      subject.by_events = true;
      return subject;
    });
  }
}

void add_transforms(int log, int batch) {
  add_transforms(log, batch, "dma", by_dma);
  add_transforms(log, batch, "cufft", by_cufft);
  if constexpr (has_vkfft) {
    if (batch == 1 && log >= first_log_by_events) {
      add_transforms(log, batch, "vkfft", by_vkfft);
    }
  }
}

}  // namespace

void add_fft() {
  constexpr int log_of_batches = 25;
  for (int log = 7; log <= 27; ++log) {
    add_transforms(log, 1);
    if (log <= 18) {
      add_transforms(log, 1 << (log_of_batches - log));
    }
  }
}

}  // namespace bench
