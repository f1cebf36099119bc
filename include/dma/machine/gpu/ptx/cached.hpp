#pragma once

/// The copy instructions of `ptx/copy.hpp` with cache hints. Each access is one function for all hints; a hint is text
/// inserted into the instruction. A comment begins with the title of the instruction's section in the PTX ISA.
///
/// Such a text is an operand with constraint "C", for which the compiler makes a register that the assembler drops.
/// Without hints the plain instructions are used, so that their code does not change.

#include <dma/config.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/word.hpp>

#if defined(__CUDACC__)

/// The state space of a bulk copy's destination in this CTA. For sm_120 the assembler takes an address in the
/// .shared::cluster window for one that may be another CTA's: it compares, and calls a routine on a stack frame. For
/// sm_90 to sm_110 it makes the same code of both. .shared::cta needs PTX ISA 8.6, which every compiler for sm_120 has.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1200
#define DMA_DETAIL_OWN_SHARED "shared::cta"
#else
#define DMA_DETAIL_OWN_SHARED "shared::cluster"
#endif

namespace dma::inline v0_1::ptx {

/// Cache Operators: the suffix of a hint in an instruction's name.
template <LoadCache>
inline constexpr char load_operator[] = "";
template <>
inline constexpr char load_operator<LoadCache::all>[] = ".ca";
template <>
inline constexpr char load_operator<LoadCache::global>[] = ".cg";
template <>
inline constexpr char load_operator<LoadCache::streaming>[] = ".cs";
template <>
inline constexpr char load_operator<LoadCache::last_use>[] = ".lu";
template <>
inline constexpr char load_operator<LoadCache::read_only>[] = ".nc";
template <>
inline constexpr char load_operator<LoadCache::read_once>[] = ".L1::no_allocate";
template <>
inline constexpr char load_operator<LoadCache::refetched>[] = ".cv";

template <StoreCache>
inline constexpr char store_operator[] = "";
template <>
inline constexpr char store_operator<StoreCache::global>[] = ".cg";
template <>
inline constexpr char store_operator<StoreCache::streaming>[] = ".cs";
template <>
inline constexpr char store_operator<StoreCache::write_through>[] = ".wt";

/// createpolicy: an L2 priority is an operand of the instruction, created beside it; the assembler creates it once.
template <L2Priority>
struct L2Policy {
  static constexpr char begin[] = "";
  static constexpr char level[] = "";
  static constexpr char end[] = ";";
};
struct L2Hint {
  static constexpr char level[] = ".L2::cache_hint";
  static constexpr char end[] = ", policy; }";
};
template <>
struct L2Policy<L2Priority::evict_first> : L2Hint {
  static constexpr char begin[] = "{ .reg .b64 policy; createpolicy.fractional.L2::evict_first.b64 policy, 1.0; ";
};
template <>
struct L2Policy<L2Priority::evict_last> : L2Hint {
  static constexpr char begin[] = "{ .reg .b64 policy; createpolicy.fractional.L2::evict_last.b64 policy, 1.0; ";
};

/// ld.global. 32 bytes need sm_100.
template <CacheHints Hints>
[[nodiscard]] DMA_DEVICE machine::Word<32> load_global(const machine::Word<32>* from) {
  using L2 = L2Policy<Hints.l2>;
  machine::Word<32> word;
  asm volatile("%9 ld.global%10%11.v8.u32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8]%12"
               : "=r"(word.part[0]), "=r"(word.part[1]), "=r"(word.part[2]), "=r"(word.part[3]), "=r"(word.part[4]),
                 "=r"(word.part[5]), "=r"(word.part[6]), "=r"(word.part[7])
               : "l"(__cvta_generic_to_global(from)), "C"(L2::begin), "C"(load_operator<Hints.load>), "C"(L2::level),
                 "C"(L2::end)
               : "memory");
  return word;
}
template <CacheHints Hints>
[[nodiscard]] DMA_DEVICE machine::Word<16> load_global(const machine::Word<16>* from) {
  using L2 = L2Policy<Hints.l2>;
  machine::Word<16> word;
  asm volatile("%5 ld.global%6%7.v4.u32 {%0, %1, %2, %3}, [%4]%8"
               : "=r"(word.part[0]), "=r"(word.part[1]), "=r"(word.part[2]), "=r"(word.part[3])
               : "l"(__cvta_generic_to_global(from)), "C"(L2::begin), "C"(load_operator<Hints.load>), "C"(L2::level),
                 "C"(L2::end)
               : "memory");
  return word;
}
template <CacheHints Hints>
[[nodiscard]] DMA_DEVICE machine::Word<8> load_global(const machine::Word<8>* from) {
  using L2 = L2Policy<Hints.l2>;
  machine::Word<8> word;
  asm volatile("%3 ld.global%4%5.v2.u32 {%0, %1}, [%2]%6"
               : "=r"(word.part[0]), "=r"(word.part[1])
               : "l"(__cvta_generic_to_global(from)), "C"(L2::begin), "C"(load_operator<Hints.load>), "C"(L2::level),
                 "C"(L2::end)
               : "memory");
  return word;
}
template <CacheHints Hints>
[[nodiscard]] DMA_DEVICE machine::Word<4> load_global(const machine::Word<4>* from) {
  using L2 = L2Policy<Hints.l2>;
  machine::Word<4> word;
  asm volatile("%2 ld.global%3%4.u32 %0, [%1]%5"
               : "=r"(word.part[0])
               : "l"(__cvta_generic_to_global(from)), "C"(L2::begin), "C"(load_operator<Hints.load>), "C"(L2::level),
                 "C"(L2::end)
               : "memory");
  return word;
}
template <CacheHints Hints>
[[nodiscard]] DMA_DEVICE machine::Word<2> load_global(const machine::Word<2>* from) {
  using L2 = L2Policy<Hints.l2>;
  machine::Word<2> word;
  asm volatile("%2 ld.global%3%4.u16 %0, [%1]%5"
               : "=h"(word.part[0])
               : "l"(__cvta_generic_to_global(from)), "C"(L2::begin), "C"(load_operator<Hints.load>), "C"(L2::level),
                 "C"(L2::end)
               : "memory");
  return word;
}
template <CacheHints Hints>
[[nodiscard]] DMA_DEVICE machine::Word<1> load_global(const machine::Word<1>* from) {
  using L2 = L2Policy<Hints.l2>;
  unsigned short value;
  asm volatile("%2 ld.global%3%4.u8 %0, [%1]%5"
               : "=h"(value)
               : "l"(__cvta_generic_to_global(from)), "C"(L2::begin), "C"(load_operator<Hints.load>), "C"(L2::level),
                 "C"(L2::end)
               : "memory");
  return {{static_cast<unsigned char>(value)}};
}

/// st.global. 32 bytes need sm_100.
template <CacheHints Hints>
DMA_DEVICE void store_global(machine::Word<32>* to, const machine::Word<32>& word) {
  using L2 = L2Policy<Hints.l2>;
  asm volatile(
      "%9 st.global%10%11.v8.u32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}%12" ::"l"(__cvta_generic_to_global(to)),
      "r"(word.part[0]), "r"(word.part[1]), "r"(word.part[2]), "r"(word.part[3]), "r"(word.part[4]), "r"(word.part[5]),
      "r"(word.part[6]), "r"(word.part[7]), "C"(L2::begin), "C"(store_operator<Hints.store>), "C"(L2::level),
      "C"(L2::end)
      : "memory");
}
template <CacheHints Hints>
DMA_DEVICE void store_global(machine::Word<16>* to, const machine::Word<16>& word) {
  using L2 = L2Policy<Hints.l2>;
  asm volatile("%5 st.global%6%7.v4.u32 [%0], {%1, %2, %3, %4}%8" ::"l"(__cvta_generic_to_global(to)),
               "r"(word.part[0]), "r"(word.part[1]), "r"(word.part[2]), "r"(word.part[3]), "C"(L2::begin),
               "C"(store_operator<Hints.store>), "C"(L2::level), "C"(L2::end)
               : "memory");
}
template <CacheHints Hints>
DMA_DEVICE void store_global(machine::Word<8>* to, const machine::Word<8>& word) {
  using L2 = L2Policy<Hints.l2>;
  asm volatile("%3 st.global%4%5.v2.u32 [%0], {%1, %2}%6" ::"l"(__cvta_generic_to_global(to)), "r"(word.part[0]),
               "r"(word.part[1]), "C"(L2::begin), "C"(store_operator<Hints.store>), "C"(L2::level), "C"(L2::end)
               : "memory");
}
template <CacheHints Hints>
DMA_DEVICE void store_global(machine::Word<4>* to, const machine::Word<4>& word) {
  using L2 = L2Policy<Hints.l2>;
  asm volatile("%2 st.global%3%4.u32 [%0], %1%5" ::"l"(__cvta_generic_to_global(to)), "r"(word.part[0]), "C"(L2::begin),
               "C"(store_operator<Hints.store>), "C"(L2::level), "C"(L2::end)
               : "memory");
}
template <CacheHints Hints>
DMA_DEVICE void store_global(machine::Word<2>* to, const machine::Word<2>& word) {
  using L2 = L2Policy<Hints.l2>;
  asm volatile("%2 st.global%3%4.u16 [%0], %1%5" ::"l"(__cvta_generic_to_global(to)), "h"(word.part[0]), "C"(L2::begin),
               "C"(store_operator<Hints.store>), "C"(L2::level), "C"(L2::end)
               : "memory");
}
template <CacheHints Hints>
DMA_DEVICE void store_global(machine::Word<1>* to, const machine::Word<1>& word) {
  using L2 = L2Policy<Hints.l2>;
  asm volatile("%2 st.global%3%4.u8 [%0], %1%5" ::"l"(__cvta_generic_to_global(to)),
               "h"(static_cast<unsigned short>(word.part[0])), "C"(L2::begin), "C"(store_operator<Hints.store>),
               "C"(L2::level), "C"(L2::end)
               : "memory");
}

/// cp.async. 16 bytes bypass the first-level cache by default; 4 and 8 always go through it.
template <int Bytes, CacheHints Hints>
DMA_DEVICE void copy_async(unsigned to, const void* from) {
  using L2 = L2Policy<Hints.l2>;
  constexpr LoadCache cache = Bytes == 16 && Hints.load != LoadCache::all ? LoadCache::global : LoadCache::all;
  asm volatile("%3 cp.async%4.shared.global%5 [%0], [%1], %2%6" ::"r"(to), "l"(__cvta_generic_to_global(from)),
               "n"(Bytes), "C"(L2::begin), "C"(load_operator<cache>), "C"(L2::level), "C"(L2::end)
               : "memory");
}

/// cp.async.bulk, global to shared memory.
template <CacheHints Hints>
DMA_DEVICE void copy_bulk_to_shared(unsigned to, const void* from, int bytes, unsigned barrier) {
  using L2 = L2Policy<Hints.l2>;
  asm volatile("%4 cp.async.bulk." DMA_DETAIL_OWN_SHARED
               ".global.mbarrier::complete_tx::bytes%5 [%0], [%1], %2, [%3]%6" ::"r"(to),
               "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(barrier), "C"(L2::begin), "C"(L2::level),
               "C"(L2::end)
               : "memory");
}

/// cp.async.bulk, shared to global memory.
template <CacheHints Hints>
DMA_DEVICE void copy_bulk_to_global(void* to, unsigned from, int bytes) {
  using L2 = L2Policy<Hints.l2>;
  asm volatile("%3 cp.async.bulk.global.shared::cta.bulk_group%4 [%0], [%1], %2%5" ::"l"(__cvta_generic_to_global(to)),
               "r"(from), "r"(bytes), "C"(L2::begin), "C"(L2::level), "C"(L2::end)
               : "memory");
}

}  // namespace dma::inline v0_1::ptx

#endif
