#pragma once

#include <dma/proof/record/byte_ranges.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// The words that atomic accesses of a grid's threads access, by numbers that all runs have in common.
class AtomicWords {
 public:
  struct Word {
    ByteRange range;
    std::uint64_t initial;  ///< before the grid
  };

  /// The number of a word. A new one was not known to the accesses before.
  ///
  /// @param value  that it has now: the initial one of a new word
  [[nodiscard]] int number_of(const ByteRange& range, std::uint64_t value) {
    const auto [place, is_new] = numbers_.try_emplace(range.first, static_cast<int>(words_.size()));
    if (is_new) {
      words_.push_back({range, value});
    }
    has_overlaps_ = has_overlaps_ || !(words_[static_cast<std::size_t>(place->second)].range == range);
    return place->second;
  }
  /// Calls `visit(number)` for each known word that shares a byte with these.
  template <class Visit>
  void for_each_in(const ByteRange& bytes, const Visit& visit) const {
    for (auto place = numbers_.lower_bound(bytes.first - 7); place != numbers_.end() && place->first < bytes.last;
         ++place) {
      if (at(place->second).range.last > bytes.first) {
        visit(place->second);
      }
    }
  }
  [[nodiscard]] const Word& at(int number) const { return words_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] int count() const { return static_cast<int>(words_.size()); }
  /// Whether words of several sizes are in one place.
  [[nodiscard]] bool has_overlaps() const { return has_overlaps_; }

 private:
  std::vector<Word> words_;
  std::map<long long, int> numbers_;  ///< by the first byte
  bool has_overlaps_ = false;
};

}  // namespace dma::inline v0_1::proof::detail
