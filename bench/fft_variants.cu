// How long each variant of a transform's pass takes. What it writes is compared with the first variant of its radix.

#include "fft_variants.hpp"

#include "measure.hpp"
#include "sweeps.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bench {
namespace fft_variants {
namespace {

using fft::Complex;

[[nodiscard]] bool is_last(const PassShape& shape) { return shape.from == fft::Columns::runs; }

/// The pass with what is left of the transform in another, which is not launched.
[[nodiscard]] fft::PlannedPass planned(const PassShape& shape) {
  PassShape other{.points = static_cast<int>(points / shape.points), .columns = 1};
  if (is_last(shape)) {
    return fft::make_plan({.points = points}, sms(), {other, shape}).passes[1];
  }
  other.from = fft::Columns::runs;
  return fft::make_plan({.points = points}, sms(), {shape, other}).passes[0];
}

__global__ void count_different(const Complex* expected, const Complex* found, unsigned long long* wrong) {
  constexpr float tolerance = 1e-6F * 2048 * 4096;  // of sums of up to 4096 numbers below 2048
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < points; i += step) {
    const Complex difference = expected[i] - found[i];
    if (!(fabsf(difference.re) <= tolerance && fabsf(difference.im) <= tolerance)) {
      atomicAdd(wrong, 1ULL);
    }
  }
}

[[nodiscard]] std::string name_of(const PassShape& shape) {
  return std::string("fft_pass/pass:") + (is_last(shape) ? "last" : "first") +
         "/points:" + std::to_string(shape.points) + "/columns:" + std::to_string(shape.columns) +
         "/width:" + std::to_string(shape.width) + "/ctas:" + std::to_string(shape.ctas_an_sm) +
         "/loads:" + (shape.loads == fft::Loads::ahead ? "ahead" : "registers") +
         "/exchange:" + (shape.rounds == fft::Rounds::points ? "points" : "parts") +
         "/l2:" + (shape.l2_of_loads == dma::L2Priority::evict_first ? "evict_first" : "normal") + "/by:dma";
}

[[nodiscard]] Subject subject_of(const PassVariant& variant, const PassVariant& first) {
  const auto launch_at = [](const PassVariant& of, cudaStream_t stream, long long at, float* to) {
    const fft::PlannedPass pass = planned(of.shape);
    fft::PassProblem problem = pass.problem;
    problem.from = reinterpret_cast<const Complex*>(input()) + at;
    problem.to = reinterpret_cast<Complex*>(to) + at;
    of.launch(pass, problem, stream);
  };
  Subject subject;
  subject.bytes = 2.0 * sizeof(Complex) * points;
  subject.launch = [=](cudaStream_t stream, int i) {
    const long long turns = windows * window_elements() / 2 / points;
    launch_at(variant, stream, i % turns * points, output());
  };
  subject.wrong = [=](cudaStream_t stream) {
    float* const expected = output() + 2 * points;
    poison(output(), 2 * points, stream);
    launch_at(first, stream, 0, expected);
    launch_at(variant, stream, 0, output());
    const unsigned long long wrong = count_on_device(stream, [&](unsigned long long* count) {
      count_different<<<1024, 256, 0, stream>>>(reinterpret_cast<const Complex*>(expected),
                                                reinterpret_cast<const Complex*>(output()), count);
    });
    return wrong == 0 ? std::string() : std::to_string(wrong) + " points differ from the first variant's";
  };
  return subject;
}

template <int... Part>
[[nodiscard]] std::vector<PassVariant> variants_of(std::integer_sequence<int, Part...>) {
  std::vector<PassVariant> all;
  for (std::vector<PassVariant> some : {variants_of_part<Part>()...}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace
}  // namespace fft_variants

void add_fft_variants() {
  using fft_variants::PassVariant;
  const std::vector<PassVariant> all =
      fft_variants::variants_of(std::make_integer_sequence<int, fft_variants::parts>{});
  for (const PassVariant& variant : all) {
    const auto first = std::find_if(all.begin(), all.end(), [&](const PassVariant& each) {
      return each.shape.points == variant.shape.points && each.shape.from == variant.shape.from;
    });
    add(fft_variants::name_of(variant.shape), [=, first = *first] { return fft_variants::subject_of(variant, first); });
  }
  add("fft_pass/by:memcpy", [] {
    Subject subject;
    subject.bytes = 2.0 * sizeof(fft::Complex) * fft_variants::points;
    subject.in_graph = false;
    subject.launch = [](cudaStream_t stream, int i) {
      const long long at = i % 4 * 2 * fft_variants::points;
      check(cudaMemcpyAsync(output() + at, input() + at, sizeof(fft::Complex) * fft_variants::points,
                            cudaMemcpyDeviceToDevice, stream));
    };
    return subject;
  });
}

}  // namespace bench
