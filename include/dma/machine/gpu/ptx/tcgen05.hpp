#pragma once

/// Tensor memory and the products into it, one function an instruction. A comment begins with the title of the
/// instruction's section in the PTX ISA (8.6). No GPU has run these here.

#include <dma/config.hpp>
#include <dma/standard.hpp>

#if defined(__CUDACC__)

namespace dma::inline v0_1::ptx {

/// tcgen05.alloc: allocates `columns` and writes their address at `to`, an address in shared memory. Waits until other
/// CTAs of the SM have left so many. Of a warp, whose lanes are converged; with two CTAs, of a warp of each of a pair.
///
/// @pre A power of two from 32 on, not more than an allocation of the CTA before, and no thread of the CTA has given
///      back the permit. With two CTAs, the other one has begun, and has not ended.
template <int Ctas>
DMA_DEVICE void allocate_tensor_memory(unsigned to, int columns) {
  asm volatile("tcgen05.alloc.cta_group::%2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(to), "r"(columns), "n"(Ctas)
               : "memory");
}
/// tcgen05.relinquish_alloc_permit: the CTA allocates no more. Of a warp, whose lanes are converged.
template <int Ctas>
DMA_DEVICE void relinquish_tensor_memory() {
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::%0.sync.aligned;" ::"n"(Ctas) : "memory");
}
/// tcgen05.dealloc: frees an allocation. Of a warp, whose lanes are converged; with two CTAs, of a warp of each.
template <int Ctas>
DMA_DEVICE void free_tensor_memory(unsigned address, int columns) {
  asm volatile("tcgen05.dealloc.cta_group::%2.sync.aligned.b32 %0, %1;" ::"r"(address), "r"(columns), "n"(Ctas)
               : "memory");
}

/// tcgen05.fence: what this thread's tcgen05 instructions did precedes a synchronization of threads that follows, and
/// one before precedes what they do.
DMA_DEVICE void fence_tensor_memory_before_sync() { asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory"); }
DMA_DEVICE void fence_tensor_memory_after_sync() { asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory"); }

/// tcgen05.mma (kind::f16): of one thread. The sums at `to`, 128 lanes of floats, become A B, plus the sums before if
/// `adds`. Both operands are in shared memory, as their descriptors say, and `instruction` says their shapes. With two
/// CTAs, of a thread of the pair: each CTA has at these places 128 of 256 rows of A, half of the columns of B, and its
/// rows of the sums.
template <int Ctas>
DMA_DEVICE void multiply_into_tensor_memory(unsigned to, stdlib::uint64_t a, stdlib::uint64_t b, unsigned instruction,
                                            bool adds) {
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.b32 p, %4, 0;\n\t"
      "tcgen05.mma.cta_group::%5.kind::f16 [%0], %1, %2, %3, p;\n\t"
      "}" ::"r"(to),
      "l"(a), "l"(b), "r"(instruction), "r"(static_cast<int>(adds)), "n"(Ctas)
      : "memory");
}

/// tcgen05.ld (.32x32b): of a warp, whose lanes are converged: each lane has the columns from `from` on of a lane of
/// tensor memory. The values are there after the wait.
DMA_DEVICE void load_tensor_memory(float (&values)[16], unsigned from) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x16.b32 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, [%16];"
      : "=f"(values[0]), "=f"(values[1]), "=f"(values[2]), "=f"(values[3]), "=f"(values[4]), "=f"(values[5]),
        "=f"(values[6]), "=f"(values[7]), "=f"(values[8]), "=f"(values[9]), "=f"(values[10]), "=f"(values[11]),
        "=f"(values[12]), "=f"(values[13]), "=f"(values[14]), "=f"(values[15])
      : "r"(from)
      : "memory");
}
/// tcgen05.wait::ld: until the thread's loads of tensor memory are complete. Of a warp, whose lanes are converged.
DMA_DEVICE void wait_for_tensor_memory_loads() { asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory"); }

}  // namespace dma::inline v0_1::ptx

#endif
