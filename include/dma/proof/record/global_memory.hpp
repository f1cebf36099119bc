#pragma once

#include <dma/proof/record/byte_ranges.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Who reads and who writes each byte of global memory that a CTA accesses in one run.
///
/// Cost    some nanoseconds a byte; four bytes for each
class GlobalMemory {
 public:
  using User = std::uint16_t;
  /// The ordinary accesses of a thread.
  [[nodiscard]] static User thread(std::size_t index) { return static_cast<User>(index + 1); }
  static constexpr User copy = 0xfffe;     ///< one operation that copies: two of them are several users
  static constexpr User atomics = 0xfffd;  ///< atomic accesses of all threads

  void use(const ByteRange& range, User user, bool writes) {
    for_each_page(range, [&](Page& page, std::size_t first, std::size_t last) {
      User* const users = (writes ? page.writers : page.readers).data();
      for (std::size_t byte = first; byte < last; ++byte) {
        users[byte] = users[byte] == none || (users[byte] == user && user != copy) ? user : several;
      }
    });
  }
  /// Whether a user may conflict with another one at one of the bytes that it accesses.
  [[nodiscard]] bool is_shared(const ByteRange& range, User user) {
    bool is_shared = false;
    for_each_page(range, [&](const Page& page, std::size_t first, std::size_t last) {
      for (std::size_t byte = first; byte < last; ++byte) {
        const User writer = page.writers[byte];
        const User reader = page.readers[byte];
        const bool is_read_by_another = reader != none && (reader != writer || reader == copy);
        is_shared = is_shared || (writer != none &&
                                  (writer == several || (writer == atomics && user != atomics) || is_read_by_another));
      }
    });
    return is_shared;
  }
  /// The bytes that ordinary accesses and copies read or write.
  [[nodiscard]] ByteRanges used(bool writes) const {
    ByteRanges ranges;
    for (const auto& [number, page] : pages_) {
      const auto& users = writes ? page->writers : page->readers;
      for (std::size_t byte = 0; byte < users.size(); ++byte) {
        const auto address = number * static_cast<long long>(page_bytes) + static_cast<long long>(byte);
        if (users[byte] == none || users[byte] == atomics) {
          continue;
        }
        if (!ranges.empty() && ranges.back().last == address) {
          ++ranges.back().last;
        } else {
          ranges.push_back({address, address + 1});
        }
      }
    }
    return ranges;
  }

 private:
  static constexpr User none = 0;
  static constexpr User several = 0xffff;
  static constexpr std::size_t page_bytes = 4096;
  struct Page {
    std::array<User, page_bytes> readers{};
    std::array<User, page_bytes> writers{};
  };

  /// Calls `visit(page, first, last)` with the bytes of each page.
  template <class Visit>
  void for_each_page(const ByteRange& range, const Visit& visit) {
    for (long long first = range.first; first < range.last;) {
      const long long number = first / static_cast<long long>(page_bytes);
      const long long begin = number * static_cast<long long>(page_bytes);
      const long long last = std::min(range.last, begin + static_cast<long long>(page_bytes));
      visit(page_of(number), static_cast<std::size_t>(first - begin), static_cast<std::size_t>(last - begin));
      first = last;
    }
  }
  [[nodiscard]] Page& page_of(long long number) {
    Recent& recent = recent_[static_cast<std::size_t>(number) % recent_.size()];
    if (recent.page == nullptr || recent.number != number) {
      auto& page = pages_[number];
      if (page == nullptr) {
        page = std::make_unique<Page>();
      }
      recent = {number, page.get()};
    }
    return *recent.page;
  }

  struct Recent {
    long long number = 0;
    Page* page = nullptr;
  };
  std::map<long long, std::unique_ptr<Page>> pages_;  ///< by address
  std::array<Recent, 64> recent_{};
};

}  // namespace dma::inline v0_1::proof::detail
