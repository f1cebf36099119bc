#pragma once

#include <dma/launch/launch.hpp>
#include <dma/tune/fastest.hpp>
#include <dma/tune/graph_timer.hpp>
#include <dma/tune/tune_report.hpp>
#include <dma/tune/tuned_answer.hpp>
#include <dma/tune/variant.hpp>
#include <dma/tune/variant_space.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

namespace dma::inline v0_1::tuning {

/// How long a tuner measures, what and against which answer.
struct Options {
  double seconds = 60;               ///< for all measurements; the first round of them is completed in any case
  int launches = 8;                  ///< of a variant in one graph: `round` is 0 to `launches - 1`
  double bytes = 0;                  ///< that a launch moves, for a column of GB/s; 0: no such column
  Answer answer = {};                ///< what is compared with the first variant's; none: answers are not checked
  Limits search = {};                ///< samples, and when a variant is dropped; `exhaustive`: never
  std::ostream* progress = nullptr;  ///< told what is measured and how many variants are left
};

/// One variant of a space, ready to be measured.
template <class V = Variant>
struct Candidate {
  V variant;
  std::function<void(cudaStream_t, int round)> launch;
};

namespace detail {

/// What a space or a list has as variants.
template <auto Space>
using VariantOf = std::remove_cvref_t<decltype(Space[0])>;

/// What `candidates` returns.
template <auto Space, class Launch, int... Indices>
[[nodiscard]] std::vector<Candidate<VariantOf<Space>>> candidates_of(const Launch& launch,
                                                                     std::integer_sequence<int, Indices...>) {
  return {Candidate<VariantOf<Space>>{Space[Indices], [&launch](cudaStream_t stream, int round) {
                                        launch.template operator()<Space[Indices]>(stream, round);
                                      }}...};
}

/// For `throw_if`: what a variant has computed.
inline constexpr const char* answer_unreadable =
    "the answer to be compared cannot be read; name memory of the GPU and its size in the Answer";

/// Launches a candidate once and compares its answer with `expected`, which the first one fills.
///
/// Returns what is wrong, empty where nothing is; throws for an error that the device does not recover from.
template <class V>
[[nodiscard]] std::string check_candidate(const Candidate<V>& candidate, const Answer& answer,
                                          std::vector<unsigned char>& expected) {
  constexpr int not_a_number = 0xff;
  if (answer.bytes > 0) {
    dma::detail::throw_if(cudaMemset(answer.data, not_a_number, answer.bytes), answer_unreadable);
    dma::detail::throw_if(cudaDeviceSynchronize(), answer_unreadable);
  }
  try {
    candidate.launch(nullptr, 0);
  } catch (const LaunchError& error) {
    return error.what();
  }
  dma::detail::throw_if(cudaDeviceSynchronize(),
                        ("the kernel of " + text_of(candidate.variant) +
                         " failed; a checked build (DMA_CHECKED=1) names the rule that it breaks")
                            .c_str());
  if (answer.bytes == 0) {
    return {};
  }
  std::vector<unsigned char> found(answer.bytes);
  dma::detail::throw_if(cudaMemcpy(found.data(), answer.data, answer.bytes, cudaMemcpyDeviceToHost), answer_unreadable);
  const bool is_first = expected.empty();
  if (is_first) {
    expected = found;
  }
  const double difference = answer.difference(expected.data(), found.data());
  if (difference <= answer.tolerance) {
    return {};
  }
  if (is_first) {
    expected.clear();
    return "its answer has elements that are no numbers, or that it did not write";
  }
  return "its answer differs from the first variant's by " + std::to_string(difference) +
         " of the largest element, and the tolerance is " + std::to_string(answer.tolerance);
}

}  // namespace detail

/// The variants of a space or a list, each with its launch: for a list that is compiled in several units.
///
/// @param launch  as that of `tune`. The candidates refer to it.
template <auto Space, class Launch>
[[nodiscard]] std::vector<Candidate<detail::VariantOf<Space>>> candidates(const Launch& launch) {
  return detail::candidates_of<Space>(launch, std::make_integer_sequence<int, Space.count()>{});
}

/// Measures candidates, which may come from several units; `excluded` others were not compiled. See the other `tune`.
template <class V>
[[nodiscard]] Report<V> tune(const std::vector<Candidate<V>>& candidates, int excluded, const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  const auto say = [&](const std::string& text) {
    if (options.progress != nullptr) {
      *options.progress << "dma::tuning::tune: " << text << std::endl;
    }
  };
  Report<V> report;
  report.excluded = excluded;
  report.bytes = options.bytes;

  std::vector<unsigned char> expected;
  std::vector<typename Report<V>::Entry> measured;
  std::vector<typename Report<V>::Entry> refused;
  std::vector<std::unique_ptr<detail::GraphTimer>> timers;
  for (const Candidate<V>& candidate : candidates) {
    std::string wrong = detail::check_candidate(candidate, options.answer, expected);
    if (wrong.empty()) {
      timers.push_back(std::make_unique<detail::GraphTimer>(candidate.launch, options.launches));
      static_cast<void>(timers.back()->replay());  // the first replay uploads the graph
      measured.push_back({candidate.variant, 0, 0, 0, {}});
    } else {
      refused.push_back({candidate.variant, 0, 0, 0, std::move(wrong)});
    }
  }
  if (measured.empty()) {
    dma::detail::refuse_launch(dma::detail::MessageText().add(
        "dma::tuning::tune: none of the %zu variants can be measured; correct what the first is refused for: %s",
        candidates.size(), refused.front().refused.c_str()));
  }
  say(std::to_string(measured.size()) + " variants are right, " + std::to_string(refused.size()) + " are refused, " +
      std::to_string(excluded) + " were excluded before they were compiled");

  const auto is_time_over = [&] { return report.ran_out_of_time = elapsed() > options.seconds; };
  const std::vector<detail::MeasuredCandidate> found = detail::find_fastest(
      static_cast<int>(timers.size()),
      [&](int candidate) { return timers[static_cast<std::size_t>(candidate)]->replay(); }, is_time_over,
      options.search,
      [&](int left) {
        say(std::to_string(left) + " of " + std::to_string(measured.size()) + " variants are left after " +
            std::to_string(static_cast<int>(elapsed())) + " s");
      });
  for (std::size_t i = 0; i < measured.size(); ++i) {
    measured[i].seconds = found[i].samples.median();
    measured[i].spread = found[i].samples.spread();
    measured[i].rounds = found[i].rounds;
  }
  // Dropped in an earlier round, a variant is slower than those that were left.
  std::stable_sort(measured.begin(), measured.end(), [](const auto& a, const auto& b) {
    return a.rounds != b.rounds ? a.rounds > b.rounds : a.seconds < b.seconds;
  });
  report.variants = std::move(measured);
  report.variants.insert(report.variants.end(), std::make_move_iterator(refused.begin()),
                         std::make_move_iterator(refused.end()));
  report.seconds = elapsed();
  return report;
}

/// Measures a kernel's variants on this GPU with the caller's own data, and returns them in the order of their times.
///
///     constexpr dma::tuning::Space space{.tile_bytes = {4096, 8192}, .stages = {1, 2, 4}, .ctas_per_sm = {1, 2, 4}};
///     constexpr auto fitting = dma::tuning::select<space>([](dma::tuning::Variant v) { return v.fits_an_sm(); });
///     const dma::tuning::Report report = dma::tuning::tune<fitting>(
///         [&]<dma::tuning::Variant V>(cudaStream_t stream, int round) {
///           dma::launch(Scale<V>{}, V.ctas_per_sm * sms, stream, x + round * n, y, n);
///         },
///         {.answer = dma::tuning::answer(y, n)});
///     std::cout << report.to_text();
///
/// The launch is a function template over the variant; it enqueues launch `round` and nothing else, so that it can be
/// captured into a graph. To measure with cold caches, let successive rounds take different inputs that together are
/// several times the L2. Each variant is launched once, and its answer compared with the first one's, before any is
/// measured (`find_fastest`).
///
/// @tparam Space  a `Space`, what `select` has left of one, or a `List` of values of one's own
///
/// @throw LaunchError  no variant can be launched, or a kernel fails in a way from which the device does not recover
///
/// Cost    one kernel is compiled for each variant; `options.seconds` of measuring
template <auto Space, class Launch>
[[nodiscard]] Report<detail::VariantOf<Space>> tune(const Launch& launch, const Options& options = {}) {
  int excluded = 0;
  if constexpr (requires { Space.excluded; }) {
    excluded = Space.excluded;
  }
  return tune(candidates<Space>(launch), excluded, options);
}

}  // namespace dma::inline v0_1::tuning
