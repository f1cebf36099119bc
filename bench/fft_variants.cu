// How long each variant of a transform's pass takes, by dma::tuning::tune: an exhaustive search of the variants of each
// radix, and the one that drops slow ones. All write the same as the first.

#include "fft_variants.hpp"

#include "measure.hpp"
#include "sweeps.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bench {
namespace fft_variants {

using fft_pass::is_last;

namespace {

[[nodiscard]] std::string name_of_radix(const PassShape& shape) {
  return std::string("fft_pass/pass:") + (is_last(shape) ? "last" : "first") +
         "/points:" + std::to_string(shape.points);
}
[[nodiscard]] std::string name_of(const PassShape& shape) {
  return name_of_radix(shape) + "/columns:" + std::to_string(shape.columns) + "/width:" + std::to_string(shape.width) +
         "/ctas:" + std::to_string(shape.ctas_an_sm) +
         "/loads:" + (shape.loads == fft::Loads::ahead ? "ahead" : "registers") +
         "/exchange:" + (shape.rounds == fft::Rounds::points ? "points" : "parts") +
         "/l2:" + (shape.l2_of_loads == dma::L2Priority::evict_first ? "evict_first" : "normal") + "/by:dma";
}

/// The variants of one radix as first or last pass, and what two searches of them find.
class Radix {
 public:
  void add(const Candidate& candidate) { candidates_.push_back(candidate); }
  [[nodiscard]] const std::vector<Candidate>& candidates() const { return candidates_; }
  [[nodiscard]] bool has(const PassShape& shape) const {
    return candidates_.front().variant.points == shape.points && candidates_.front().variant.from == shape.from;
  }

  [[nodiscard]] const dma::tuning::Report<PassShape>& exhaustive() {
    return search(exhaustive_, dma::tuning::exhaustive);
  }
  [[nodiscard]] const dma::tuning::Report<PassShape>& tuner() { return search(tuner_, {}); }

 private:
  using Report = std::optional<dma::tuning::Report<PassShape>>;

  const dma::tuning::Report<PassShape>& search(Report& report, const dma::tuning::Limits& limits) {
    if (!report.has_value()) {
      // A quarter of the points, of all tiles: the comparison is on the host.
      constexpr std::size_t compared = 2 * points / 4;
      report = dma::tuning::tune(
          candidates_, 0,
          {.bytes = fft_pass::bytes, .answer = dma::tuning::answer(output(), compared), .search = limits});
    }
    return *report;
  }

  std::vector<Candidate> candidates_;
  Report exhaustive_;
  Report tuner_;
};

[[nodiscard]] Subject subject_of(const dma::tuning::Report<PassShape>::Entry& variant) {
  if (!variant.refused.empty()) {
    throw std::runtime_error("wrong answer: " + variant.refused);
  }
  Subject subject;
  subject.bytes = fft_pass::bytes;
  subject.seconds = variant.seconds;
  return subject;
}

template <int... Part>
[[nodiscard]] std::vector<std::shared_ptr<Radix>> radices_of(std::integer_sequence<int, Part...>) {
  std::vector<std::shared_ptr<Radix>> radices;
  for (const std::vector<Candidate>& some : {candidates_of_part<Part>()...}) {
    for (const Candidate& candidate : some) {
      const auto same = std::find_if(radices.begin(), radices.end(),
                                     [&](const auto& radix) { return radix->has(candidate.variant); });
      const auto& radix = same == radices.end() ? radices.emplace_back(std::make_shared<Radix>()) : *same;
      radix->add(candidate);
    }
  }
  return radices;
}

}  // namespace
}  // namespace fft_variants

void add_fft_variants() {
  using namespace fft_variants;
  for (const auto& radix : radices_of(std::make_integer_sequence<int, parts>{})) {
    for (const Candidate& candidate : radix->candidates()) {
      add(
          name_of(candidate.variant),
          [radix, shape = candidate.variant] {
            const auto& found = radix->exhaustive().variants;
            return subject_of(
                *std::find_if(found.begin(), found.end(), [&](const auto& each) { return each.variant == shape; }));
          },
          Times::known);
    }
    add(
        name_of_radix(radix->candidates().front().variant) + "/by:tuner",
        [radix] {
          const auto& report = radix->tuner();
          Subject subject = subject_of(report.best());
          subject.label = to_text(report.best().variant);
          subject.counters = {{"search_seconds", report.seconds},
                              {"variants", static_cast<double>(report.variants.size())}};
          return subject;
        },
        Times::known);
  }
  add("fft_pass/by:memcpy", [] {
    Subject subject;
    subject.bytes = fft_pass::bytes;
    subject.in_graph = false;
    subject.launch = [](cudaStream_t stream, int i) {
      const long long at = i % 4 * 2 * points;
      check(cudaMemcpyAsync(output() + at, input() + at, sizeof(fft::Complex) * points, cudaMemcpyDeviceToDevice,
                            stream));
    };
    return subject;
  });
}

}  // namespace bench
