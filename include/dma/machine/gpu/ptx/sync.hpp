#pragma once

/// The barriers of a CTA and the groups of wgmma instructions, one function an instruction. A comment begins with the
/// title of the instruction's section in the PTX ISA.

#include <dma/config.hpp>
#include <dma/machine/gpu/ptx/warp.hpp>

#if defined(__CUDACC__)

namespace dma::inline v0_1::ptx {

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

/// mbarrier.arrive.expect_tx: one arrival, and `bytes` more of asynchronous copies before the phase completes. The
/// copies may be in flight already: their bytes subtract what this adds. Before sm_90 nothing calls it: no engine there
/// counts bytes. A compiler that does not optimize compiles it all the same.
DMA_DEVICE void mbarrier_arrive_expect_tx([[maybe_unused]] void* barrier, [[maybe_unused]] int bytes) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
#else
  asm volatile("trap;");
#endif
}

/// mbarrier.expect_tx: `bytes` more of asynchronous copies in this phase, without an arrival. Before sm_90 likewise.
DMA_DEVICE void mbarrier_expect_tx([[maybe_unused]] void* barrier, [[maybe_unused]] int bytes) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
#else
  asm volatile("trap;");
#endif
}

/// cp.async.mbarrier.arrive.noinc: one of the expected arrivals, when all cp.async of this thread so far are complete.
DMA_DEVICE void mbarrier_arrive_when_copied(void* barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}
/// tcgen05.commit: one arrival at the mbarrier at an address in shared memory, when the thread's products so far are
/// complete. It is a fence before a synchronization too.
DMA_DEVICE void mbarrier_arrive_when_multiplied(void* barrier) {
  asm volatile(
      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(shared_address(barrier))
      : "memory");
}

/// cp.async.wait_all: all cp.async of this thread are complete and visible to it.
DMA_DEVICE void wait_for_async_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

/// membar.proxy / fence.proxy.async: what this thread did, and what it saw done, to shared memory precedes what later
/// asynchronous copies do. Nothing before sm_90, which has no bulk copies.
DMA_DEVICE void fence_async_proxy() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/// mbarrier.test_wait.parity: whether the phase of this parity is complete, with acquire semantics at CTA scope.
[[nodiscard]] DMA_DEVICE bool mbarrier_test_wait(const void* barrier, unsigned parity) {
  unsigned complete;
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t"
      "}"
      : "=r"(complete)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return complete != 0;
}

/// mbarrier.try_wait.parity (mbarrier.test_wait.parity before sm_90): whether the phase of this
/// parity is complete, with acquire semantics at CTA scope. May suspend the thread for a while before it says no.
[[nodiscard]] DMA_DEVICE bool mbarrier_try_wait(const void* barrier, unsigned parity) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  unsigned complete;
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t"
      "}"
      : "=r"(complete)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return complete != 0;
#else
  return mbarrier_test_wait(barrier, parity);
#endif
}

/// wgmma.commit_group: closes the warp's current group of wgmma.mma_async, which may be empty. All lanes of a converged
/// warp execute it.
DMA_DEVICE void commit_matrix_group() {
  if constexpr (has_wgmma) {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  }
}

/// wgmma.wait_group: at most `Pending` of the warp's groups are in flight.
template <int Pending>
DMA_DEVICE void wait_for_matrix_groups() {
  if constexpr (has_wgmma) {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
  }
}

}  // namespace dma::inline v0_1::ptx

#endif
