#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/matrix_operand.hpp>

#if defined(__CUDA_ARCH__)
#include <dma/machine/gpu/matrix.hpp>
#else
#include <dma/machine/host/matrix.hpp>
#endif

/// The tensor cores' products: the third part of the machine's list. They are collective over a warpgroup: four warps,
/// the first of which has a rank that is a multiple of four. Thread t of the group has, of a result of 64 rows, those
/// of its warp (16 w to 16 w + 15): rows g and g + 8, where g = t % 32 / 4, and of each 8 columns the two from 2 (t %
/// 4) on.
namespace dma::inline v0_1::machine {

/// unsigned matrix_address(const void*): of shared memory, as a descriptor needs it.
using model::matrix_address;
/// void begin_products(): what this warpgroup did to its registers precedes the products that follow.
using model::begin_products;
/// void begin_operand_reads(uint64_t descriptor, int from, int bytes): tells that these bytes, counted from the
/// descriptor's address, are being read until a wait for the group. No instruction.
using model::begin_operand_reads;
/// void use_registers(const void* variable): products use a variable's registers until a wait for the group.
/// bool registers_are_free(const void* variable): whether no product in flight does; true on a GPU. No instructions.
using model::registers_are_free;
using model::use_registers;
/// void multiply_matrices<Element, Columns, MajorOfA, MajorOfB>(float (&sums)[Columns / 2], uint64_t a, uint64_t b,
/// bool adds): sums = A B, plus the sums before if `adds`; A is 64 x 16 and B 16 x `Columns`, where their descriptors
/// say, or with elements of one byte 64 x 32 and 32 x `Columns`, both contiguous in k. On a GPU the operands are read,
/// and the sums written, at some time before a wait for the products' group. A host does it at once; it adds one
/// product after the other, in float.
using model::multiply_matrices;
/// void multiply_rows<Element, Columns, MajorOfB>(float (&sums)[Columns / 2], const uint32_t (&a)[4], uint64_t b,
/// bool adds): the same with A in registers, which keep their values until the wait. Register r has, of the 16 columns,
/// the thread's two of the first 8 (r < 2) or the last 8, in row g (r even) or g + 8.
using model::multiply_rows;
/// uint32_t packed<Element>(float low, float high): two elements, rounded to the nearest, ties to even.
using model::packed;
/// void store_matrices<4>(void* row, const uint32_t (&matrices)[4]): stores four 8 x 8 matrices of two-byte elements to
/// shared memory, 16 bytes a row: lane l names row l % 8 of matrix l / 8, and has of each matrix the two elements from
/// 2 (l % 4) on of row l / 4. Collective over the warp; `row` is a multiple of 16.
using model::store_matrices;
/// void renew(float&): the compiler does not move accesses to the value past this place.
using model::renew;
/// void compute_first(float value): the assembler does not move a wait for products that follows ahead of what the
/// value is computed from.
using model::compute_first;

}  // namespace dma::inline v0_1::machine
