#pragma once

#include <dma/proof/record/byte_ranges.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// A set of bytes of shared memory, by a bit each.
class TouchedBytes {
 public:
  explicit TouchedBytes(std::size_t bytes) : words_(bytes / bits + 1) {}

  /// @pre The range is not empty.
  void add(const ByteRange& range) {
    const auto first = static_cast<std::size_t>(range.first);
    const auto last = static_cast<std::size_t>(range.last - 1);
    const std::uint64_t from_first = ~std::uint64_t{0} << first % bits;
    const std::uint64_t to_last = ~std::uint64_t{0} >> (bits - 1 - last % bits);
    if (first / bits == last / bits) {
      words_[first / bits] |= from_first & to_last;
    } else {
      words_[first / bits] |= from_first;
      std::fill(word(first / bits + 1), word(last / bits), ~std::uint64_t{0});
      words_[last / bits] |= to_last;
    }
    first_ = std::min(first_, first / bits);
    end_ = std::max(end_, last / bits + 1);
  }
  /// Appends the bytes to `ranges`, and forgets them.
  void take(ByteRanges& ranges) {
    std::uint64_t before = 0;  // 1 where the byte before is of the set
    for (std::size_t at = first_; at < end_; ++at) {
      const std::uint64_t set = std::exchange(words_[at], 0);
      for (std::uint64_t edges = set ^ (set << 1U | before); edges != 0; edges &= edges - 1) {
        const int bit = std::countr_zero(edges);
        const auto byte = static_cast<long long>(at * bits) + bit;
        if ((set >> bit & 1U) != 0) {
          ranges.push_back({byte, byte});
        } else {
          ranges.back().last = byte;
        }
      }
      before = set >> (bits - 1);
    }
    if (before != 0) {
      ranges.back().last = static_cast<long long>(end_ * bits);
    }
    first_ = words_.size();
    end_ = 0;
  }

 private:
  static constexpr std::size_t bits = 64;

  [[nodiscard]] std::vector<std::uint64_t>::iterator word(std::size_t at) {
    return words_.begin() + static_cast<std::ptrdiff_t>(at);
  }

  std::vector<std::uint64_t> words_;
  // Of the words with a byte of the set: the first, and one behind the last.
  std::size_t first_ = words_.size();
  std::size_t end_ = 0;
};

}  // namespace dma::inline v0_1::proof::detail
