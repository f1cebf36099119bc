#pragma once

#include <dma/proof/ptx/values/unknown.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace dma::inline v0_1::proof::ptx::detail {

/// Bytes of memory whose values were not computed, and why.
///
/// Cost    nothing where there are none; otherwise a search by page for each access, and a mark a byte
class UnknownBytes {
 public:
  void set(const void* place, std::size_t bytes, Unknown why) {
    if (pages_.empty() && !why) {
      return;
    }
    for_each_part(place, bytes, [&](std::uintptr_t number, std::size_t first, std::size_t count) {
      if (why) {
        Page& page = pages_[number];
        page.unknown += count - page.unknown_of(first, count);
        std::fill_n(page.marks.begin() + static_cast<std::ptrdiff_t>(first), count, why);
      } else if (const auto page = pages_.find(number); page != pages_.end()) {
        page->second.unknown -= page->second.unknown_of(first, count);
        std::fill_n(page->second.marks.begin() + static_cast<std::ptrdiff_t>(first), count, why);
        if (page->second.unknown == 0) {
          pages_.erase(page);
        }
      }
    });
  }
  /// The first cause of a range.
  [[nodiscard]] Unknown any(const void* place, std::size_t bytes) const {
    Unknown why;
    if (!pages_.empty()) {
      for_each_part(place, bytes, [&](std::uintptr_t number, std::size_t first, std::size_t count) {
        const auto page = pages_.find(number);
        for (std::size_t byte = first; !why && page != pages_.end() && byte < first + count; ++byte) {
          why = page->second.marks[byte];
        }
      });
    }
    return why;
  }
  /// Whether a page of a range has any.
  [[nodiscard]] bool may_have(const void* place, std::size_t bytes) const {
    bool may = false;
    if (!pages_.empty()) {
      for_each_part(place, bytes, [&](std::uintptr_t number, std::size_t, std::size_t) {
        may = may || pages_.find(number) != pages_.end();
      });
    }
    return may;
  }
  /// How many bytes of a range are unknown.
  [[nodiscard]] std::size_t count(const void* place, std::size_t bytes) const {
    std::size_t unknown = 0;
    for_each_part(place, bytes, [&](std::uintptr_t number, std::size_t first, std::size_t count) {
      const auto page = pages_.find(number);
      unknown += page != pages_.end() ? page->second.unknown_of(first, count) : 0;
    });
    return unknown;
  }
  /// What a copy moves, between ranges that do not overlap.
  void copy(const void* to, const void* from, std::size_t bytes) {
    std::size_t done = 0;
    while (done < bytes && !pages_.empty()) {
      const auto [why, run] = run_at(static_cast<const unsigned char*>(from) + done, bytes - done);
      set(static_cast<const unsigned char*>(to) + done, run, why);
      done += run;
    }
  }
  /// Marks what is marked in others, of those in a range.
  void add(const UnknownBytes& others, std::uintptr_t first, std::uintptr_t end) {
    for (const auto& [number, page] : others.pages_) {
      const std::uintptr_t begin = number * page_bytes;
      for (std::uintptr_t byte = std::max(first, begin); byte < std::min(end, begin + page_bytes); ++byte) {
        if (const Unknown why = page.marks[byte - begin]; why) {
          set(reinterpret_cast<const void*>(byte), 1, why);
        }
      }
    }
  }
  [[nodiscard]] bool any_at_all() const noexcept { return !pages_.empty(); }
  /// The lowest address that is unknown.
  ///
  /// @pre any_at_all()
  [[nodiscard]] std::uintptr_t first() const {
    const auto page = std::min_element(pages_.begin(), pages_.end(),
                                       [](const auto& one, const auto& other) { return one.first < other.first; });
    const auto& marks = page->second.marks;
    const auto mark = std::find_if(marks.begin(), marks.end(), [](Unknown why) { return static_cast<bool>(why); });
    return page->first * page_bytes + static_cast<std::uintptr_t>(mark - marks.begin());
  }
  void clear() { pages_.clear(); }

 private:
  static constexpr std::uintptr_t page_bytes = 4096;
  struct Page {
    std::array<Unknown, page_bytes> marks = {};
    std::size_t unknown = 0;

    [[nodiscard]] std::size_t unknown_of(std::size_t first, std::size_t count) const {
      const auto begin = marks.begin() + static_cast<std::ptrdiff_t>(first);
      return static_cast<std::size_t>(std::count_if(begin, begin + static_cast<std::ptrdiff_t>(count),
                                                    [](Unknown why) { return static_cast<bool>(why); }));
    }
  };

  struct Run {
    Unknown why;
    std::size_t bytes;
  };
  /// Bytes of one mark from a place on, of one page.
  [[nodiscard]] Run run_at(const void* place, std::size_t most) const {
    const auto at = reinterpret_cast<std::uintptr_t>(place);
    const std::size_t count = std::min<std::size_t>(most, page_bytes - at % page_bytes);
    const auto page = pages_.find(at / page_bytes);
    if (page == pages_.end()) {
      return {{}, count};
    }
    const auto begin = page->second.marks.begin() + static_cast<std::ptrdiff_t>(at % page_bytes);
    const auto end = std::find_if(begin, begin + static_cast<std::ptrdiff_t>(count),
                                  [why = *begin](Unknown mark) { return mark != why; });
    return {*begin, static_cast<std::size_t>(end - begin)};
  }
  /// Calls `visit(page, first byte in it, bytes)`.
  template <class Visit>
  static void for_each_part(const void* place, std::size_t bytes, const Visit& visit) {
    for (auto at = reinterpret_cast<std::uintptr_t>(place); bytes > 0;) {
      const std::size_t count = std::min<std::size_t>(bytes, page_bytes - at % page_bytes);
      visit(at / page_bytes, at % page_bytes, count);
      at += count;
      bytes -= count;
    }
  }

  std::unordered_map<std::uintptr_t, Page> pages_;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
