#pragma once

#include <dma/proof/record/recording.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// The first thread and the first of its operations in which two runs differ; {-1, -1} where the runs are equal.
[[nodiscard]] inline std::pair<int, int> first_difference(const Recording& left, const Recording& right) {
  for (std::size_t thread = 0; thread < left.threads.size(); ++thread) {
    const auto& mine = left.threads[thread];
    const auto& other = right.threads[thread];
    const auto place = std::mismatch(mine.begin(), mine.end(), other.begin(), other.end(),
                                     [&](const Operation& a, const Operation& b) {
                                       return a.kind == b.kind && a.barrier == b.barrier && a.count == b.count &&
                                              (*left.ranges)[a.reads] == (*right.ranges)[b.reads] &&
                                              (*left.ranges)[a.writes] == (*right.ranges)[b.writes];
                                     });
    if (place.first != mine.end() || place.second != other.end()) {
      return {static_cast<int>(thread), static_cast<int>(place.first - mine.begin())};
    }
  }
  const auto writes_of = [](const Recording& recording, std::size_t thread) {
    std::vector<GlobalAccess> writes;
    if (!recording.global.empty()) {
      std::copy_if(recording.global[thread].begin(), recording.global[thread].end(), std::back_inserter(writes),
                   [](const GlobalAccess& access) { return access.writes; });
    }
    return writes;
  };
  for (std::size_t thread = 0; thread < left.threads.size(); ++thread) {
    const auto mine = writes_of(left, thread);
    const auto other = writes_of(right, thread);
    const auto place = std::mismatch(mine.begin(), mine.end(), other.begin(), other.end());
    if (place.first != mine.end() || place.second != other.end()) {
      const GlobalAccess& differs = place.first != mine.end() ? *place.first : *place.second;
      const Recording& of = place.first != mine.end() ? left : right;
      return {static_cast<int>(thread),
              differs.operation >= 0
                  ? differs.operation
                  : static_cast<int>(of.apart[thread][static_cast<std::size_t>(~differs.operation)].before)};
    }
  }
  return {-1, -1};
}

}  // namespace dma::inline v0_1::proof::detail
