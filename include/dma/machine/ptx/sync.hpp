#pragma once

/// The synchronization instructions, one function each. A comment begins with the title of the instruction's section
/// in the PTX ISA.

#include <dma/config.hpp>

#if defined(__CUDACC__)

namespace dma::ptx {

/// Address in the .shared window, which the instructions below need.
[[nodiscard]] DMA_DEVICE unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

/// bar.warp.sync: synchronizes all 32 lanes and orders their memory accesses.
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

/// Special registers: %laneid, without its five bits: 0 in every lane, but unknown to the assembler. A sum with it
/// stays in a register of each lane.
[[nodiscard]] DMA_DEVICE int zero_per_lane() {
  unsigned zero;
  asm volatile(
      "{\n\t"
      ".reg .u32 lane;\n\t"
      "mov.u32 lane, %%laneid;\n\t"
      "shr.u32 %0, lane, 5;\n\t"
      "}"
      : "=r"(zero));
  return static_cast<int>(zero);
}

/// Whether setmaxnreg is available: it belongs to an architecture's own features (sm_90a, not sm_90).
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_SPECIFIC__) || defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
inline constexpr bool has_setmaxnreg = true;
#else
inline constexpr bool has_setmaxnreg = false;
#endif

/// setmaxnreg: sets the registers of each of the warpgroup's threads to `Registers`. Acquiring more waits until others
/// have released theirs. Does nothing where the instruction is not available.
template <int Registers>
DMA_DEVICE void give_registers_back() {
  if constexpr (has_setmaxnreg) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
  }
}
template <int Registers>
DMA_DEVICE void take_registers() {
  if constexpr (has_setmaxnreg) {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
  }
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

/// mbarrier.arrive.expect_tx: one arrival, and `bytes` more of asynchronous copies before the phase completes. The
/// copies may be in flight already: their bytes subtract what this adds.
DMA_DEVICE void mbarrier_arrive_expect_tx(void* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}

/// mbarrier.expect_tx: `bytes` more of asynchronous copies in this phase, without an arrival.
DMA_DEVICE void mbarrier_expect_tx(void* barrier, int bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}

/// cp.async.mbarrier.arrive.noinc: one of the expected arrivals, when all cp.async of this thread so far are complete.
DMA_DEVICE void mbarrier_arrive_when_copied(void* barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
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

/// atom.relaxed.add: adds `value` to a word that the whole GPU counts in. Returns the value before.
[[nodiscard]] DMA_DEVICE unsigned long long add_relaxed(unsigned long long* word, unsigned long long value) {
  unsigned long long before;
  asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
               : "=l"(before)
               : "l"(__cvta_generic_to_global(word)), "l"(value)
               : "memory");
  return before;
}

/// griddepcontrol: starts the dependent grids; waits until the grids that this one depends on are complete. Nothing
/// before sm_90, where grids do not overlap.
DMA_DEVICE void start_dependents() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
DMA_DEVICE void wait_for_prerequisites() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// atom.acq_rel.inc: adds one to a word that the whole GPU counts in, or sets zero after `last`. Threads that count
/// later see what this thread wrote before. Returns the value before.
[[nodiscard]] DMA_DEVICE unsigned increment_around(unsigned* word, unsigned last) {
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(word)), "r"(last)
               : "memory");
  return before;
}

/// ld.relaxed: reads what other SMs have written, never a copy in this SM's cache.
[[nodiscard]] DMA_DEVICE unsigned long long load_relaxed(const unsigned long long* word) {
  unsigned long long value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(__cvta_generic_to_global(word)) : "memory");
  return value;
}

/// st.relaxed
DMA_DEVICE void store_relaxed(unsigned long long* word, unsigned long long value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(word)), "l"(value) : "memory");
}

/// atom.acq_rel.cas: replaces `expected` by `value`, in shared memory. Returns the value before.
[[nodiscard]] DMA_DEVICE unsigned long long compare_and_swap(unsigned long long* word, unsigned long long expected,
                                                             unsigned long long value) {
  unsigned long long before;
  asm volatile("atom.acq_rel.cta.shared::cta.cas.b64 %0, [%1], %2, %3;"
               : "=l"(before)
               : "r"(shared_address(word)), "l"(expected), "l"(value)
               : "memory");
  return before;
}

