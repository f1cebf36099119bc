#pragma once

#include <dma/proof/record/program.hpp>
#include <dma/proof/record/recording.hpp>

#include <algorithm>
#include <cstddef>

namespace dma::inline v0_1::proof::detail {

/// Whether two accesses by lanes of one warp, or of any where the recording says so, that write the same bytes are one
/// instruction that stores one value. Then the value is stored, whichever lane's store is the last. An access without
/// an instruction, such as the opening of a barrier, is none.
///
/// Source  CUDA C++ Programming Guide, "SIMT Architecture": of lanes that write one location by one instruction, one
///         performs the final write
class OneStore {
 public:
  explicit OneStore(const Recording& recording) : recording_(&recording) {}

  [[nodiscard]] bool operator()(int thread, const Operation& one, int other_thread, const Operation& other) const {
    const bool is_one_warp = thread / 32 == other_thread / 32;
    if (one.kind == OperationKind::copy_to_global) {
      return is_one_warp && other.kind == one.kind && !one.adds && !other.adds && copy_the_same(one, other);
    }
    return (is_one_warp || recording_->has_stores_of_warps) && one.kind == OperationKind::access &&
           other.kind == OperationKind::access && store_the_same(one, other);
  }

 private:
  /// Bulk copies of one tile to one place by the lanes of a warp, as CUTLASS makes them.
  [[nodiscard]] bool copy_the_same(const Operation& one, const Operation& other) const {
    const auto of = [&](int number) { return recording_->seen.begin() + number; };
    return one.seen_first != one.seen_last &&
           std::equal(of(one.seen_first), of(one.seen_last), of(other.seen_first), of(other.seen_last),
                      [](const SeenInstruction& a, const SeenInstruction& b) {
                        return a.address == b.address && a.value == b.value;
                      });
  }
  [[nodiscard]] bool store_the_same(const Operation& one, const Operation& other) const {
    bool do_any_meet = false;
    for (int i = one.seen_first; i < one.seen_last; ++i) {
      for (int j = other.seen_first; j < other.seen_last; ++j) {
        const SeenInstruction& a = recording_->seen[static_cast<std::size_t>(i)];
        const SeenInstruction& b = recording_->seen[static_cast<std::size_t>(j)];
        const bool do_meet = a.writes && b.writes && a.hull.first < b.hull.last && b.hull.first < a.hull.last;
        if (do_meet && (a.address != b.address || !(a.hull == b.hull) || a.value != b.value ||
                        a.hull.last - a.hull.first > static_cast<long long>(a.value.size()))) {
          return false;
        }
        do_any_meet = do_any_meet || do_meet;
      }
    }
    return do_any_meet;
  }

  const Recording* recording_;
};

}  // namespace dma::inline v0_1::proof::detail
