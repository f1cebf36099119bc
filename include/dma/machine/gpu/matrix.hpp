#pragma once

#include <dma/config.hpp>
#include <dma/machine/gpu/ptx/stmatrix.hpp>
#include <dma/machine/gpu/ptx/warp.hpp>
#include <dma/machine/gpu/ptx/wgmma.hpp>
#include <dma/machine/matrix_operand.hpp>
#include <dma/machine/product_element.hpp>
#include <dma/standard.hpp>

/// The tensor cores of a GPU. `dma/machine/matrix.hpp` documents the names.
#if defined(__CUDA_ARCH__)

namespace dma::inline v0_1::machine::gpu_model {

/// Declared and never defined, as the function that refuses ignored register budgets: PTX for plain compute_90 may be
/// in a program beside that for sm_90a.
extern "C" __device__ void dma_compile_matrix_products_for_sm_90a_instead_of_sm_90();

template <class Element>
DMA_DEVICE void expect_tensor_cores() {
  static_assert(detail::always_false<Element> || __CUDA_ARCH__ == 900,
                "dma::multiply_add: wgmma is an instruction of sm_90a alone, and the kernel is compiled for another "
                "architecture; compile for sm_90a, or use its own matrix instructions");
  if constexpr (!ptx::has_wgmma) {
    dma_compile_matrix_products_for_sm_90a_instead_of_sm_90();
  }
}

[[nodiscard]] DMA_DEVICE unsigned matrix_address(const void* tile) { return ptx::shared_address(tile); }

DMA_DEVICE void begin_products() { ptx::matrix_fence(); }
DMA_DEVICE void begin_operand_reads(stdlib::uint64_t, int, int) {}
DMA_DEVICE void use_registers(const void*) {}
[[nodiscard]] DMA_DEVICE bool registers_are_free(const void*) { return true; }

template <class Element, int Columns, Major MajorOfA, Major MajorOfB>
DMA_DEVICE void multiply_matrices(float (&sums)[Columns / 2], stdlib::uint64_t a, stdlib::uint64_t b, bool adds) {
  expect_tensor_cores<Element>();
  if constexpr (ptx::has_wgmma && ByteFloat<Element>::is_known) {
    ptx::multiply_byte_matrices<Element, Columns>(sums, a, b, adds);
  } else if constexpr (ptx::has_wgmma) {
    ptx::multiply_matrices<Element, Columns, MajorOfA == Major::mn, MajorOfB == Major::mn>(sums, a, b, adds);
  }
}

template <class Element, int Columns, Major MajorOfB>
DMA_DEVICE void multiply_rows(float (&sums)[Columns / 2], const stdlib::uint32_t (&a)[4], stdlib::uint64_t b,
                              bool adds) {
  expect_tensor_cores<Element>();
  if constexpr (ptx::has_wgmma) {
    ptx::multiply_matrices<Element, Columns, MajorOfB == Major::mn>(sums, a, b, adds);
  }
}

template <class Element>
[[nodiscard]] DMA_DEVICE stdlib::uint32_t packed(float low, float high) {
  return ptx::packed<Element>(low, high);
}

template <int Count>
DMA_DEVICE void store_matrices(void* row, const stdlib::uint32_t (&matrices)[Count]) {
  static_assert(Count == 4 && __CUDA_ARCH__ >= 900,
                "dma::store_matrix: stmatrix needs sm_90, and the kernel is compiled for an older architecture; store "
                "the elements one by one");
  ptx::store_matrices(ptx::shared_address(row), matrices);
}

DMA_DEVICE void renew(float& value) { ptx::renew(value); }
DMA_DEVICE void compute_first(float value) {
  constexpr unsigned no_result = 0xffc0dead;  // a NaN that no instruction makes
  if (__float_as_uint(value) == no_result) {
    __nanosleep(1);
  }
}

}  // namespace dma::inline v0_1::machine::gpu_model

#endif
