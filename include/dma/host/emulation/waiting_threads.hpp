#pragma once

#include <dma/machine/emulated_thread.hpp>

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace dma::host {

/// The threads of a CTA that wait, for the message of a deadlock.
class WaitingThreads {
 public:
  /// @param site  what the thread waits for
  void add(int rank, const machine::Site& site) {
    std::ostringstream text;
    text << machine::name_of(site.who) << " wait for " << machine::name_of(site.point);
    if (site.stage >= 0) {
      text << ", slot " << site.stage << " of " << machine::readable(site.pipeline);
    }
    ranks_[text.str()].push_back(rank);
  }

  [[nodiscard]] bool empty() const noexcept { return ranks_.empty(); }
  /// One line for all threads that wait for the same.
  [[nodiscard]] std::string text() const {
    std::ostringstream lines;
    for (const auto& [what, ranks] : ranks_) {
      lines << "\n  threads " << ranks.front() << " to " << ranks.back() << " (" << ranks.size()
            << " of them): " << what;
    }
    return lines.str();
  }

 private:
  std::map<std::string, std::vector<int>> ranks_;  ///< by what they wait for
};

}  // namespace dma::host
