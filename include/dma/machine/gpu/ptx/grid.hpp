#pragma once

/// The instructions that reach beyond a CTA, one function each. A comment begins with the title of the instruction's
/// section in the PTX ISA.

#include <dma/config.hpp>

#if defined(__CUDACC__)

namespace dma::inline v0_1::ptx {

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

/// Special Registers, %globaltimer: the same nanoseconds for the whole GPU.
[[nodiscard]] DMA_DEVICE unsigned long long global_timer_ns() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}
/// Its lower half, which is 0 again every 4.3 s: differences modulo 2^32 are right.
[[nodiscard]] DMA_DEVICE unsigned global_timer_lo_ns() {
  unsigned now;
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(now));
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

}  // namespace dma::inline v0_1::ptx

#endif
