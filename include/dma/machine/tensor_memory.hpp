#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/tensor_operand.hpp>

#if defined(__CUDA_ARCH__)
#include <dma/machine/gpu/tensor_memory.hpp>
#else
#include <dma/machine/host/tensor_memory.hpp>
#endif

/// Tensor memory and the products into it: the fourth part of the machine's list. It is 512 columns of 128 lanes, words
/// of 32 bits, beside the shared memory of a CTA; an address has the lane above 16 bits of the column. Warp w accesses
/// lanes 32 (w % 4) to 32 (w % 4) + 31.
namespace dma::inline v0_1::machine {

/// void allocate_tensor_memory<Columns, Ctas>(unsigned* to): of a warp: allocates columns, and writes their address to
/// shared memory; waits for other CTAs of the SM that have them. void relinquish_tensor_memory<Ctas>(): of a warp: the
/// CTA allocates no more. void free_tensor_memory<Columns, Ctas>(unsigned address): of a warp, that which has allocated
/// them. `Ctas` is 1, or 2 for both CTAs of a pair, of which each has a warp that does the same.
using model::allocate_tensor_memory;
using model::free_tensor_memory;
using model::relinquish_tensor_memory;
/// void fence_tensor_memory_before_sync(), void fence_tensor_memory_after_sync(): what the thread's products and loads
/// did precedes a synchronization of threads that follows; one that was before precedes what they do.
using model::fence_tensor_memory_after_sync;
using model::fence_tensor_memory_before_sync;
/// void begin_tensor_product<Ctas>(unsigned to, int columns, uint64_t a, int from_a, int bytes_of_a, uint64_t b, int
/// from_b, int bytes_of_b): tells which sums and which bytes of operands, counted from their descriptors' addresses,
/// products use until they are complete. No instruction.
using model::begin_tensor_product;
/// void multiply_into_tensor_memory<Element, Columns, MajorOfA, MajorOfB, Ctas>(unsigned to, uint64_t a, uint64_t b,
/// bool adds): of one thread: the sums at `to` become A B, plus the sums before if `adds`; A is 128 x 16 and B 16 x
/// `Columns`, where their descriptors say. On a GPU at some time before `phase_arrive_when_multiplied` arrives;
/// products of a thread into the same sums come in its order. A host does it at once, in float, k by k. With two CTAs
/// A is 256 x 16, and each CTA of the pair has 128 rows of A and of the sums, and half of the columns of B.
using model::multiply_into_tensor_memory;
/// void load_tensor_memory(float (&values)[16], unsigned address, int column): of a warp: each lane has of its lane of
/// tensor memory 16 columns from that column of an allocation's on. void wait_for_tensor_memory_loads(): of a warp:
/// until the values are there.
using model::load_tensor_memory;
using model::wait_for_tensor_memory_loads;

}  // namespace dma::inline v0_1::machine
