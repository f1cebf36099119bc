#pragma once

/// The instructions that add to global memory, one function an access, without a result. A comment begins with the
/// title of the instruction's section in the PTX ISA.

#include <dma/config.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/gpu/ptx/cached.hpp>
#include <dma/machine/half_float.hpp>
#include <dma/machine/word.hpp>
#include <dma/standard.hpp>

#if defined(__CUDACC__)

namespace dma::inline v0_1::ptx {

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

}  // namespace dma::v0_1::ptx

#endif
