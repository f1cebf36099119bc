#pragma once

#include <dma/config.hpp>
#include <dma/machine/half_float.hpp>
#include <dma/machine/matrix_operand.hpp>
#include <dma/standard.hpp>

/// What products into tensor memory take: how an instruction says its shapes, and a descriptor where an operand is.
namespace dma::inline v0_1::machine {

/// What a product of kind::f16 is, as the instruction takes it: 128 rows of A for each of `ctas`, `columns` of B, sums
/// of float.
///
/// Source  PTX ISA, "Instruction Descriptor" of tcgen05
template <class Element, Major MajorOfA, Major MajorOfB>
[[nodiscard]] DMA_HOST_DEVICE constexpr unsigned tensor_instruction(int columns, int ctas = 1) noexcept {
  constexpr unsigned type = HalfFloat<Element>::name[0] == 'b' ? 1 : 0;
  constexpr unsigned float_sums = 1;
  const int rows = 128 * ctas;
  return float_sums << 4 | type << 7 | type << 10 | (MajorOfA == Major::mn ? 1U : 0U) << 15 |
         (MajorOfB == Major::mn ? 1U : 0U) << 16 | static_cast<unsigned>(columns >> 3) << 17 |
         static_cast<unsigned>(rows >> 4) << 24;
}
/// The descriptor of an operand in shared memory: that of wgmma, whose fields of address, strides and swizzle are at
/// the same bits, and a constant.
///
/// Source  PTX ISA, "Shared Memory Descriptor" of tcgen05
[[nodiscard]] DMA_HOST_DEVICE constexpr stdlib::uint64_t tensor_descriptor(stdlib::uint64_t of_wgmma) noexcept {
  return of_wgmma | stdlib::uint64_t{1} << 46;
}

}  // namespace dma::inline v0_1::machine
