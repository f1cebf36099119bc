#pragma once

#include <dma/config.hpp>
#include <dma/patterns/run.hpp>
#include <dma/roles/warp_layout.hpp>

namespace dma {

/// The index of the 32-byte sector that contains the byte at this global offset.
[[nodiscard]] DMA_HOST_DEVICE constexpr long long sector_of(long long global) noexcept {
  return (global >= 0 ? global : global - 31) / 32;
}

/// What one access of a warp costs, by the positions of its lanes' pieces: the rules of the hardware, not a
/// measurement.
class WarpAccess {
 public:
  DMA_HOST_DEVICE constexpr void add(const Run& piece) noexcept { pieces_[count_++] = piece; }

  /// Distinct 32-byte sectors, for a global address that is itself a multiple of 32.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int sectors() const noexcept {
    int distinct = 0;
    for (int i = 0; i < count_; ++i) {
      bool is_new = true;
      for (int j = 0; j < i; ++j) {
        is_new = is_new && sector_of(pieces_[j].global) != sector_of(pieces_[i].global);
      }
      distinct += is_new ? 1 : 0;
    }
    return distinct;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int fewest_sectors() const noexcept {
    return count_ == 0 ? 0 : (count_ * pieces_[0].bytes + 31) / 32;
  }

  /// Distinct words that the most used bank has to deliver: 32 banks of 4 bytes, wide accesses in as many passes as
  /// they need.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int bank_conflict_degree() const noexcept {
    const int lanes_a_pass = count_ == 0 ? 1 : pieces_[0].bytes <= 4 ? 32 : 128 / pieces_[0].bytes;
    int worst = 1;
    for (int first = 0; first < count_; first += lanes_a_pass) {
      for (int bank = 0; bank < 32; ++bank) {
        const int words = words_in(bank, first, first + lanes_a_pass < count_ ? first + lanes_a_pass : count_);
        worst = words > worst ? words : worst;
      }
    }
    return worst;
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE constexpr int words_in(int bank, int first, int last) const noexcept {
    int words[warp_size] = {};
    int distinct = 0;
    for (int i = first; i < last; ++i) {
      for (int word = pieces_[i].shared / 4; word <= (pieces_[i].shared + pieces_[i].bytes - 1) / 4; ++word) {
        if (word % 32 != bank) {
          continue;
        }
        bool is_new = true;
        for (int j = 0; j < distinct; ++j) {
          is_new = is_new && words[j] != word;
        }
        if (is_new) {
          words[distinct++] = word;
        }
      }
    }
    return distinct;
  }

  Run pieces_[warp_size] = {};
  int count_ = 0;
};

}  // namespace dma
