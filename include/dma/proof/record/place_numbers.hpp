#pragma once

#include <cstddef>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Numbers of the phase barriers and of the atomic locations of CTAs that run together, by their place. All its runs
/// have the same, although threads come to these in another order under another schedule.
class PlaceNumbers {
 public:
  /// @param cta     that has the barrier: its number modulo `ctas`
  /// @param opened  how many barriers the run has opened there before
  [[nodiscard]] int of_barrier(int cta, int ctas, long long place, int opened) {
    const auto [number, is_new] = barriers_.try_emplace({cta, place, opened}, 0);
    if (is_new) {
      count_.resize(static_cast<std::size_t>(ctas));
      number->second = count_[static_cast<std::size_t>(cta)]++ * ctas + cta;
    }
    return number->second;
  }
  /// Of a part of a warp's lanes.
  [[nodiscard]] int of_lanes(int warp, unsigned mask) {
    return lanes_.try_emplace({warp, mask}, static_cast<int>(lanes_.size())).first->second;
  }
  [[nodiscard]] int of_atomic(long long first_byte) {
    return atomics_.try_emplace(first_byte, static_cast<int>(atomics_.size())).first->second;
  }

 private:
  std::map<std::tuple<int, long long, int>, int> barriers_;
  std::vector<int> count_;  ///< barriers of each CTA
  std::map<std::pair<int, unsigned>, int> lanes_;
  std::map<long long, int> atomics_;
};

}  // namespace dma::inline v0_1::proof::detail
