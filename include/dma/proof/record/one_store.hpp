#pragma once

#include <dma/proof/record/byte_ranges.hpp>
#include <dma/proof/record/program.hpp>
#include <dma/proof/record/recording.hpp>

#include <algorithm>
#include <cstddef>

namespace dma::host {

/// Whether two accesses by lanes of one warp meet only in stores of one value by one instruction. Then the value is
/// stored, whichever lane's store is the last.
///
/// Source  CUDA C++ Programming Guide, "SIMT Architecture": of lanes that write one location by one instruction, one
///         performs the final write
class OneStore {
 public:
  explicit OneStore(const Recording& recording) : recording_(&recording) {}

  [[nodiscard]] bool operator()(int thread, const Operation& one, int other_thread, const Operation& other) const {
    return thread / 32 == other_thread / 32 && one.kind == OperationKind::access &&
           other.kind == OperationKind::access && !meet(one.reads, other.writes) && !meet(one.writes, other.reads) &&
           store_the_same(one, other);
  }

 private:
  [[nodiscard]] bool meet(int list, int other) const {
    const ByteRanges& left = (*recording_->ranges)[list];
    const ByteRanges& right = (*recording_->ranges)[other];
    return std::any_of(left.begin(), left.end(), [&](const ByteRange& a) {
      return std::any_of(right.begin(), right.end(),
                         [&](const ByteRange& b) { return a.first < b.last && b.first < a.last; });
    });
  }
  [[nodiscard]] bool store_the_same(const Operation& one, const Operation& other) const {
    for (int i = one.seen_first; i < one.seen_last; ++i) {
      for (int j = other.seen_first; j < other.seen_last; ++j) {
        const SeenInstruction& a = recording_->seen[static_cast<std::size_t>(i)];
        const SeenInstruction& b = recording_->seen[static_cast<std::size_t>(j)];
        const bool do_meet = a.writes && b.writes && a.hull.first < b.hull.last && b.hull.first < a.hull.last;
        if (do_meet && (a.address != b.address || !(a.hull == b.hull) || a.value != b.value ||
                        a.hull.last - a.hull.first > static_cast<long long>(a.value.size()))) {
          return false;
        }
      }
    }
    return true;
  }

  const Recording* recording_;
};

}  // namespace dma::host
