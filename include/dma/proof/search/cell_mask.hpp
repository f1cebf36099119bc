#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// A set of cells, as bits.
class CellMask {
 public:
  explicit CellMask(int cells = 0) : words_((static_cast<std::size_t>(cells) + 63) / 64) {}

  void add(const std::vector<int>& cells) {
    for (const int cell : cells) {
      words_[static_cast<std::size_t>(cell) / 64] |= std::uint64_t{1} << (cell % 64);
    }
  }
  void add(const CellMask& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      words_[i] |= other.words_[i];
    }
  }
  [[nodiscard]] bool meets(const CellMask& other) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if ((words_[i] & other.words_[i]) != 0) {
        return true;
      }
    }
    return false;
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace dma::inline v0_1::proof::detail
