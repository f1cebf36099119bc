#pragma once

/// The copy instructions, one function each. A comment begins with the title of the instruction's section
/// in the PTX ISA.

#include <dma/config.hpp>
#include <dma/machine/word.hpp>

#if defined(__CUDACC__)

namespace dma::inline v0_1::ptx {

/// ld.global
[[nodiscard]] DMA_DEVICE machine::Word<16> load_global(const machine::Word<16>* from) {
  machine::Word<16> word;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(word.part[0]), "=r"(word.part[1]), "=r"(word.part[2]), "=r"(word.part[3])
               : "l"(__cvta_generic_to_global(from))
               : "memory");
  return word;
}
[[nodiscard]] DMA_DEVICE machine::Word<8> load_global(const machine::Word<8>* from) {
  machine::Word<8> word;
  asm volatile("ld.global.v2.u32 {%0, %1}, [%2];"
               : "=r"(word.part[0]), "=r"(word.part[1])
               : "l"(__cvta_generic_to_global(from))
               : "memory");
  return word;
}
[[nodiscard]] DMA_DEVICE machine::Word<4> load_global(const machine::Word<4>* from) {
  machine::Word<4> word;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(word.part[0]) : "l"(__cvta_generic_to_global(from)) : "memory");
  return word;
}
[[nodiscard]] DMA_DEVICE machine::Word<2> load_global(const machine::Word<2>* from) {
  machine::Word<2> word;
  asm volatile("ld.global.u16 %0, [%1];" : "=h"(word.part[0]) : "l"(__cvta_generic_to_global(from)) : "memory");
  return word;
}
[[nodiscard]] DMA_DEVICE machine::Word<1> load_global(const machine::Word<1>* from) {
  unsigned short value;
  asm volatile("ld.global.u8 %0, [%1];" : "=h"(value) : "l"(__cvta_generic_to_global(from)) : "memory");
  return {{static_cast<unsigned char>(value)}};
}

/// st.shared `to` is an address in the .shared window.
DMA_DEVICE void store_shared(unsigned to, const machine::Word<16>& word) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(word.part[0]), "r"(word.part[1]),
               "r"(word.part[2]), "r"(word.part[3])
               : "memory");
}
DMA_DEVICE void store_shared(unsigned to, const machine::Word<8>& word) {
  asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(to), "r"(word.part[0]), "r"(word.part[1]) : "memory");
}
DMA_DEVICE void store_shared(unsigned to, const machine::Word<4>& word) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(to), "r"(word.part[0]) : "memory");
}
DMA_DEVICE void store_shared(unsigned to, const machine::Word<2>& word) {
  asm volatile("st.shared.u16 [%0], %1;" ::"r"(to), "h"(word.part[0]) : "memory");
}
DMA_DEVICE void store_shared(unsigned to, const machine::Word<1>& word) {
  asm volatile("st.shared.u8 [%0], %1;" ::"r"(to), "h"(static_cast<unsigned short>(word.part[0])) : "memory");
}

/// ld.shared. `from` is an address in the .shared window.
DMA_DEVICE void load_shared(machine::Word<16>& word, unsigned from) {
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(word.part[0]), "=r"(word.part[1]), "=r"(word.part[2]), "=r"(word.part[3])
               : "r"(from)
               : "memory");
}
DMA_DEVICE void load_shared(machine::Word<8>& word, unsigned from) {
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(word.part[0]), "=r"(word.part[1]) : "r"(from) : "memory");
}
DMA_DEVICE void load_shared(machine::Word<4>& word, unsigned from) {
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word.part[0]) : "r"(from) : "memory");
}
DMA_DEVICE void load_shared(machine::Word<2>& word, unsigned from) {
  asm volatile("ld.shared.u16 %0, [%1];" : "=h"(word.part[0]) : "r"(from) : "memory");
}
DMA_DEVICE void load_shared(machine::Word<1>& word, unsigned from) {
  unsigned short value;
  asm volatile("ld.shared.u8 %0, [%1];" : "=h"(value) : "r"(from) : "memory");
  word.part[0] = static_cast<unsigned char>(value);
}

/// st.global.
DMA_DEVICE void store_global(machine::Word<16>* to, const machine::Word<16>& word) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)), "r"(word.part[0]),
               "r"(word.part[1]), "r"(word.part[2]), "r"(word.part[3])
               : "memory");
}
DMA_DEVICE void store_global(machine::Word<8>* to, const machine::Word<8>& word) {
  asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(to)), "r"(word.part[0]),
               "r"(word.part[1])
               : "memory");
}
DMA_DEVICE void store_global(machine::Word<4>* to, const machine::Word<4>& word) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "r"(word.part[0]) : "memory");
}
DMA_DEVICE void store_global(machine::Word<2>* to, const machine::Word<2>& word) {
  asm volatile("st.global.u16 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "h"(word.part[0]) : "memory");
}
DMA_DEVICE void store_global(machine::Word<1>* to, const machine::Word<1>& word) {
  asm volatile("st.global.u8 [%0], %1;" ::"l"(__cvta_generic_to_global(to)),
               "h"(static_cast<unsigned short>(word.part[0]))
               : "memory");
}

/// cp.async: `Bytes` bytes from global to shared memory without a register. 16 bytes bypass the first-level cache; 4
/// and 8 always go through it. `to` is an address in the .shared window.
template <int Bytes>
DMA_DEVICE void copy_async(unsigned to, const void* from) {
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(__cvta_generic_to_global(from)) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(__cvta_generic_to_global(from)), "n"(Bytes)
                 : "memory");
  }
}

/// cp.async.bulk, global to shared memory: addresses and `bytes` are multiples of 16; complete when the barrier has
/// counted the bytes. Both `to` and `barrier` are addresses in the .shared window.
DMA_DEVICE void copy_bulk_to_shared(unsigned to, const void* from, int bytes, unsigned barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(barrier)
               : "memory");
}

/// cp.async.bulk, shared to global memory: part of the thread's current bulk group.
DMA_DEVICE void copy_bulk_to_global(void* to, unsigned from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
               "r"(from), "r"(bytes)
               : "memory");
}

/// cp.async.bulk.commit_group: closes the thread's current bulk group, which may be empty.
DMA_DEVICE void commit_bulk_group() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

/// cp.async.bulk.wait_group.read: at most `Pending` of the thread's bulk groups still read shared memory.
template <int Pending>
DMA_DEVICE void wait_for_bulk_reads() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

/// cp.async.bulk.wait_group: all of the thread's bulk groups are complete, their writes visible to it.
DMA_DEVICE void wait_for_bulk_groups() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

}  // namespace dma::v0_1::ptx

#endif
