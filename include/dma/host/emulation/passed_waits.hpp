#pragma once

#include <dma/machine/site.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <tuple>

namespace dma::inline v0_1::host::detail {

/// The waits for phases that lanes of a warp have passed, where they count as together: what one of them has passed,
/// the others pass at the same place for the same time.
class PassedWaits {
 public:
  /// Lanes count as together from now on.
  void begin() noexcept { counts_ = true; }
  /// Whether another lane has passed the wait that this one is at.
  [[nodiscard]] bool is_passed(int lane, const void* barrier, const machine::SourceLocation& place) const {
    if (!counts_) {
      return false;
    }
    const auto passed = passed_.find(key_of(barrier, place));
    return passed != passed_.end() && passed->second.most > passed->second.of_lanes[index(lane)];
  }
  void pass(int lane, const void* barrier, const machine::SourceLocation& place) {
    if (counts_) {
      Passed& passed = passed_[key_of(barrier, place)];
      passed.most = passed.most < ++passed.of_lanes[index(lane)] ? passed.of_lanes[index(lane)] : passed.most;
    }
  }

 private:
  using Key = std::tuple<const void*, const char*, int, unsigned>;
  struct Passed {
    std::array<int, 32> of_lanes{};  ///< how often
    int most = 0;
  };

  [[nodiscard]] static std::size_t index(int lane) { return static_cast<std::size_t>(lane); }
  [[nodiscard]] static Key key_of(const void* barrier, const machine::SourceLocation& place) {
    return {barrier, place.file(), place.line(), place.column()};
  }

  bool counts_ = false;
  std::map<Key, Passed> passed_;
};

}  // namespace dma::inline v0_1::host::detail
