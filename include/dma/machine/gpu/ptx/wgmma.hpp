#pragma once

/// The tensor cores' products, one function an instruction. A comment begins with the title of the instruction's
/// section in the PTX ISA. cuda::ptx of the toolkit has no wgmma (CCCL 3.0).
///
/// An instruction names each of its registers, so there is a text for each number of columns: two tables make them, of
/// register lists and of the numbers of the operands behind these.

#include <dma/config.hpp>
#include <dma/machine/gpu/ptx/warp.hpp>
#include <dma/machine/half_float.hpp>
#include <dma/machine/matrix_operand.hpp>
#include <dma/machine/product_element.hpp>
#include <dma/standard.hpp>

#if defined(__CUDACC__)

namespace dma::inline v0_1::ptx {

/// wgmma.fence: what this warpgroup did to its registers precedes the products that follow.
DMA_DEVICE void matrix_fence() {
  if constexpr (has_wgmma) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  }
}

/// For the compiler alone: the value may be another one from here on, so that it is read after this place and written
/// before.
DMA_DEVICE void renew(float& value) { asm volatile("" : "+f"(value)::"memory"); }

// clang-format off
// The registers of N columns: F or G with the numbers of each four of them.
#define DMA_SUMS_8(F, G) F(0, 1, 2, 3)
#define DMA_SUMS_16(F, G) DMA_SUMS_8(F, G) G(4, 5, 6, 7)
#define DMA_SUMS_24(F, G) DMA_SUMS_16(F, G) G(8, 9, 10, 11)
#define DMA_SUMS_32(F, G) DMA_SUMS_24(F, G) G(12, 13, 14, 15)
#define DMA_SUMS_40(F, G) DMA_SUMS_32(F, G) G(16, 17, 18, 19)
#define DMA_SUMS_48(F, G) DMA_SUMS_40(F, G) G(20, 21, 22, 23)
#define DMA_SUMS_56(F, G) DMA_SUMS_48(F, G) G(24, 25, 26, 27)
#define DMA_SUMS_64(F, G) DMA_SUMS_56(F, G) G(28, 29, 30, 31)
#define DMA_SUMS_72(F, G) DMA_SUMS_64(F, G) G(32, 33, 34, 35)
#define DMA_SUMS_80(F, G) DMA_SUMS_72(F, G) G(36, 37, 38, 39)
#define DMA_SUMS_88(F, G) DMA_SUMS_80(F, G) G(40, 41, 42, 43)
#define DMA_SUMS_96(F, G) DMA_SUMS_88(F, G) G(44, 45, 46, 47)
#define DMA_SUMS_104(F, G) DMA_SUMS_96(F, G) G(48, 49, 50, 51)
#define DMA_SUMS_112(F, G) DMA_SUMS_104(F, G) G(52, 53, 54, 55)
#define DMA_SUMS_120(F, G) DMA_SUMS_112(F, G) G(56, 57, 58, 59)
#define DMA_SUMS_128(F, G) DMA_SUMS_120(F, G) G(60, 61, 62, 63)
#define DMA_SUMS_136(F, G) DMA_SUMS_128(F, G) G(64, 65, 66, 67)
#define DMA_SUMS_144(F, G) DMA_SUMS_136(F, G) G(68, 69, 70, 71)
#define DMA_SUMS_152(F, G) DMA_SUMS_144(F, G) G(72, 73, 74, 75)
#define DMA_SUMS_160(F, G) DMA_SUMS_152(F, G) G(76, 77, 78, 79)
#define DMA_SUMS_168(F, G) DMA_SUMS_160(F, G) G(80, 81, 82, 83)
#define DMA_SUMS_176(F, G) DMA_SUMS_168(F, G) G(84, 85, 86, 87)
#define DMA_SUMS_184(F, G) DMA_SUMS_176(F, G) G(88, 89, 90, 91)
#define DMA_SUMS_192(F, G) DMA_SUMS_184(F, G) G(92, 93, 94, 95)
#define DMA_SUMS_200(F, G) DMA_SUMS_192(F, G) G(96, 97, 98, 99)
#define DMA_SUMS_208(F, G) DMA_SUMS_200(F, G) G(100, 101, 102, 103)
#define DMA_SUMS_216(F, G) DMA_SUMS_208(F, G) G(104, 105, 106, 107)
#define DMA_SUMS_224(F, G) DMA_SUMS_216(F, G) G(108, 109, 110, 111)
#define DMA_SUMS_232(F, G) DMA_SUMS_224(F, G) G(112, 113, 114, 115)
#define DMA_SUMS_240(F, G) DMA_SUMS_232(F, G) G(116, 117, 118, 119)
#define DMA_SUMS_248(F, G) DMA_SUMS_240(F, G) G(120, 121, 122, 123)
#define DMA_SUMS_256(F, G) DMA_SUMS_248(F, G) G(124, 125, 126, 127)
// X with N and the numbers of the operands behind the N / 2 sums.
#define DMA_FOR_EACH_COLUMNS(X) \
  X(8, 4, 5, 6, 7, 8, 9, 10, 11) \
  X(16, 8, 9, 10, 11, 12, 13, 14, 15) \
  X(24, 12, 13, 14, 15, 16, 17, 18, 19) \
  X(32, 16, 17, 18, 19, 20, 21, 22, 23) \
  X(40, 20, 21, 22, 23, 24, 25, 26, 27) \
  X(48, 24, 25, 26, 27, 28, 29, 30, 31) \
  X(56, 28, 29, 30, 31, 32, 33, 34, 35) \
  X(64, 32, 33, 34, 35, 36, 37, 38, 39) \
  X(72, 36, 37, 38, 39, 40, 41, 42, 43) \
  X(80, 40, 41, 42, 43, 44, 45, 46, 47) \
  X(88, 44, 45, 46, 47, 48, 49, 50, 51) \
  X(96, 48, 49, 50, 51, 52, 53, 54, 55) \
  X(104, 52, 53, 54, 55, 56, 57, 58, 59) \
  X(112, 56, 57, 58, 59, 60, 61, 62, 63) \
  X(120, 60, 61, 62, 63, 64, 65, 66, 67) \
  X(128, 64, 65, 66, 67, 68, 69, 70, 71) \
  X(136, 68, 69, 70, 71, 72, 73, 74, 75) \
  X(144, 72, 73, 74, 75, 76, 77, 78, 79) \
  X(152, 76, 77, 78, 79, 80, 81, 82, 83) \
  X(160, 80, 81, 82, 83, 84, 85, 86, 87) \
  X(168, 84, 85, 86, 87, 88, 89, 90, 91) \
  X(176, 88, 89, 90, 91, 92, 93, 94, 95) \
  X(184, 92, 93, 94, 95, 96, 97, 98, 99) \
  X(192, 96, 97, 98, 99, 100, 101, 102, 103) \
  X(200, 100, 101, 102, 103, 104, 105, 106, 107) \
  X(208, 104, 105, 106, 107, 108, 109, 110, 111) \
  X(216, 108, 109, 110, 111, 112, 113, 114, 115) \
  X(224, 112, 113, 114, 115, 116, 117, 118, 119) \
  X(232, 116, 117, 118, 119, 120, 121, 122, 123) \
  X(240, 120, 121, 122, 123, 124, 125, 126, 127) \
  X(248, 124, 125, 126, 127, 128, 129, 130, 131) \
  X(256, 128, 129, 130, 131, 132, 133, 134, 135)
