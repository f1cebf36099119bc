#pragma once

#include <cstdint>

/// What the kernels of published bugs have in common: instructions as PTX has them. No header of CUDA is included, so
/// that nvcc compiles a file in a third of a second.
namespace bugs {

using Word = std::uint32_t;
using Barrier = std::uint64_t;

/// Defines the entries `name_broken` and `name_fixed` by the template `name<bool is_broken>`.
#define DMA_BUGS_BOTH_FORMS(name, parameters, arguments)                        \
  extern "C" __global__ void name##_broken parameters { name<true> arguments; } \
  extern "C" __global__ void name##_fixed parameters { name<false> arguments; }

__device__ inline Word address_of(const void* shared) { return static_cast<Word>(__cvta_generic_to_shared(shared)); }

// Barriers of a part of the threads.
__device__ inline void sync_named(int id, int threads) {
  asm volatile("barrier.cta.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ inline void arrive_named(int id, int threads) {
  asm volatile("barrier.cta.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// mbarriers.
__device__ inline void init(Barrier& barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address_of(&barrier)), "r"(arrivals) : "memory");
}
__device__ inline void fence_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ inline void arrive(Barrier& barrier) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(address_of(&barrier)) : "memory");
}
__device__ inline void expect_bytes(Barrier& barrier, int bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(address_of(&barrier)), "r"(bytes)
               : "memory");
}
__device__ inline void arrive_expecting(Barrier& barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(address_of(&barrier)),
               "r"(bytes)
               : "memory");
}
__device__ inline void wait(Barrier& barrier, int parity) {
  int is_over = 0;
  while (is_over == 0) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
        : "=r"(is_over)
        : "r"(address_of(&barrier)), "r"(parity)
        : "memory");
  }
}

// Copies by the asynchronous proxy.
__device__ inline void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ inline void load_bulk(void* to, const void* from, int bytes, Barrier& barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address_of(to)),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(address_of(&barrier))
      : "memory");
}
__device__ inline void store_bulk(void* to, const void* from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
               "r"(address_of(from)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ inline void wait_bulk_reads() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
__device__ inline void wait_bulk_stores() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

// Clusters: a place in the shared memory of another CTA has an address of its own.
__device__ inline int cluster_rank() {
  int rank = 0;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ inline void sync_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ inline Word peer_address(const void* shared, int rank) {
  Word address = 0;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(address_of(shared)), "r"(rank));
  return address;
}
__device__ inline void store_peer(Word address, float value) {
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(address), "f"(value) : "memory");
}
__device__ inline float load_peer(Word address) {
  float value = 0;
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(address) : "memory");
  return value;
}
__device__ inline void arrive_peer(Word barrier) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}
/// As PTX has it without a scope: that of the CTA.
__device__ inline void arrive_peer_in_cta(Word barrier) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ inline void wait_cluster(Barrier& barrier, int parity) {
  int is_over = 0;
  while (is_over == 0) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
        : "=r"(is_over)
        : "r"(address_of(&barrier)), "r"(parity)
        : "memory");
  }
}
/// To the same place of each CTA in a mask, with the arrival of its bytes at the barrier there.
__device__ inline void load_multicast(void* to, const void* from, int bytes, Barrier& barrier, std::uint16_t mask) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], "
      "%4;" ::"r"(address_of(to)),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(address_of(&barrier)), "h"(mask)
      : "memory");
}
__device__ inline void copy_async(void* to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address_of(to)), "l"(__cvta_generic_to_global(from))
               : "memory");
}
__device__ inline void arrive_when_copied(Barrier& barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(address_of(&barrier)) : "memory");
}
__device__ inline void wait_async_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// Products of a warpgroup: 64 x 8 sums of 64 x 16 halves at `a` and 16 x 8 at `b`, both by blocks of 8 rows of 16
// bytes.
struct Operands {
  std::uint16_t a[64 * 16];
  std::uint16_t b[16 * 8];
};
__device__ inline std::uint64_t descriptor_of(const void* shared) {
  constexpr std::uint64_t between_columns = std::uint64_t{128 / 16} << 16;
  constexpr std::uint64_t between_rows = std::uint64_t{256 / 16} << 32;
  return (address_of(shared) >> 4) | between_columns | between_rows;
}
__device__ inline void start_product(float (&sums)[4], const Operands& operands) {
  asm volatile(
      "wgmma.fence.sync.aligned;\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;\n"
      "wgmma.commit_group.sync.aligned;"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "l"(descriptor_of(operands.a)), "l"(descriptor_of(operands.b))
      : "memory");
}
template <int pending>
__device__ void wait_products(float (&sums)[4]) {
  asm volatile("wgmma.wait_group.sync.aligned %4;"
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
               : "n"(pending)
               : "memory");
}
__device__ inline void store(float* to, const float (&sums)[4]) {
  for (int i = 0; i < 4; ++i) {
    to[i] = sums[i];
  }
}
/// Each of 128 threads writes its part of both operands.
__device__ inline void fill(Operands& operands, const std::uint16_t* from, int thread) {
  for (int i = thread; i < 64 * 16; i += 128) {
    operands.a[i] = from[i];
  }
  operands.b[thread] = from[thread];
}

}  // namespace bugs
