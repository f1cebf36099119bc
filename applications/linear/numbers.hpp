#pragma once

/// Numbers of 4 bits as operands of products.

#include "../half_types.hpp"

#include <dma/dma.hpp>
#include <dma/machine/half_float.hpp>
#include <dma/matrix/fragment.hpp>

namespace linear {

/// A number in the lowest bits of `base` is `base` + number: that takes one instruction for two.
template <class Element>
struct OnBase;
template <>
struct OnBase<__nv_bfloat16> {
  static constexpr float base = 128;
  static constexpr dma::stdlib::uint32_t bits = 0x43004300;  ///< two of `base`
};
template <>
struct OnBase<__half> {
  static constexpr float base = 1024;
  static constexpr dma::stdlib::uint32_t bits = 0x64006400;
};

/// Both differences of two pairs of elements; each is exact where `base` is in both.
///
/// Source  PTX ISA, sub of f16x2 and bf16x2
template <class Element>
[[nodiscard]] DMA_HOST_DEVICE dma::stdlib::uint32_t difference(dma::stdlib::uint32_t a, dma::stdlib::uint32_t b) {
  using Half = dma::machine::HalfFloat<Element>;
#if defined(__CUDA_ARCH__)
  dma::stdlib::uint32_t both;
  if constexpr (dma::stdlib::is_same_v<Element, __half>) {
    asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(both) : "r"(a), "r"(b));
  } else {
    asm("sub.rn.bf16x2 %0, %1, %2;" : "=r"(both) : "r"(a), "r"(b));
  }
  return both;
#else
  const auto one = [](dma::stdlib::uint32_t x, dma::stdlib::uint32_t y) {
    return dma::stdlib::uint32_t{Half::from_float(Half::to_float(static_cast<dma::stdlib::uint16_t>(x)) -
                                                  Half::to_float(static_cast<dma::stdlib::uint16_t>(y)))};
  };
  return one(a, b) | one(a >> 16, b >> 16) << 16;
#endif
}

/// Two of one element.
template <class Element>
[[nodiscard]] DMA_HOST_DEVICE dma::stdlib::uint32_t twice(const Element& element) {
  dma::stdlib::uint16_t bits;
  memcpy(&bits, &element, sizeof bits);
  return bits * 0x10001U;
}

/// A word of a block: eight numbers of two rows and 16 k, as a thread of a warpgroup has them in an operand in
/// registers. Two neighbours along k are at bits `bit` and `bit` + 16.
class Operand {
 public:
  /// @param word  its number in the block: for each of two times 64 k and each thread, four words that follow one
  ///              another
  DMA_HOST_DEVICE explicit Operand(int word) : thread_(word / 4 % 128), step_(word / 512 * 4 + word % 4) {}

  [[nodiscard]] DMA_HOST_DEVICE int row_of(int number) const { return Places::row_of(thread_, number); }
  [[nodiscard]] DMA_HOST_DEVICE int k_of(int number) const { return 16 * step_ + Places::column_of(thread_, number); }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int bit_of(int number) { return number / 2 * 4 + number % 2 * 16; }

 private:
  using Places = dma::MatrixFragment<__half>::Places;

  int thread_;
  int step_;
};

/// Two numbers of a word, each in the lowest bits of `base`: bits `bit` and those 16 further on.
///
/// Source  PTX ISA, lop3; of two constants in one expression the compiler makes two instructions
template <class Element>
[[nodiscard]] DMA_HOST_DEVICE dma::stdlib::uint32_t on_base(dma::stdlib::uint32_t word, int bit) {
  constexpr dma::stdlib::uint32_t mask = 0x000f000f;
  constexpr dma::stdlib::uint32_t base = OnBase<Element>::bits;
#if defined(__CUDA_ARCH__)
  dma::stdlib::uint32_t pair;
  asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(pair) : "r"(word >> bit), "r"(mask), "r"(base));  // (a & b) | c
  return pair;
#else
  return (word >> bit & mask) | base;
#endif
}

/// The eight numbers of a word, less the zeros of their two rows.
template <class Element>
DMA_HOST_DEVICE void unpack(dma::MatrixFragment<Element>& operand, dma::stdlib::uint32_t word,
                            const dma::stdlib::uint32_t (&zeros)[2]) {
  dma::unrolled<4>(
      [&](auto i) { operand.set_packed(i, difference<Element>(on_base<Element>(word, 4 * i), zeros[i % 2])); });
}

}  // namespace linear
