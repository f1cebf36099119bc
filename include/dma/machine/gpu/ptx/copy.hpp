#pragma once

/// The copy instructions, and those that add to global memory without a result, one function an access. A comment
/// begins with the title of the instruction's section in the PTX ISA.

#include <dma/config.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/gpu/ptx/cached.hpp>
#include <dma/machine/half_float.hpp>
#include <dma/machine/word.hpp>
#include <dma/standard.hpp>

#if defined(__CUDACC__)

namespace dma::inline v0_1::ptx {

/// ld.global. 32 bytes need sm_100.
[[nodiscard]] DMA_DEVICE machine::Word<32> load_global(const machine::Word<32>* from) {
  machine::Word<32> word;
  asm volatile("ld.global.v8.u32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
               : "=r"(word.part[0]), "=r"(word.part[1]), "=r"(word.part[2]), "=r"(word.part[3]), "=r"(word.part[4]),
                 "=r"(word.part[5]), "=r"(word.part[6]), "=r"(word.part[7])
               : "l"(__cvta_generic_to_global(from))
               : "memory");
  return word;
}
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

/// st.shared `to` is an address in the .shared window. 32 bytes are two stores.
DMA_DEVICE void store_shared(unsigned to, const machine::Word<32>& word) {
  asm volatile(
      "st.shared.v4.u32 [%0], {%1, %2, %3, %4};\n\t"
      "st.shared.v4.u32 [%0 + 16], {%5, %6, %7, %8};" ::"r"(to),
      "r"(word.part[0]), "r"(word.part[1]), "r"(word.part[2]), "r"(word.part[3]), "r"(word.part[4]), "r"(word.part[5]),
      "r"(word.part[6]), "r"(word.part[7])
      : "memory");
}
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

/// Whether there is st.bulk: from sm_100 on, with PTX ISA 8.6.
inline constexpr bool has_bulk_stores =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
    true;
#else
    false;
#endif
/// st.bulk: zeros from `to` on, an address in the .shared window. `bytes` is a multiple of 8. No GPU has run it here.
DMA_DEVICE void clear_shared(unsigned to, int bytes) {
  asm volatile("st.bulk.weak.shared::cta [%0], %1, 0;" ::"r"(to), "l"(static_cast<long long>(bytes)) : "memory");
}

/// ld.shared. `from` is an address in the .shared window. 32 bytes are two loads.
DMA_DEVICE void load_shared(machine::Word<32>& word, unsigned from) {
  asm volatile(
      "ld.shared.v4.u32 {%0, %1, %2, %3}, [%8];\n\t"
      "ld.shared.v4.u32 {%4, %5, %6, %7}, [%8 + 16];"
      : "=&r"(word.part[0]), "=&r"(word.part[1]), "=&r"(word.part[2]), "=&r"(word.part[3]), "=&r"(word.part[4]),
        "=&r"(word.part[5]), "=&r"(word.part[6]), "=&r"(word.part[7])
      : "r"(from)
      : "memory");
}
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

/// st.global. 32 bytes need sm_100.
DMA_DEVICE void store_global(machine::Word<32>* to, const machine::Word<32>& word) {
  asm volatile("st.global.v8.u32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8};" ::"l"(__cvta_generic_to_global(to)),
               "r"(word.part[0]), "r"(word.part[1]), "r"(word.part[2]), "r"(word.part[3]), "r"(word.part[4]),
               "r"(word.part[5]), "r"(word.part[6]), "r"(word.part[7])
               : "memory");
}
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
  asm volatile("cp.async.bulk." DMA_DETAIL_OWN_SHARED
               ".global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
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

/// The type that an instruction adds and its suffix. Signed and unsigned integers share one, as two's complement.
template <class Element>
struct SumOf;
template <>
struct SumOf<float> {
  using Type = float;
  static constexpr char name[] = ".f32";
};
template <>
struct SumOf<double> {
  using Type = double;
  static constexpr char name[] = ".f64";
};
template <class Element>
  requires(stdlib::is_integral_v<Element> && sizeof(Element) == 4)
struct SumOf<Element> {
  using Type = unsigned;
  static constexpr char name[] = ".u32";
};
template <class Element>
  requires(stdlib::is_integral_v<Element> && sizeof(Element) == 8)
struct SumOf<Element> {
  using Type = unsigned long long;
  static constexpr char name[] = ".u64";
};

template <>
struct SumOf<__half> {
  static constexpr char name[] = ".noftz.f16";
};
template <>
struct SumOf<__nv_bfloat16> {
  static constexpr char name[] = ".noftz.bf16";
};

/// red.add: one element.
DMA_DEVICE void add_global(float* to, float value) {
  asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "f"(value) : "memory");
}
DMA_DEVICE void add_global(double* to, double value) {
  asm volatile("red.relaxed.gpu.global.add.f64 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "d"(value) : "memory");
}
DMA_DEVICE void add_global(unsigned* to, unsigned value) {
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "r"(value) : "memory");
}
DMA_DEVICE void add_global(unsigned long long* to, unsigned long long value) {
  asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "l"(value) : "memory");
}

