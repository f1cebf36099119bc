#pragma once

#include <dma/proof/record/byte_ranges.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// The words that atomic accesses of a grid's threads access, by numbers that all runs have in common.
class AtomicWords {
 public:
  struct Word {
    ByteRange range;
    std::uint64_t initial;  ///< before the grid
  };

  /// An atomic access of some of another word's bytes.
  struct Overlap {
    int thread;
    ByteRange bytes;
    ByteRange word;
  };

  /// The number of a word. A new one was not known to the accesses before.
  ///
  /// @param value   that it has now: the initial one of a new word
  /// @param thread  that accesses it
  [[nodiscard]] int number_of(const ByteRange& range, std::uint64_t value, int thread) {
    for_each_in(range, [&](int word) {
      if (!overlap_ && !(at(word).range == range)) {
        overlap_ = {thread, range, at(word).range};
      }
    });
    const auto [place, is_new] = numbers_.try_emplace(range.first, static_cast<int>(words_.size()));
    if (is_new) {
      words_.push_back({range, value});
    }
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
  /// The first one, where there is one.
  [[nodiscard]] const std::optional<Overlap>& overlap() const { return overlap_; }

 private:
  std::vector<Word> words_;
  std::map<long long, int> numbers_;  ///< by the first byte
  std::optional<Overlap> overlap_;
};

}  // namespace dma::inline v0_1::proof::detail
