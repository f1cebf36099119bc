#pragma once

/// Numbers of 4 or 8 bits as operands of products.

#include "../half_types.hpp"

#include <dma/dma.hpp>
#include <dma/machine/half_float.hpp>
#include <dma/matrix/fragment.hpp>

namespace linear {

/// Both differences of two pairs of elements; each is exact where one base is in both.
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

/// a * b + c of two bf16 each, rounded once; subnormal ones are not flushed.
///
/// Source  PTX ISA, fma of bf16x2
[[nodiscard]] DMA_HOST_DEVICE dma::stdlib::uint32_t multiply_add_bf16(dma::stdlib::uint32_t a, dma::stdlib::uint32_t b,
                                                                      dma::stdlib::uint32_t c) {
#if defined(__CUDA_ARCH__)
  dma::stdlib::uint32_t both;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(both) : "r"(a), "r"(b), "r"(c));
  return both;
#else
  using Half = dma::machine::HalfFloat<__nv_bfloat16>;
  const auto one = [&](int bit) {
    const auto of = [&](dma::stdlib::uint32_t pair) {
      return Half::to_float(static_cast<dma::stdlib::uint16_t>(pair >> bit));
    };
    return dma::stdlib::uint32_t{Half::from_float(of(a) * of(b) + of(c))} << bit;
  };
  return one(0) | one(16);
#endif
}

/// How numbers become elements. In the lowest bits of `base` a number is an element, which takes one instruction for
/// two, and `less` takes another for the number less its zero. All are exact.
template <class Element, int bits>
struct OnBase;
/// Base + number, less base + zero.
template <int number_bits>
struct OnBase<__half, number_bits> {
  static constexpr dma::stdlib::uint32_t base = 0x64006400;  ///< two of 1024
  static constexpr dma::stdlib::uint32_t middle =
      base + (0x00010001U << (number_bits - 1));  ///< two, of the zero there
  static constexpr float unit = 1;                ///< of the differences
  [[nodiscard]] DMA_HOST_DEVICE static constexpr float zero_of(int zero) { return static_cast<float>(1024 + zero); }
  [[nodiscard]] DMA_HOST_DEVICE static dma::stdlib::uint32_t less(dma::stdlib::uint32_t pair,
                                                                  dma::stdlib::uint32_t zeros) {
    return difference<__half>(pair, zeros);
  }
};
template <>
struct OnBase<__nv_bfloat16, 4> {
  static constexpr dma::stdlib::uint32_t base = 0x43004300;  ///< two of 128
  static constexpr dma::stdlib::uint32_t middle = 0x43084308;
  static constexpr float unit = 1;
  [[nodiscard]] DMA_HOST_DEVICE static constexpr float zero_of(int zero) { return static_cast<float>(128 + zero); }
  [[nodiscard]] DMA_HOST_DEVICE static dma::stdlib::uint32_t less(dma::stdlib::uint32_t pair,
                                                                  dma::stdlib::uint32_t zeros) {
    return difference<__nv_bfloat16>(pair, zeros);
  }
};
/// Eight bits fill a significand of bf16, so that there is no room for a base. Alone they are number * 2^-133: below
/// 128 a subnormal, from there on the first binade, which has the same steps. Times 2^127 that is number * 2^-6.
template <>
struct OnBase<__nv_bfloat16, 8> {
  static constexpr dma::stdlib::uint32_t base = 0;
  static constexpr dma::stdlib::uint32_t middle = 0xc000c000;  ///< two of -128 * 2^-6
  static constexpr float unit = 0x1p-6F;
  [[nodiscard]] DMA_HOST_DEVICE static constexpr float zero_of(int zero) { return static_cast<float>(-zero) * unit; }
  [[nodiscard]] DMA_HOST_DEVICE static dma::stdlib::uint32_t less(dma::stdlib::uint32_t pair,
                                                                  dma::stdlib::uint32_t zeros) {
    return multiply_add_bf16(pair, 0x7f007f00, zeros);
  }
};

/// Two of one element.
template <class Element>
[[nodiscard]] DMA_HOST_DEVICE dma::stdlib::uint32_t twice(const Element& element) {
  dma::stdlib::uint16_t bits;
  memcpy(&bits, &element, sizeof bits);
  return bits * 0x10001U;
}

/// A word of a block: numbers of two rows as a thread of a warpgroup has them in operands in registers, eight for each
/// 16 k. Two neighbours along k are at bits `bit` and `bit` + 16.
template <int bits>
class Operand {
 public:
  static constexpr int numbers = 32 / bits;

  /// @param word  its number in the block: of each thread four that follow one another, for as many k as these have
  DMA_HOST_DEVICE explicit Operand(int word) : thread_(word / 4 % 128), first_((word / 512 * 4 + word % 4) * numbers) {}

  [[nodiscard]] DMA_HOST_DEVICE int row_of(int number) const { return Places::row_of(thread_, first_ % 8 + number); }
  [[nodiscard]] DMA_HOST_DEVICE int k_of(int number) const {
    return first_ / 8 * 16 + Places::column_of(thread_, first_ % 8 + number);
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int bit_of(int number) { return number / 2 * bits + number % 2 * 16; }

 private:
  using Places = dma::MatrixFragment<__half>::Places;

  int thread_;
  int first_;  ///< of the thread's numbers
};

/// Two numbers of a word, each in the lowest bits of the base: bits `bit` and those 16 further on.
///
/// Source  PTX ISA, lop3; of two constants in one expression the compiler makes two instructions
template <class Element, int bits>
[[nodiscard]] DMA_HOST_DEVICE dma::stdlib::uint32_t on_base(dma::stdlib::uint32_t word, int bit) {
  constexpr dma::stdlib::uint32_t base = OnBase<Element, bits>::base;
#if defined(__CUDA_ARCH__)
  if constexpr (bits == 8) {  // bytes 0 and 2 of the word, or 1 and 3, each below a byte of the base
    return __byte_perm(word, base, bit == 0 ? 0x5250 : 0x5351);
  } else {
    dma::stdlib::uint32_t pair;
    asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(pair) : "r"(word >> bit), "r"(0x000f000f), "r"(base));  // (a & b) | c
    return pair;
  }
#else
  constexpr dma::stdlib::uint32_t mask = ((1U << bits) - 1) * 0x00010001U;
  return (word >> bit & mask) | base;
#endif
}

/// The eight numbers of a thread's 16 k, less the zeros of their two rows.
template <int bits, class Element>
DMA_HOST_DEVICE void unpack(dma::MatrixFragment<Element>& operand, const dma::stdlib::uint32_t (&words)[bits / 4],
                            const dma::stdlib::uint32_t (&zeros)[2]) {
  dma::unrolled<4>([&](auto i) {
    const dma::stdlib::uint32_t pair = on_base<Element, bits>(words[bits * i / 16], bits * i % 16);
    operand.set_packed(i, OnBase<Element, bits>::less(pair, zeros[i % 2]));
  });
}

}  // namespace linear
