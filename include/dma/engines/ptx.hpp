#pragma once

/// The copy instructions, one function each. A comment begins with the title of the instruction's section
/// in the PTX ISA.

#include <dma/config.hpp>
#include <dma/engines/word.hpp>

#if defined(__CUDACC__)

namespace dma::ptx {

/// ld.global
[[nodiscard]] DMA_DEVICE Word<16> load_global(const Word<16>* from) {
  Word<16> word;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(word.part[0]), "=r"(word.part[1]), "=r"(word.part[2]), "=r"(word.part[3])
               : "l"(__cvta_generic_to_global(from))
               : "memory");
  return word;
}
[[nodiscard]] DMA_DEVICE Word<8> load_global(const Word<8>* from) {
  Word<8> word;
  asm volatile("ld.global.v2.u32 {%0, %1}, [%2];"
               : "=r"(word.part[0]), "=r"(word.part[1])
               : "l"(__cvta_generic_to_global(from))
               : "memory");
  return word;
}
[[nodiscard]] DMA_DEVICE Word<4> load_global(const Word<4>* from) {
  Word<4> word;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(word.part[0]) : "l"(__cvta_generic_to_global(from)) : "memory");
  return word;
}
[[nodiscard]] DMA_DEVICE Word<2> load_global(const Word<2>* from) {
  Word<2> word;
  asm volatile("ld.global.u16 %0, [%1];" : "=h"(word.part[0]) : "l"(__cvta_generic_to_global(from)) : "memory");
  return word;
}
[[nodiscard]] DMA_DEVICE Word<1> load_global(const Word<1>* from) {
  unsigned short value;
  asm volatile("ld.global.u8 %0, [%1];" : "=h"(value) : "l"(__cvta_generic_to_global(from)) : "memory");
  return {{static_cast<unsigned char>(value)}};
}

/// st.shared `to` is an address in the .shared window.
DMA_DEVICE void store_shared(unsigned to, const Word<16>& word) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(word.part[0]), "r"(word.part[1]),
               "r"(word.part[2]), "r"(word.part[3])
               : "memory");
}
DMA_DEVICE void store_shared(unsigned to, const Word<8>& word) {
  asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(to), "r"(word.part[0]), "r"(word.part[1]) : "memory");
}
DMA_DEVICE void store_shared(unsigned to, const Word<4>& word) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(to), "r"(word.part[0]) : "memory");
}
DMA_DEVICE void store_shared(unsigned to, const Word<2>& word) {
  asm volatile("st.shared.u16 [%0], %1;" ::"r"(to), "h"(word.part[0]) : "memory");
}
DMA_DEVICE void store_shared(unsigned to, const Word<1>& word) {
  asm volatile("st.shared.u8 [%0], %1;" ::"r"(to), "h"(static_cast<unsigned short>(word.part[0])) : "memory");
}

/// ld.shared. `from` is an address in the .shared window.
DMA_DEVICE void load_shared(Word<16>& word, unsigned from) {
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(word.part[0]), "=r"(word.part[1]), "=r"(word.part[2]), "=r"(word.part[3])
               : "r"(from)
               : "memory");
}
DMA_DEVICE void load_shared(Word<8>& word, unsigned from) {
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(word.part[0]), "=r"(word.part[1]) : "r"(from) : "memory");
}
DMA_DEVICE void load_shared(Word<4>& word, unsigned from) {
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word.part[0]) : "r"(from) : "memory");
}
DMA_DEVICE void load_shared(Word<2>& word, unsigned from) {
  asm volatile("ld.shared.u16 %0, [%1];" : "=h"(word.part[0]) : "r"(from) : "memory");
}
DMA_DEVICE void load_shared(Word<1>& word, unsigned from) {
  unsigned short value;
  asm volatile("ld.shared.u8 %0, [%1];" : "=h"(value) : "r"(from) : "memory");
  word.part[0] = static_cast<unsigned char>(value);
}

/// st.global.
DMA_DEVICE void store_global(Word<16>* to, const Word<16>& word) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)), "r"(word.part[0]),
               "r"(word.part[1]), "r"(word.part[2]), "r"(word.part[3])
               : "memory");
}
DMA_DEVICE void store_global(Word<8>* to, const Word<8>& word) {
  asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(to)), "r"(word.part[0]),
               "r"(word.part[1])
               : "memory");
}
DMA_DEVICE void store_global(Word<4>* to, const Word<4>& word) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "r"(word.part[0]) : "memory");
}
DMA_DEVICE void store_global(Word<2>* to, const Word<2>& word) {
  asm volatile("st.global.u16 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "h"(word.part[0]) : "memory");
}
DMA_DEVICE void store_global(Word<1>* to, const Word<1>& word) {
  asm volatile("st.global.u8 [%0], %1;" ::"l"(__cvta_generic_to_global(to)),
               "h"(static_cast<unsigned short>(word.part[0]))
               : "memory");
}

}  // namespace dma::ptx

#endif
