#pragma once

#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/machine/site.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dma::inline v0_1::host::detail {

/// The way out where some threads of a CTA wait for all of it.
inline constexpr const char* let_all_synchronize =
    "; let every thread of the CTA make each cta.sync(): inside a role call compute.sync() instead, and move others "
    "out of branches";

/// The threads of a CTA that wait, for the message of a deadlock.
class WaitingThreads {
 public:
  explicit WaitingThreads(PipelineLetters pipelines) : pipelines_(std::move(pipelines)) {}

  /// @param site    what the thread waits for
  /// @param caller  the call in which it waits
  void add(int rank, const machine::Site& site, const machine::SourceLocation& caller) {
    std::string text = std::string(machine::name_of(site.who)) + " wait for " + machine::name_of(site.point);
    const std::string place = pipelines_.place_of(site);
    text += place.empty() ? "" : ", " + place;
    if (!place.empty() || site.point == machine::Point::cta) {
      const std::string line = source_line(caller);
      text += line.empty() ? "" : " (" + line + ")";
    }
    ranks_[text].push_back(rank);
  }
  void add_ended(int rank) { ended_.push_back(rank); }

  /// One line for all threads that wait for the same, one for those that have ended, and one for each pipeline. Empty
  /// where none waits.
  [[nodiscard]] std::string text() const {
    std::string lines;
    for (const auto& [what, ranks] : ranks_) {
      lines += line_of(ranks, what);
    }
    lines += ended_.empty() ? "" : line_of(ended_, "at the kernel's end");
    return ranks_.empty() ? "" : lines + pipelines_.legend();
  }

 private:
  [[nodiscard]] static std::string line_of(const std::vector<int>& ranks, const std::string& what) {
    return "\n  threads " + std::to_string(ranks.front()) + " to " + std::to_string(ranks.back()) + " (" +
           std::to_string(ranks.size()) + " of them): " + what;
  }

  PipelineLetters pipelines_;
  std::map<std::string, std::vector<int>> ranks_;  ///< by what they wait for
  std::vector<int> ended_;
};

}  // namespace dma::inline v0_1::host::detail
