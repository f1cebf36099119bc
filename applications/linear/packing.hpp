#pragma once

/// How the weights lie in memory: in blocks of 64 rows and 128 k, each as a warpgroup reads it.

#include "numbers.hpp"
#include "problem.hpp"

#include <dma/dma.hpp>

#if !defined(__CUDACC_RTC__)
#include <stdexcept>
#include <string>
#endif

namespace linear {

/// A block: its numbers, then the scales of its groups, then their zeros. A thread of a warpgroup has two or four times
/// 16 bytes of the numbers, a word or two for each product of 16 k: `Operand` says which numbers a word has.
template <int group, bool has_zeros, int bits = 4>
struct Block {
  static constexpr int rows = 64;
  static constexpr int k = 128;
  static constexpr int groups = k / group;
  static constexpr int words = rows * k * bits / 32;
  static constexpr int elements = 2 * words + groups * rows * (has_zeros ? 2 : 1);
  static constexpr int line = 64;  ///< elements, 128 bytes
  static constexpr int lines = elements / line;

  /// Which element of the block is the scale of a row's group, and which its zero.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int scale_at(int row, int of_group) {
    return 2 * words + of_group * rows + row;
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int zero_at(int row, int of_group) {
    return scale_at(row, groups + of_group);
  }
};

/// Blocks along n and along k. Those of the same rows follow one another.
[[nodiscard]] DMA_HOST_DEVICE constexpr int blocks_along_n(int n) { return (n + 63) / 64; }
[[nodiscard]] DMA_HOST_DEVICE constexpr int blocks_along_k(int k) { return (k + 127) / 128; }

/// Weights as they come: row by row.
template <class Element>
struct Rows {
  int n;
  int k;
  const unsigned char* numbers;  ///< `n` x `k`, each of as many bits as it is packed into
  const Element* scales;         ///< `n` x `k / group`
  const unsigned char* zeros;    ///< likewise; null where there are none
};

/// Packs weights, a CTA for each block: zeros are behind the last row and the last k.
///
/// @pre `packed` has room for `elements_of` elements. A grid of `blocks_along_n(n) * blocks_along_k(k)` CTAs.
template <class Element, int group, bool has_zeros, int bits = 4>
struct Pack {
  using Layout = dma::WarpLayout<dma::Compute<4>>;
  using Of = Block<group, has_zeros, bits>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Pack>& cta, const Rows<Element>& from, Element* packed) const {
    const int along = blocks_along_k(from.k);
    const int row = cta.block().x / along * Of::rows;
    const int k = cta.block().x % along * Of::k;
    Element* const block = packed + static_cast<long long>(cta.block().x) * Of::elements;
    for (int i = cta.thread(); i < Of::words; i += 128) {
      const Operand<bits> operand(i);
      dma::stdlib::uint32_t word = 0;
      for (int number = 0; number < Operand<bits>::numbers; ++number) {
        const int at = row + operand.row_of(number);
        const int of = k + operand.k_of(number);
        const unsigned value = at < from.n && of < from.k ? from.numbers[static_cast<long long>(at) * from.k + of] : 0;
        word |= value << Operand<bits>::bit_of(number);
      }
      memcpy(static_cast<void*>(block + 2 * i), &word, sizeof word);
    }
    for (int i = cta.thread(); i < Of::groups * Of::rows; i += 128) {
      const int at = row + i % Of::rows;
      const int of_group = k / group + i / Of::rows;
      const bool is_there = at < from.n && of_group < from.k / group;
      const long long of = static_cast<long long>(at) * (from.k / group) + of_group;
      block[Of::scale_at(i, 0)] = is_there ? from.scales[of] : static_cast<Element>(0.0F);
      if constexpr (has_zeros) {
        block[Of::zero_at(i, 0)] = static_cast<Element>(OnBase<Element, bits>::zero_of(is_there ? from.zeros[of] : 0));
      }
    }
  }
};

#if !defined(__CUDACC_RTC__)
/// Throws for weights that are not packed in groups of so many numbers.
template <class Element>
void expect_packable(const Rows<Element>& rows, int group, bool has_zeros) {
  if (rows.n < 1 || rows.k < 1 || rows.k % group != 0) {
    throw std::invalid_argument("linear: there are weights of " + std::to_string(rows.n) + " x " +
                                std::to_string(rows.k) + " numbers in groups of " + std::to_string(group) +
                                "; give at least one row, and rows of whole groups");
  }
  if (rows.numbers == nullptr || rows.scales == nullptr || (rows.zeros != nullptr) != has_zeros) {
    throw std::invalid_argument(std::string("linear: the numbers or the scales are null, or there are ") +
                                (has_zeros ? "no zeros for weights that have them" : "zeros for weights without") +
                                "; give numbers, scales, and zeros where groups have one");
  }
}
#endif

}  // namespace linear
