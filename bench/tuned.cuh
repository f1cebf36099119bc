#pragma once

/// The variant that `dma::tuning::tune` finds beside the one that an exhaustive search of the same space finds.

#include "measure.hpp"

#include <dma/tune/tune.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Counts the elements of `found` that are off by more than `tolerance`.
static __global__ void count_apart(const float* expected, const float* found, long long elements, float tolerance,
                                   unsigned long long* wrong) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += step) {
    if (!(fabsf(expected[i] - found[i]) <= tolerance)) {
      atomicAdd(wrong, 1ULL);
    }
  }
}

/// A problem for every variant of a space.
template <class Launch>
struct TunedProblem {
  Launch launch;  ///< `operator()<Variant>(stream, i)`; launch 0 writes `output(0)`
  /// The same by a plain kernel: launch 0 into an array.
  std::function<void(cudaStream_t stream, float* answer)> plain;
  long long elements;  ///< of the answer; at most a window
  float tolerance;
  double bytes;  ///< that a launch moves
};

/// What two searches of a space found.
template <class Launch>
struct SearchedSpace {
  TunedProblem<Launch> problem;
  std::vector<dma::tuning::Candidate<>> candidates = {};  ///< refer to `problem.launch`
  dma::tuning::Report<> tuner = {};
  dma::tuning::Report<> exhaustive = {};

  /// The fastest of a search, to be measured like every other subject.
  [[nodiscard]] Subject subject(const dma::tuning::Report<>& report) const {
    const dma::tuning::Variant best = report.best().variant;
    const auto launch_best =
        std::find_if(candidates.begin(), candidates.end(), [&](const dma::tuning::Candidate<>& each) {
          return each.variant == best;
        })->launch;
    Subject subject;
    subject.bytes = problem.bytes;
    subject.launch = launch_best;
    subject.wrong = [launch_best, problem = problem](cudaStream_t stream) {
      poison(output(0), problem.elements, stream);
      launch_best(stream, 0);
      problem.plain(stream, output(1));
      const unsigned long long wrong = count_on_device(stream, [&](unsigned long long* count) {
        count_apart<<<1024, 256, 0, stream>>>(output(1), output(0), problem.elements, problem.tolerance, count);
      });
      return wrong == 0 ? std::string() : std::to_string(wrong) + " elements are wrong";
    };
    subject.label = dma::tuning::to_text(best);
    subject.counters = {{"search_seconds", report.seconds}, {"variants", static_cast<double>(report.variants.size())}};
    return subject;
  }
};

/// Both searches of a space of variants, when the turn of the first of their subjects comes: `make()` is a problem.
template <auto Variants, class Make>
void add_searches(const std::string& name, const Make& make) {
  using Space = SearchedSpace<decltype(make().launch)>;
  const auto searched = std::make_shared<std::optional<Space>>();
  const auto search = [=]() -> const Space& {
    if (!searched->has_value()) {
      Space& space = searched->emplace(Space{make()});
      space.candidates = dma::tuning::candidates<Variants>(space.problem.launch);
      constexpr long long most_compared = 1 << 24;  // on the host
      dma::tuning::Options options;
      options.launches = windows;
      options.bytes = space.problem.bytes;
      options.answer =
          dma::tuning::answer(output(0), static_cast<std::size_t>(std::min(space.problem.elements, most_compared)));
      space.tuner = dma::tuning::tune(space.candidates, Variants.excluded, options);
      options.search = dma::tuning::exhaustive;
      space.exhaustive = dma::tuning::tune(space.candidates, Variants.excluded, options);
    }
    return **searched;
  };
  add(name + "/by:tuner", [=] { return search().subject(search().tuner); });
  add(name + "/by:exhaustive", [=] { return search().subject(search().exhaustive); });
}

}  // namespace bench
