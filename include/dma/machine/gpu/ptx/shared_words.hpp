#pragma once

/// Words of shared memory, for what the checked build keeps of a CTA. A comment begins with the title of the
/// instruction's section in the PTX ISA.

#include <dma/config.hpp>
#include <dma/machine/gpu/ptx/warp.hpp>

#if defined(__CUDACC__)

namespace dma::inline v0_1::ptx {

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
/// atom.relaxed.cas: the same, and orders nothing.
[[nodiscard]] DMA_DEVICE unsigned long long compare_and_swap_relaxed(unsigned address, unsigned long long expected,
                                                                     unsigned long long value) {
  unsigned long long before;
  asm volatile("atom.relaxed.cta.shared::cta.cas.b64 %0, [%1], %2, %3;"
               : "=l"(before)
               : "r"(address), "l"(expected), "l"(value)
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
[[nodiscard]] DMA_DEVICE unsigned load_relaxed_shared(const unsigned* word) {
  unsigned value;
  asm volatile("ld.relaxed.cta.shared::cta.u32 %0, [%1];" : "=r"(value) : "r"(shared_address(word)) : "memory");
  return value;
}
[[nodiscard]] DMA_DEVICE unsigned long long load_relaxed_shared(unsigned address) {
  unsigned long long value;
  asm volatile("ld.relaxed.cta.shared::cta.u64 %0, [%1];" : "=l"(value) : "r"(address) : "memory");
  return value;
}
[[nodiscard]] DMA_DEVICE unsigned long long load_relaxed_shared(const unsigned long long* word) {
  return load_relaxed_shared(shared_address(word));
}

/// st.v2: stores two words of shared memory at once.
DMA_DEVICE void store_shared(unsigned to, unsigned first, unsigned second) {
  asm volatile("st.shared::cta.v2.u32 [%0], {%1, %2};" ::"r"(to), "r"(first), "r"(second) : "memory");
}

/// st.relaxed: stores a word of shared memory. Barriers order it.
DMA_DEVICE void store_shared(unsigned address, unsigned long long value) {
  asm volatile("st.relaxed.cta.shared::cta.u64 [%0], %1;" ::"r"(address), "l"(value) : "memory");
}
DMA_DEVICE void store_shared(unsigned long long* word, unsigned long long value) {
  store_shared(shared_address(word), value);
}

}  // namespace dma::inline v0_1::ptx

#endif
