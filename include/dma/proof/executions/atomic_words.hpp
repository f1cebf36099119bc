#pragma once

#include <dma/machine/site.hpp>
#include <dma/proof/record/byte_ranges.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// The words that atomic accesses of a grid's threads access, by numbers that all runs have in common.
class AtomicWords {
 public:
  /// Who accesses a word, and where.
  struct Access {
    int thread;
    const void* code;
    machine::SourceLocation caller;
  };
  struct Word {
    ByteRange range;
    std::uint64_t initial;    ///< before the grid
    Access first;             ///< an atomic access
    bool is_certain = false;  ///< the initial value: it was there before accesses of a run that knew the word
  };

  /// An access that is not explored: an atomic one of some of another word's bytes, or a copy into a word.
  struct Refused {
    enum class Why : unsigned char {
      has_other_size,
      is_copied_into,
      has_other_value,  ///< than in another execution, before its first access: a copy's
    };
    Why why;
    Access access;
    ByteRange bytes;
    int word;
  };

  /// The number of a word. A new one was not known to the accesses before.
  ///
  /// @param value   that it has now: the initial one of a new word
  /// @param access  an atomic one
  [[nodiscard]] int number_of(const ByteRange& range, std::uint64_t value, const Access& access) {
    for_each_in(range, [&](int word) {
      if (!(at(word).range == range)) {
        refuse({Refused::Why::has_other_size, access, range, word});
      }
    });
    const auto [place, is_new] = numbers_.try_emplace(range.first, static_cast<int>(words_.size()));
    if (is_new) {
      words_.push_back({range, value, access});
    }
    return place->second;
  }
  /// Before the first access of a word in a run, whose value it has then. Where the word was met after others had
  /// accessed it, that is another one.
  void begin(int number, std::uint64_t value, const Access& access) {
    Word& word = words_[static_cast<std::size_t>(number)];
    if (word.initial != value && word.is_certain) {
      refuse({Refused::Why::has_other_value, access, word.range, number});
    } else if (word.initial != value) {
      word.initial = value;
      word.is_certain = true;
      ++changed_;
    }
  }
  /// How many initial values were other ones than it seemed.
  [[nodiscard]] int changed() const { return changed_; }
  /// Explores no further. The first one is kept.
  void refuse(const Refused& refused) { refused_ = refused_ ? refused_ : refused; }
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
  /// The bytes of each word, by its number.
  [[nodiscard]] std::vector<ByteRange> ranges() const {
    std::vector<ByteRange> ranges(words_.size());
    std::transform(words_.begin(), words_.end(), ranges.begin(), [](const Word& word) { return word.range; });
    return ranges;
  }
  [[nodiscard]] const std::optional<Refused>& refused() const { return refused_; }

 private:
  std::vector<Word> words_;
  std::map<long long, int> numbers_;  ///< by the first byte
  int changed_ = 0;
  std::optional<Refused> refused_;
};

}  // namespace dma::inline v0_1::proof::detail
