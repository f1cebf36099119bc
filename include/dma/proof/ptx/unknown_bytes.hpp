#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace dma::inline v0_1::proof::ptx::detail {

/// Bytes of memory whose values were not computed.
///
/// Cost    nothing where there are none; a search by page otherwise
class UnknownBytes {
 public:
  void set(const void* place, std::size_t bytes, bool is_unknown) {
    if (pages_.empty() && !is_unknown) {
      return;
    }
    for (auto byte = reinterpret_cast<std::uintptr_t>(place); bytes > 0; ++byte, --bytes) {
      if (is_unknown) {
        pages_[byte / page_bytes][byte % page_bytes] = true;
      } else if (const auto page = pages_.find(byte / page_bytes); page != pages_.end()) {
        page->second[byte % page_bytes] = false;
      }
    }
  }
  [[nodiscard]] bool any(const void* place, std::size_t bytes) const {
    if (pages_.empty()) {
      return false;
    }
    for (auto byte = reinterpret_cast<std::uintptr_t>(place); bytes > 0; ++byte, --bytes) {
      const auto page = pages_.find(byte / page_bytes);
      if (page != pages_.end() && page->second[byte % page_bytes]) {
        return true;
      }
    }
    return false;
  }
  /// What a copy moves.
  void copy(const void* to, const void* from, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes && !pages_.empty(); ++i) {
      set(static_cast<const unsigned char*>(to) + i, 1, any(static_cast<const unsigned char*>(from) + i, 1));
    }
  }
  /// Marks what is marked in others, of those in a range.
  void add(const UnknownBytes& others, std::uintptr_t first, std::uintptr_t end) {
    for (const auto& [number, marks] : others.pages_) {
      const std::uintptr_t page = number * page_bytes;
      for (std::uintptr_t byte = std::max(first, page); byte < std::min(end, page + page_bytes); ++byte) {
        if (marks[byte - page]) {
          pages_[number][byte - page] = true;
        }
      }
    }
  }
  [[nodiscard]] bool any_at_all() const noexcept { return !pages_.empty(); }
  void clear() { pages_.clear(); }

 private:
  static constexpr std::uintptr_t page_bytes = 4096;
  std::unordered_map<std::uintptr_t, std::array<bool, page_bytes>> pages_;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
