#pragma once

#include <dma/proof/record/byte_ranges.hpp>
#include <dma/proof/record/recording.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace dma::host {

/// Moves reads of global memory that no thread of the CTA writes out of a recording's operations into
/// `Recording::global_reads`: they conflict with other CTAs' writes alone.
///
/// Cost    a binary search for each range of each list
class GlobalReads {
 public:
  explicit GlobalReads(Recording& recording) : recording_(recording) {
    ByteRanges written;
    std::vector<bool> is_known(static_cast<std::size_t>(recording.ranges->size()));
    for (const auto& thread : recording.threads) {
      for (const Operation& operation : thread) {
        if (const auto list = static_cast<std::size_t>(operation.writes); !is_known[list]) {
          is_known[list] = true;
          std::copy_if((*recording.ranges)[operation.writes].begin(), (*recording.ranges)[operation.writes].end(),
                       std::back_inserter(written), is_global);
        }
      }
    }
    written_ = tidy(std::move(written));
  }

  void move_out() {
    std::vector<int> without(static_cast<std::size_t>(recording_.ranges->size()), -1);  // the number of each list
    for (auto& thread : recording_.threads) {
      for (Operation& operation : thread) {
        int& number = without[static_cast<std::size_t>(operation.reads)];
        if (number < 0) {
          number = split(operation.reads);
        }
        operation.reads = number;
      }
      std::erase_if(thread, [](const Operation& operation) {
        return operation.kind == OperationKind::access && operation.reads == 0 && operation.writes == 0;
      });
    }
    recording_.global_reads = tidy(std::move(recording_.global_reads));
  }

 private:
  [[nodiscard]] bool is_written(const ByteRange& range) const {
    const auto behind = std::partition_point(written_.begin(), written_.end(),
                                             [&](const ByteRange& other) { return other.last <= range.first; });
    return behind != written_.end() && behind->first < range.last;
  }
  [[nodiscard]] int split(int list) {
    const ByteRanges& all = (*recording_.ranges)[list];
    ByteRanges kept;
    for (const ByteRange& range : all) {
      (is_global(range) && !is_written(range) ? recording_.global_reads : kept).push_back(range);
    }
    return kept.size() == all.size() ? list : recording_.ranges->number_of(std::move(kept));
  }

  Recording& recording_;
  ByteRanges written_;  ///< global memory
};

}  // namespace dma::host
