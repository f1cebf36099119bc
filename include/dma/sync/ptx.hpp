#pragma once

/// The synchronization instructions, one function each. A comment begins with the title of the instruction's section
/// in the PTX ISA.

#include <dma/config.hpp>

#if defined(__CUDACC__)

namespace dma::ptx {

/// Address in the .shared window, which is what the instructions below take.
[[nodiscard]] DMA_DEVICE unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

/// bar.warp.sync: all 32 lanes, and their memory accesses, meet here.
DMA_DEVICE void sync_warp() { __syncwarp(); }

/// elect.sync: true in one lane of a converged warp. A uniform predicate, which `lane == 0` is not.
[[nodiscard]] DMA_DEVICE bool elect() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  unsigned elected;
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "elect.sync _|p, 0xffffffff;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t"
      "}"
      : "=r"(elected));
  return elected != 0;
#else
  return threadIdx.x % 32 == 0;
#endif
}

/// barrier.cta.sync.aligned: arrives at barrier `id` and waits until `threads` have arrived.
/// Every lane of the warp executes it, converged.
DMA_DEVICE void barrier_sync(int id, int threads) {
  asm volatile("barrier.cta.sync.aligned %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// barrier.cta.arrive.aligned: arrives at barrier `id` and goes on.
DMA_DEVICE void barrier_arrive(int id, int threads) {
  asm volatile("barrier.cta.arrive.aligned %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// mbarrier.init: a phase completes after `arrivals` arrivals.
DMA_DEVICE void mbarrier_init(void* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

/// mbarrier.inval: its bytes may be used for something else, another barrier too.
DMA_DEVICE void mbarrier_invalidate(void* barrier) {
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/// mbarrier.arrive: one arrival, with release semantics at CTA scope.
DMA_DEVICE void mbarrier_arrive(void* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/// mbarrier.try_wait.parity (mbarrier.test_wait.parity before sm_90): whether the phase of this
/// parity is complete, with acquire semantics at CTA scope. May suspend the thread for a while before it says no.
[[nodiscard]] DMA_DEVICE bool mbarrier_try_wait(const void* barrier, unsigned parity) {
  unsigned complete;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t"
      "}"
      : "=r"(complete)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
#else
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t"
      "}"
      : "=r"(complete)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
#endif
  return complete != 0;
}

}  // namespace dma::ptx

#endif
