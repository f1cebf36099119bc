#pragma once

/// What an epilogue does with the results of matrix products. A comment begins with the title of the instruction's
/// section in the PTX ISA. cuda::ptx of the toolkit has no stmatrix (CCCL 3.0).

#include <dma/config.hpp>
#include <dma/machine/half_float.hpp>
#include <dma/standard.hpp>

#if defined(__CUDACC__)

namespace dma::inline v0_1::ptx {

/// cvt: two floats as two elements of half the size in one register.
template <class Element>
[[nodiscard]] DMA_DEVICE stdlib::uint32_t packed(float low, float high) {
  stdlib::uint32_t both;
  asm("cvt.rn.%3x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low), "C"(machine::HalfFloat<Element>::name));
  return both;
}

/// stmatrix: four 8 x 8 matrices of two-byte elements.
DMA_DEVICE void store_matrices(unsigned row, const stdlib::uint32_t (&matrices)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row), "r"(matrices[0]),
               "r"(matrices[1]), "r"(matrices[2]), "r"(matrices[3])
               : "memory");
}

}  // namespace dma::inline v0_1::ptx

#endif
