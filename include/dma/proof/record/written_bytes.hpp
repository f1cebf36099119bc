#pragma once

#include <dma/proof/record/byte_ranges.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Which bytes of a CTA's shared memory were written, and when; which are the words of open mbarriers. Time counts
/// writes and releases of slots.
class WrittenBytes {
 public:
  using Time = unsigned;

  explicit WrittenBytes(std::size_t bytes) : at_(bytes, never) {}

  [[nodiscard]] Time tick() { return ++now_; }
  void write(const ByteRange& range) { std::fill(begin(range), end(range), tick()); }
  void forget(const ByteRange& range) { std::fill(begin(range), end(range), never); }
  void open_barrier(const ByteRange& word) {
    std::fill(begin(word), end(word), barrier);
    barriers_ = barriers_.last == 0
                    ? word
                    : ByteRange{std::min(barriers_.first, word.first), std::max(barriers_.last, word.last)};
  }

  /// The first byte of an open barrier's word.
  [[nodiscard]] std::optional<long long> barrier_in(const ByteRange& range) const {
    if (range.last <= barriers_.first || barriers_.last <= range.first) {
      return std::nullopt;
    }
    const auto found = std::find(begin(range), end(range), barrier);
    return found == end(range) ? std::nullopt : std::optional(found - at_.begin());
  }
  /// The first byte of a granule of which no byte was written after `since`. Of a granule that is written in part, the
  /// rest is padding.
  [[nodiscard]] std::optional<long long> unwritten_in(const ByteRange& range, long long granule, Time since) const {
    for (long long first = range.first; first < range.last; first += granule) {
      const ByteRange part{first, std::min(first + granule, range.last)};
      if (std::all_of(begin(part), end(part), [&](Time at) { return at <= since; })) {
        return first;
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] bool was_written(long long byte) const { return at_[static_cast<std::size_t>(byte)] != never; }

 private:
  static constexpr Time never = 0;
  static constexpr Time barrier = std::numeric_limits<Time>::max();

  using Times = std::vector<Time>;

  [[nodiscard]] Times::iterator begin(const ByteRange& range) { return at_.begin() + offset(range.first); }
  [[nodiscard]] Times::iterator end(const ByteRange& range) { return at_.begin() + offset(range.last); }
  [[nodiscard]] Times::const_iterator begin(const ByteRange& range) const { return at_.begin() + offset(range.first); }
  [[nodiscard]] Times::const_iterator end(const ByteRange& range) const { return at_.begin() + offset(range.last); }
  [[nodiscard]] static std::ptrdiff_t offset(long long byte) { return static_cast<std::ptrdiff_t>(byte); }

  Times at_;                  ///< of each byte the time of its last write
  ByteRange barriers_{0, 0};  ///< hull of the words that were barriers
  Time now_ = never;
};

}  // namespace dma::inline v0_1::proof::detail
