#pragma once

#include <dma/machine/host/instruction.hpp>
#include <dma/machine/site.hpp>
#include <dma/proof/executions/atomic_words.hpp>
#include <dma/proof/executions/known_operations.hpp>
#include <dma/proof/memory/event.hpp>
#include <dma/proof/record/byte_ranges.hpp>
#include <dma/proof/record/bytes_before.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// What the threads of a run that goes step by step have in common.
struct SteppedRun {
  SteppedRun(AtomicWords& all_words, WatchedMemory memory, std::size_t threads)
      : words(all_words), watched(memory), known(threads) {}

  /// The number of a word that is accessed atomically.
  [[nodiscard]] int number_of(const void* place, std::size_t bytes, const AtomicWords::Access& access) {
    const ByteRange range = watched.range_of(place, bytes);
    const int word = words.number_of(range, value_in(range), access);
    begin(word, access);
    return word;
  }
  /// Calls `visit(word, bits)` for each known word of which an ordinary access or a copy has some bytes: which bits.
  template <class Visit>
  void for_each_word(const void* place, std::size_t bytes, const AtomicWords::Access& access, const Visit& visit) {
    const ByteRange range = watched.range_of(place, bytes);
    words.for_each_in(range, [&](int word) {
      begin(word, access);
      visit(word, bits_of(words.at(word).range, range));
    });
  }
  /// A copy writes there. That is no operation of an execution, so it may only come before all others.
  void copy_into(const void* place, std::size_t bytes, const AtomicWords::Access& access) {
    const ByteRange range = watched.range_of(place, bytes);
    words.for_each_in(range, [&](int word) {
      if (accessed.count(word) != 0) {
        words.refuse({AtomicWords::Refused::Why::is_copied_into, access, range, word});
      }
    });
  }
  [[nodiscard]] memory::Value value_of(int word) const { return value_in(words.at(word).range); }
  void set(int word, memory::Value value) {
    const ByteRange& range = words.at(word).range;
    void* const place = const_cast<void*>(watched.place_of(range));
    keep(place, size_of(range));
    std::memcpy(place, &value, size_of(range));
  }
  /// Before a write.
  void keep(const void* place, std::size_t bytes) {
    if (is_global(watched.range_of(place, bytes))) {
      BytesBefore::probe(place, bytes);
      before.keep(place, bytes);
    }
  }
  [[nodiscard]] static std::size_t size_of(const ByteRange& range) {
    return static_cast<std::size_t>(range.last - range.first);
  }

  AtomicWords& words;
  WatchedMemory watched;
  BytesBefore before;
  KnownOperations known;
  std::set<int> accessed;  ///< words

 private:
  void begin(int word, const AtomicWords::Access& access) {
    if (accessed.insert(word).second) {
      words.begin(word, value_of(word), access);
    }
  }
  [[nodiscard]] memory::Value value_in(const ByteRange& range) const {
    memory::Value value = 0;
    std::memcpy(&value, watched.place_of(range), std::min(size_of(range), sizeof value));
    return value;
  }
  [[nodiscard]] static memory::Value bits_of(const ByteRange& word, const ByteRange& bytes) {
    const long long first = std::max(bytes.first, word.first) - word.first;
    const long long last = std::min(bytes.last, word.last) - word.first;
    if (last - first == word.last - word.first) {
      return ~memory::Value{0};
    }
    return ((memory::Value{1} << 8 * (last - first)) - 1) << 8 * first;
  }
};

/// An operation that a thread asks for: an atomic access or a fence, an ordinary access to a word of such ones, or what
/// it has come to know by barriers.
struct Ask {
  enum class Kind : unsigned char { atomic, read, write, point };
  Kind kind = Kind::atomic;
  int word = -1;
  machine::AtomicInstruction instruction = {};  ///< of an ordinary access its value
  int repeats = 0;                              ///< the thread is where it was before its last so many operations
  std::vector<memory::OperationName> after = {};
  bool orders = true;                      ///< of a point
  std::uint64_t store = 0;                 ///< of an ordinary write, `memory::Operation::store`
  memory::Value bits = ~memory::Value{0};  ///< `memory::Operation::bits`
  const void* code = nullptr;              ///< of an ordinary access or one of the standard's: behind it
  machine::SourceLocation caller = {};
};

}  // namespace dma::inline v0_1::proof::detail
