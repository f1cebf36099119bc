#pragma once

#include <dma/config.hpp>
#include <dma/machine/gpu/ptx/tcgen05.hpp>
#include <dma/machine/gpu/ptx/warp.hpp>
#include <dma/machine/gpu/thread.hpp>
#include <dma/machine/matrix_operand.hpp>
#include <dma/machine/tensor_operand.hpp>
#include <dma/standard.hpp>

/// The tensor memory of a GPU. `dma/machine/tensor_memory.hpp` documents the names.
#if defined(__CUDA_ARCH__)

namespace dma::inline v0_1::machine::gpu_model {

/// Declared and never defined, as the one for matrix products: PTX for plain compute_100 may be in a program beside
/// that for sm_100a.
extern "C" __device__ void dma_compile_tensor_memory_for_sm_100a_instead_of_sm_100();

/// Calls `instruction` where the architecture has tensor memory.
template <int Columns, class Instruction>
DMA_DEVICE void use_tensor_memory(const Instruction& instruction) {
  static_assert(Columns == 0 || (__CUDA_ARCH__ >= 1000 && __CUDA_ARCH__ < 1200),
                "dma::TensorMemory: tensor memory is of sm_100a, sm_103a and sm_110a, and the kernel is compiled for "
                "another architecture; compile for one of these, or use MatrixSums, which sm_90a has");
  if constexpr (ptx::has_tcgen05) {
    instruction();
  } else {
    dma_compile_tensor_memory_for_sm_100a_instead_of_sm_100();
  }
}

template <int Columns, int Ctas = 1>
DMA_DEVICE void allocate_tensor_memory(unsigned* to) {
  use_tensor_memory<Columns>([&] { ptx::allocate_tensor_memory<Ctas>(ptx::shared_address(to), Columns); });
}
template <int Ctas = 1>
DMA_DEVICE void relinquish_tensor_memory() {
  if constexpr (ptx::has_tcgen05) {
    ptx::relinquish_tensor_memory<Ctas>();
  }
}
template <int Columns, int Ctas = 1>
DMA_DEVICE void free_tensor_memory(unsigned address) {
  use_tensor_memory<Columns>([&] { ptx::free_tensor_memory<Ctas>(address, Columns); });
}
DMA_DEVICE void fence_tensor_memory_before_sync() {
  if constexpr (ptx::has_tcgen05) {
    ptx::fence_tensor_memory_before_sync();
  }
}
DMA_DEVICE void fence_tensor_memory_after_sync() {
  if constexpr (ptx::has_tcgen05) {
    ptx::fence_tensor_memory_after_sync();
  }
}

template <int Ctas = 1>
DMA_DEVICE void begin_tensor_product(unsigned, int, stdlib::uint64_t, int, int, stdlib::uint64_t, int, int) {}
template <class Element, int Columns, Major MajorOfA, Major MajorOfB, int Ctas = 1>
DMA_DEVICE void multiply_into_tensor_memory(unsigned to, stdlib::uint64_t a, stdlib::uint64_t b, bool adds) {
  use_tensor_memory<Columns>([&] {
    ptx::multiply_into_tensor_memory<Ctas>(to, a, b, tensor_instruction<Element, MajorOfA, MajorOfB>(Columns, Ctas),
                                           adds);
  });
}
DMA_DEVICE void load_tensor_memory(float (&values)[16], unsigned address, int column) {
  if constexpr (ptx::has_tcgen05) {
    const unsigned lane = static_cast<unsigned>(thread_rank() / 32 % 4 * 32);
    ptx::load_tensor_memory(values, address + (lane << 16) + static_cast<unsigned>(column));
  }
}
DMA_DEVICE void wait_for_tensor_memory_loads() {
  if constexpr (ptx::has_tcgen05) {
    ptx::wait_for_tensor_memory_loads();
  }
}

}  // namespace dma::inline v0_1::machine::gpu_model

#endif
