#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Bytes of shared memory: offsets `first` to one behind the last; of global memory: addresses above `first_global`.
struct ByteRange {
  long long first;
  long long last;

  // Not defaulted: nvcc does not define a defaulted operator here.
  friend bool operator==(const ByteRange& left, const ByteRange& right) {
    return left.first == right.first && left.last == right.last;
  }
  friend bool operator<(const ByteRange& left, const ByteRange& right) {
    return left.first != right.first ? left.first < right.first : left.last < right.last;
  }
};
using ByteRanges = std::vector<ByteRange>;

/// Behind every offset in shared memory.
inline constexpr long long first_global = 1LL << 48;
[[nodiscard]] constexpr bool is_global(const ByteRange& range) { return range.first >= first_global; }

/// The shared memory of a CTA, from which ranges count; all other memory is global.
class WatchedMemory {
 public:
  WatchedMemory(const void* shared, std::size_t bytes)
      : shared_(reinterpret_cast<std::uintptr_t>(shared)), bytes_(bytes) {}

  [[nodiscard]] std::size_t shared_bytes() const noexcept { return bytes_; }
  [[nodiscard]] ByteRange range_of(const void* place, std::size_t bytes) const {
    const auto address = reinterpret_cast<std::uintptr_t>(place);
    const std::uintptr_t offset = address - shared_;
    const bool is_shared = offset < bytes_;
    const auto first = static_cast<long long>(is_shared ? offset : address + first_global);
    return {first, first + static_cast<long long>(is_shared ? std::min(bytes, bytes_ - offset) : bytes)};
  }
  /// @param range  one that `range_of` gave
  [[nodiscard]] const void* place_of(const ByteRange& range) const {
    const auto first = static_cast<std::uintptr_t>(is_global(range) ? range.first - first_global : range.first);
    return reinterpret_cast<const void*>(is_global(range) ? first : shared_ + first);
  }

 private:
  std::uintptr_t shared_;
  std::size_t bytes_;
};

/// Whether ranges are sorted and none touches another.
[[nodiscard]] inline bool is_tidy(const ByteRanges& ranges) {
  return std::adjacent_find(ranges.begin(), ranges.end(), [](const ByteRange& range, const ByteRange& next) {
           return next.first <= range.last;
         }) == ranges.end();
}
/// Sorts ranges, and joins those that touch.
[[nodiscard]] inline ByteRanges tidy(ByteRanges ranges) {
  if (is_tidy(ranges)) {
    return ranges;
  }
  std::sort(ranges.begin(), ranges.end());
  ByteRanges result;
  for (const ByteRange& range : ranges) {
    if (!result.empty() && range.first <= result.back().last) {
      result.back().last = std::max(result.back().last, range.last);
    } else {
      result.push_back(range);
    }
  }
  return result;
}

/// The bytes that a thread accesses between two operations.
struct Accesses {
  ByteRanges reads, writes;

  [[nodiscard]] bool is_empty() const { return reads.empty() && writes.empty(); }
  void clear() {
    reads.clear();
    writes.clear();
  }
  void make_tidy() {
    for (ByteRanges* const ranges : {&reads, &writes}) {
      if (!is_tidy(*ranges)) {
        *ranges = tidy(std::move(*ranges));
      }
    }
  }
};

}  // namespace dma::inline v0_1::proof::detail
