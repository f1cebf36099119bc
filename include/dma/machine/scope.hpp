#pragma once

#include <dma/config.hpp>

namespace dma::inline v0_1 {

/// Threads that are ordered with each other: those of the CTA, of all CTAs of its cluster, of the GPU, or of the
/// system, its other GPUs and its host. A barrier's scope is `cta` or `cluster`; an atomic access and a fence have any.
///
/// Cost    of a barrier: at cluster scope an arrival waits for the thread's earlier memory accesses (a membar), at CTA
///         scope it does not
/// Source  PTX ISA, "Scope"
enum class Scope : unsigned char { cta, cluster, gpu, system };

/// What an atomic access or a fence orders. An access that acquires is ordered after what the write that it reads
/// carries: what a release wrote, and read-modify-writes after it hand on. `seq_cst` puts fences of `seq_cst` into one
/// order for all threads.
///
/// Source  PTX ISA, "Memory Consistency Model"
enum class Order : unsigned char { relaxed, acquire, release, acq_rel, seq_cst };

namespace machine {

/// What an arrival at a phase barrier, and a wait for it, order: all accesses of the CTA's threads, those of the
/// arriving CTA's shared memory for the cluster's threads, or all accesses for these.
enum class Ordered : unsigned char { in_cta, shared_memory_in_cluster, in_cluster };

/// What an atomic access does with its word.
enum class AtomicKind : unsigned char {
  load,
  store,
  exchange,
  compare_exchange,  ///< stores where the word is the one that is expected
  add,
  store_add,  ///< adds, and does not return the value before
  bit_and,
  bit_or,
  bit_xor,
  bit_nand,
  least,  ///< stores the smaller one
  greatest,
  add_around,  ///< adds one, or stores 0 where the word is the value or above it
  sub_around,  ///< subtracts one, or stores the value where the word is 0 or above it
  fence,       ///< no access
};

[[nodiscard]] DMA_HOST_DEVICE constexpr bool acquires(Order order) noexcept {
  return order != Order::relaxed && order != Order::release;
}
[[nodiscard]] DMA_HOST_DEVICE constexpr bool releases(Order order) noexcept { return order >= Order::release; }

}  // namespace machine

}  // namespace dma::inline v0_1