#define DMA_FIRST_NAMES(a, b, c, d) "%" #a ", %" #b ", %" #c ", %" #d
#define DMA_NEXT_NAMES(a, b, c, d) ", %" #a ", %" #b ", %" #c ", %" #d
#define DMA_FIRST_SUMS(a, b, c, d) "+f"(sums[a]), "+f"(sums[b]), "+f"(sums[c]), "+f"(sums[d])
#define DMA_NEXT_SUMS(a, b, c, d) , "+f"(sums[a]), "+f"(sums[b]), "+f"(sums[c]), "+f"(sums[d])
#define DMA_PRODUCT(N, k, adds, type, operands)                                                  \
  "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %" #adds ", 0;\n\twgmma.mma_async.sync.aligned.m64n" #N \
  "k" #k ".f32.%" #type ".%" #type " {" DMA_SUMS_##N(DMA_FIRST_NAMES, DMA_NEXT_NAMES) "}, " operands ";\n\t}"
// clang-format on

/// wgmma.mma_async: sums = A B, plus the sums before if `adds`; A is 64 x 16 and B 16 x `Columns`, both in shared
/// memory as their descriptors say. Of a warpgroup, whose lanes are converged. The sums may be read, and the operands
/// overwritten, after a wait for the instruction's group.
template <class Element, int Columns, bool TransposesA, bool TransposesB>
DMA_DEVICE void multiply_matrices(float (&sums)[Columns / 2], stdlib::uint64_t a, stdlib::uint64_t b, bool adds) {
#define DMA_PRODUCT_OF_SHARED(N, a_, b_, adds_, ta_, tb_, type_, n6_, n7_)                                    \
  if constexpr (Columns == N) {                                                                               \
    asm volatile(DMA_PRODUCT(N, 16, adds_, type_, "%" #a_ ", %" #b_ ", p, 1, 1, %" #ta_ ", %" #tb_)           \
                 : DMA_SUMS_##N(DMA_FIRST_SUMS, DMA_NEXT_SUMS)                                                \
                 : "l"(a), "l"(b), "r"(static_cast<int>(adds)), "n"(int{TransposesA}), "n"(int{TransposesB}), \
                   "C"(machine::HalfFloat<Element>::name)                                                     \
                 : "memory");                                                                                 \
  }
  DMA_FOR_EACH_COLUMNS(DMA_PRODUCT_OF_SHARED)
#undef DMA_PRODUCT_OF_SHARED
}

/// The same with A in registers, two elements in each, which keep their values until the wait.
template <class Element, int Columns, bool TransposesB>
DMA_DEVICE void multiply_matrices(float (&sums)[Columns / 2], const stdlib::uint32_t (&a)[4], stdlib::uint64_t b,
                                  bool adds) {
#define DMA_PRODUCT_OF_REGISTERS(N, a0_, a1_, a2_, a3_, b_, adds_, tb_, type_)                                      \
  if constexpr (Columns == N) {                                                                                     \
    asm volatile(                                                                                                   \
        DMA_PRODUCT(N, 16, adds_, type_, "{%" #a0_ ", %" #a1_ ", %" #a2_ ", %" #a3_ "}, %" #b_ ", p, 1, 1, %" #tb_) \
        : DMA_SUMS_##N(DMA_FIRST_SUMS, DMA_NEXT_SUMS)                                                               \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(static_cast<int>(adds)), "n"(int{TransposesB}),   \
          "C"(machine::HalfFloat<Element>::name)                                                                    \
        : "memory");                                                                                                \
  }
  DMA_FOR_EACH_COLUMNS(DMA_PRODUCT_OF_REGISTERS)
#undef DMA_PRODUCT_OF_REGISTERS
}

/// The same with elements of one byte in shared memory: A is 64 x 32 and B 32 x `Columns`, both contiguous in k.
template <class Element, int Columns>
DMA_DEVICE void multiply_byte_matrices(float (&sums)[Columns / 2], stdlib::uint64_t a, stdlib::uint64_t b, bool adds) {
#define DMA_PRODUCT_OF_BYTES(N, a_, b_, adds_, type_, n4_, n5_, n6_, n7_)                              \
  if constexpr (Columns == N) {                                                                        \
    asm volatile(DMA_PRODUCT(N, 32, adds_, type_, "%" #a_ ", %" #b_ ", p, 1, 1")                       \
                 : DMA_SUMS_##N(DMA_FIRST_SUMS, DMA_NEXT_SUMS)                                         \
                 : "l"(a), "l"(b), "r"(static_cast<int>(adds)), "C"(machine::ByteFloat<Element>::name) \
                 : "memory");                                                                          \
  }
  DMA_FOR_EACH_COLUMNS(DMA_PRODUCT_OF_BYTES)
#undef DMA_PRODUCT_OF_BYTES
}

#undef DMA_PRODUCT
#undef DMA_NEXT_SUMS
#undef DMA_FIRST_SUMS
#undef DMA_NEXT_NAMES
#undef DMA_FIRST_NAMES
#undef DMA_FOR_EACH_COLUMNS
#undef DMA_SUMS_256
#undef DMA_SUMS_248
#undef DMA_SUMS_240
#undef DMA_SUMS_232
#undef DMA_SUMS_224
#undef DMA_SUMS_216
#undef DMA_SUMS_208
#undef DMA_SUMS_200
#undef DMA_SUMS_192
#undef DMA_SUMS_184
#undef DMA_SUMS_176
#undef DMA_SUMS_168
#undef DMA_SUMS_160
#undef DMA_SUMS_152
#undef DMA_SUMS_144
#undef DMA_SUMS_136
#undef DMA_SUMS_128
#undef DMA_SUMS_120
#undef DMA_SUMS_112
#undef DMA_SUMS_104
#undef DMA_SUMS_96
#undef DMA_SUMS_88
#undef DMA_SUMS_80
#undef DMA_SUMS_72
#undef DMA_SUMS_64
#undef DMA_SUMS_56
#undef DMA_SUMS_48
#undef DMA_SUMS_40
#undef DMA_SUMS_32
#undef DMA_SUMS_24
#undef DMA_SUMS_16
#undef DMA_SUMS_8

}  // namespace dma::inline v0_1::ptx

#endif
