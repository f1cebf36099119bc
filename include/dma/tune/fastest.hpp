#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace dma::inline v0_1::tuning {

namespace detail {

/// The samples of one candidate, in seconds.
class Samples {
 public:
  void add(double seconds) { sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), seconds), seconds); }

  [[nodiscard]] int count() const { return static_cast<int>(sorted_.size()); }
  /// The middle one, the faster of two; infinite where there is none.
  [[nodiscard]] double median() const {
    return sorted_.empty() ? std::numeric_limits<double>::infinity() : sorted_[(sorted_.size() - 1) / 2];
  }
  /// The distance between the quartiles as a share of the median.
  [[nodiscard]] double spread() const {
    const std::size_t quarter = sorted_.size() / 4;
    return sorted_.size() < 4 ? 0 : (sorted_[sorted_.size() - 1 - quarter] - sorted_[quarter]) / median();
  }

 private:
  std::vector<double> sorted_;
};

/// A candidate's samples, and how many rounds it was measured in: the fastest ones stay until the last.
struct MeasuredCandidate {
  Samples samples;
  int rounds = 0;
};

}  // namespace detail

/// How `find_fastest` spends its time.
struct Limits {
  int samples_a_round = 5;
  int most_samples = 40;       ///< of one candidate
  double first_margin = 0.30;  ///< candidates slower than the fastest by more are dropped; halved each round
  double last_margin = 0.01;   ///< its end: candidates this close are measured until there are `most_samples`
};

/// The limits of a search that drops no candidate: each is measured until there are `most_samples`.
inline constexpr Limits exhaustive{.first_margin = std::numeric_limits<double>::infinity(),
                                   .last_margin = std::numeric_limits<double>::infinity()};

namespace detail {

/// Measures candidates in rounds, each round in a random order, and drops those that are too slow to be the fastest
/// after each. So an influence that changes with time, as the GPU's temperature does, meets all alike, and most of the
/// time goes to the fast ones.
///
/// @param measure       one sample of a candidate, in seconds
/// @param is_time_over  asked before each sample of the second and later rounds: the first round is always completed
/// @param ended_round   told how many candidates are left
///
/// Returns the candidates in the order of their numbers.
[[nodiscard]] inline std::vector<MeasuredCandidate> find_fastest(int candidates,
                                                                 const std::function<double(int)>& measure,
                                                                 const std::function<bool()>& is_time_over,
                                                                 const Limits& limits = {},
                                                                 const std::function<void(int)>& ended_round = {}) {
  std::vector<MeasuredCandidate> measured(static_cast<std::size_t>(candidates));
  const auto of = [&](int candidate) -> MeasuredCandidate& { return measured[static_cast<std::size_t>(candidate)]; };
  const auto median = [&](int candidate) { return of(candidate).samples.median(); };
  std::vector<int> left(static_cast<std::size_t>(candidates));
  for (int i = 0; i < candidates; ++i) {
    left[static_cast<std::size_t>(i)] = i;
  }
  std::mt19937 random(1);
  bool is_first_round = true;
  double margin = limits.first_margin;
  for (int taken = 0; !left.empty() && taken < limits.most_samples; taken += limits.samples_a_round) {
    for (const int candidate : left) {
      ++of(candidate).rounds;
    }
    for (int i = 0; i < limits.samples_a_round; ++i) {
      std::shuffle(left.begin(), left.end(), random);
      for (const int candidate : left) {
        if (!is_first_round && is_time_over()) {
          return measured;
        }
        of(candidate).samples.add(measure(candidate));
      }
    }
    is_first_round = false;
    double fastest = std::numeric_limits<double>::infinity();
    for (const int candidate : left) {
      fastest = std::min(fastest, median(candidate));
    }
    std::erase_if(left, [&](int candidate) { return median(candidate) > fastest * (1 + margin); });
    if (ended_round) {
      ended_round(static_cast<int>(left.size()));
    }
    if (left.size() == 1) {
      break;
    }
    margin = std::max(margin / 2, limits.last_margin);
  }
  return measured;
}

}  // namespace detail

}  // namespace dma::inline v0_1::tuning
