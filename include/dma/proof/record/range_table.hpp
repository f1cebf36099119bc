#pragma once

#include <dma/proof/record/byte_ranges.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Gives each list of ranges a number, equal lists the same; 0 is the empty list.
///
/// Cost    a hash of the list
class RangeTable {
 public:
  RangeTable() : lists_(1) {}
  RangeTable(const RangeTable&) = delete;
  RangeTable& operator=(const RangeTable&) = delete;

  [[nodiscard]] int number_of(const ByteRanges& ranges) {
    if (!is_tidy(ranges)) {
      return number_of(tidy(ranges));
    }
    if (ranges.empty()) {
      return 0;
    }
    std::size_t at = place_of(ranges);
    for (; numbers_[at] != 0; at = (at + 1) % numbers_.size()) {
      if (lists_[static_cast<std::size_t>(numbers_[at])] == ranges) {
        return numbers_[at];
      }
    }
    numbers_[at] = size();
    lists_.push_back(ranges);
    bytes_ += sizeof ranges + ranges.size() * sizeof(ByteRange) + 4 * sizeof(int);
    if (lists_.size() * 2 > numbers_.size()) {
      grow();
    }
    return size() - 1;
  }
  [[nodiscard]] const ByteRanges& operator[](int number) const { return lists_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] int size() const { return static_cast<int>(lists_.size()); }
  /// Of memory that the lists take.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  [[nodiscard]] std::size_t place_of(const ByteRanges& ranges) const {
    std::uint64_t hash = 0;
    for (const ByteRange& range : ranges) {
      hash = (hash ^ static_cast<std::uint64_t>(range.first)) * 0x9e3779b97f4a7c15ULL;
      hash = (hash ^ (hash >> 32U) ^ static_cast<std::uint64_t>(range.last)) * 0xbf58476d1ce4e5b9ULL;
    }
    return (hash ^ (hash >> 32U)) % numbers_.size();
  }
  void grow() {
    numbers_ = std::vector<int>(numbers_.size() * 4, 0);
    for (int number = 1; number < size(); ++number) {
      std::size_t at = place_of((*this)[number]);
      while (numbers_[at] != 0) {
        at = (at + 1) % numbers_.size();
      }
      numbers_[at] = number;
    }
  }

  std::size_t bytes_ = 0;
  std::deque<ByteRanges> lists_;                        ///< a reference to one is valid as long as the table
  std::vector<int> numbers_ = std::vector<int>(64, 0);  ///< by hash, 0 where none is
};

}  // namespace dma::inline v0_1::proof::detail