/// red.add, of four floats to an instruction where the architecture has that.
DMA_DEVICE void add_global(float* to, const machine::Word<16>& word) {
  float values[4];
  memcpy(values, &word, sizeof values);
#if __CUDA_ARCH__ >= 900
  asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)),
               "f"(values[0]), "f"(values[1]), "f"(values[2]), "f"(values[3])
               : "memory");
#else
  for (int i = 0; i < 4; ++i) {
    add_global(to + i, values[i]);
  }
#endif
}
/// red.add.noftz: two-byte floats in pairs, eight to an instruction where the architecture has that. Those of bf16 need
/// sm_90.
template <class Element>
  requires(machine::HalfFloat<Element>::is_known)
DMA_DEVICE void add_global(Element* to, const machine::Word<2>& word) {
  asm volatile("red.relaxed.gpu.global.add.noftz.%2 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "h"(word.part[0]),
               "C"(machine::HalfFloat<Element>::name)
               : "memory");
}
template <class Element>
  requires(machine::HalfFloat<Element>::is_known)
DMA_DEVICE void add_global(Element* to, const machine::Word<4>& word) {
  asm volatile("red.relaxed.gpu.global.add.noftz.%2x2 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "r"(word.part[0]),
               "C"(machine::HalfFloat<Element>::name)
               : "memory");
}
template <class Element>
  requires(machine::HalfFloat<Element>::is_known)
DMA_DEVICE void add_global(Element* to, const machine::Word<8>& word) {
#if __CUDA_ARCH__ >= 900
  asm volatile("red.relaxed.gpu.global.add.noftz.v2.%3x2 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(to)),
               "r"(word.part[0]), "r"(word.part[1]), "C"(machine::HalfFloat<Element>::name)
               : "memory");
#else
  for (int i = 0; i < 2; ++i) {
    add_global(to + 2 * i, machine::Word<4>{{word.part[i]}});
  }
#endif
}
template <class Element>
  requires(machine::HalfFloat<Element>::is_known)
DMA_DEVICE void add_global(Element* to, const machine::Word<16>& word) {
#if __CUDA_ARCH__ >= 900
  asm volatile("red.relaxed.gpu.global.add.noftz.v4.%5x2 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)),
               "r"(word.part[0]), "r"(word.part[1]), "r"(word.part[2]), "r"(word.part[3]),
               "C"(machine::HalfFloat<Element>::name)
               : "memory");
#else
  for (int i = 0; i < 4; ++i) {
    add_global(to + 2 * i, machine::Word<4>{{word.part[i]}});
  }
#endif
}

/// The elements of a word, one by one.
template <class Element, int Bytes>
DMA_DEVICE void add_global(Element* to, const machine::Word<Bytes>& word) {
  using Sum = typename SumOf<Element>::Type;
  constexpr int count = Bytes / static_cast<int>(sizeof(Sum));
  Sum values[count];
  memcpy(values, &word, sizeof values);
#pragma unroll
  for (int i = 0; i < count; ++i) {
    add_global(reinterpret_cast<Sum*>(to) + i, values[i]);
  }
}

/// cp.reduce.async.bulk, shared to global memory: adds each element separately. Part of the thread's current bulk
/// group; addresses and `bytes` are multiples of 16.
template <class Element, CacheHints Hints>
DMA_DEVICE void add_bulk_to_global(void* to, unsigned from, int bytes) {
  using L2 = L2Policy<Hints.l2>;
  asm volatile("%3 cp.reduce.async.bulk.global.shared::cta.bulk_group%4.add%5 [%0], [%1], %2%6" ::"l"(
                   __cvta_generic_to_global(to)),
               "r"(from), "r"(bytes), "C"(L2::begin), "C"(L2::level), "C"(SumOf<Element>::name), "C"(L2::end)
               : "memory");
}

}  // namespace dma::inline v0_1::ptx

#endif