[[nodiscard]] DMA_DEVICE unsigned compare_and_swap(unsigned* word, unsigned expected, unsigned value) {
  unsigned before;
  asm volatile("atom.acq_rel.cta.shared::cta.cas.b32 %0, [%1], %2, %3;"
               : "=r"(before)
               : "r"(shared_address(word)), "r"(expected), "r"(value)
               : "memory");
  return before;
}

/// red.relaxed.inc: adds one to a word of shared memory, or sets zero after `last`, in the lanes that say so, without a
/// branch. Orders nothing.
DMA_DEVICE void increment_shared(unsigned* word, unsigned last, bool increments) {
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.u32 p, %2, 0;\n\t"
      "@p red.relaxed.cta.shared::cta.inc.u32 [%0], %1;\n\t"
      "}" ::"r"(shared_address(word)),
      "r"(last), "r"(static_cast<unsigned>(increments))
      : "memory");
}

/// atom.acq_rel.exch: replaces a word of shared memory. Returns the value before.
DMA_DEVICE unsigned exchange_shared(unsigned* word, unsigned value) {
  unsigned before;
  asm volatile("atom.acq_rel.cta.shared::cta.exch.b32 %0, [%1], %2;"
               : "=r"(before)
               : "r"(shared_address(word)), "r"(value)
               : "memory");
  return before;
}

/// ld.acquire: reads a word of shared memory, and orders all that preceded its store.
[[nodiscard]] DMA_DEVICE unsigned load_acquire(const unsigned* word) {
  unsigned value;
  asm volatile("ld.acquire.cta.shared::cta.u32 %0, [%1];" : "=r"(value) : "r"(shared_address(word)) : "memory");
  return value;
}
[[nodiscard]] DMA_DEVICE unsigned long long load_acquire(const unsigned long long* word) {
  unsigned long long value;
  asm volatile("ld.acquire.cta.shared::cta.u64 %0, [%1];" : "=l"(value) : "r"(shared_address(word)) : "memory");
  return value;
}

/// ld.relaxed: reads a word of shared memory. Barriers order it; later accesses do not wait for it.
[[nodiscard]] DMA_DEVICE unsigned load_relaxed_shared(unsigned address) {
  unsigned value;
  asm volatile("ld.relaxed.cta.shared::cta.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  return value;
}
[[nodiscard]] DMA_DEVICE unsigned load_relaxed_shared(const unsigned* word) {
  return load_relaxed_shared(shared_address(word));
}
[[nodiscard]] DMA_DEVICE unsigned long long load_relaxed_shared(const unsigned long long* word) {
  unsigned long long value;
  asm volatile("ld.relaxed.cta.shared::cta.u64 %0, [%1];" : "=l"(value) : "r"(shared_address(word)) : "memory");
  return value;
}

/// st.v4: stores 12 bytes of shared memory, and 4 that mean nothing, at once.
DMA_DEVICE void store_shared(unsigned to, unsigned first, unsigned second, unsigned third) {
  asm volatile("st.shared::cta.v4.u32 [%0], {%1, %2, %3, %3};" ::"r"(to), "r"(first), "r"(second), "r"(third)
               : "memory");
}

/// st.relaxed: stores a word of shared memory. Barriers order it.
DMA_DEVICE void store_shared(unsigned address, unsigned value) {
  asm volatile("st.relaxed.cta.shared::cta.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}
DMA_DEVICE void store_shared(unsigned long long* word, unsigned long long value) {
  asm volatile("st.relaxed.cta.shared::cta.u64 [%0], %1;" ::"r"(shared_address(word)), "l"(value) : "memory");
}

/// Special Registers, %globaltimer: the same nanoseconds for the whole GPU.
[[nodiscard]] DMA_DEVICE unsigned long long global_timer_ns() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// Special Registers, %nsmid: numbers of SMs, at least as many as there are SMs. Not volatile: it does not change.
[[nodiscard]] DMA_DEVICE int sm_count() {
  int count;
  asm("mov.u32 %0, %%nsmid;" : "=r"(count));
  return count;
}

/// Special Registers, %gridid: the number of the launch. Not volatile: it does not change.
[[nodiscard]] DMA_DEVICE unsigned long long grid_id() {
  unsigned long long id;
  asm("mov.u64 %0, %%gridid;" : "=l"(id));
  return id;
}

}  // namespace dma::ptx

#endif
