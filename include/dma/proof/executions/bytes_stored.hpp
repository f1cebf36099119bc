#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Bytes that a thread has stored by ordinary accesses, with what was there before: a loop that stores what is there
/// already changes nothing.
class BytesStored {
 public:
  /// Before a store. False where there are too many.
  [[nodiscard]] bool note(const void* place, std::size_t bytes) {
    const auto* const first = static_cast<const std::byte*>(place);
    for (const Store& store : stores_) {
      if (store.place == first && store.before.size() == bytes) {
        return true;
      }
    }
    if (stores_.size() == most_stores || bytes > most_bytes) {
      return false;
    }
    stores_.push_back({first, {first, first + bytes}});
    return true;
  }
  [[nodiscard]] bool are_as_before() const {
    for (std::size_t i = 0; i < stores_.size(); ++i) {
      if (std::memcmp(stores_[i].place, stores_[i].before.data(), stores_[i].before.size()) != 0) {
        return false;
      }
    }
    return true;
  }
  void forget() { stores_.clear(); }

 private:
  struct Store {
    const std::byte* place;
    std::vector<std::byte> before;
  };
  static constexpr std::size_t most_stores = 16;
  static constexpr std::size_t most_bytes = 64;

  std::vector<Store> stores_;
};

}  // namespace dma::inline v0_1::proof::detail
