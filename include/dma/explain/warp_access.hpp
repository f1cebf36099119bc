#pragma once

#include <dma/config.hpp>
#include <dma/patterns/run.hpp>
#include <dma/roles/warp_layout.hpp>

namespace dma::inline v0_1 {

namespace detail {

/// The index of the 32-byte sector that contains the byte at this global offset.
[[nodiscard]] DMA_HOST_DEVICE constexpr long long sector_of(long long global) noexcept {
  return (global >= 0 ? global : global - 31) / 32;
}

}  // namespace detail

/// What one access of a warp costs, by the positions of its lanes' pieces: the rules of the hardware, not a
/// measurement.
class WarpAccess {
 public:
  DMA_HOST_DEVICE constexpr void add(const Run& piece) noexcept { pieces_[count_++] = piece; }

  /// Distinct 32-byte sectors, for a global address that is itself a multiple of 32.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int sectors() const noexcept {
    long long found[warp_size] = {};
    int distinct = 0;
    for (int i = 0; i < count_; ++i) {
      const long long sector = detail::sector_of(pieces_[i].global);
      int j = distinct;
      while (j > 0 && found[j - 1] != sector) {  // the latest first: neighbours share a sector
        --j;
      }
      if (j == 0) {
        found[distinct++] = sector;
      }
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
      const int degree = most_words_in_a_bank(first, first + lanes_a_pass < count_ ? first + lanes_a_pass : count_);
      worst = degree > worst ? degree : worst;
    }
    return worst;
  }

 private:
  /// Compilers evaluate it for each access of each pipeline that is explained at compile time: in few steps.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int most_words_in_a_bank(int first, int last) const noexcept {
    constexpr int banks = 32;
    struct Word {
      int index;
      int before;  ///< of the same bank, counted from 1; 0 for none
    };
    Word words[2 * warp_size] = {};  // those of 128 bytes, and one more of a piece that does not begin at a word
    int latest[banks] = {};
    int in_bank[banks] = {};
    int count = 0;
    int most = 0;
    for (int i = first; i < last; ++i) {
      const int end = (pieces_[i].shared + pieces_[i].bytes - 1) / 4;
      for (int index = pieces_[i].shared / 4; index <= end; ++index) {
        const int bank = index % banks;
        int known = latest[bank];
        while (known != 0 && words[known - 1].index != index) {
          known = words[known - 1].before;
        }
        if (known == 0) {
          words[count] = {index, latest[bank]};
          latest[bank] = ++count;
          most = ++in_bank[bank] > most ? in_bank[bank] : most;
        }
      }
    }
    return most;
  }

  Run pieces_[warp_size] = {};
  int count_ = 0;
};

}  // namespace dma::v0_1
