#pragma once

/// The instructions of a cluster of CTAs, one function each. A comment begins with the title of the instruction's
/// section in the PTX ISA. Before sm_90 a CTA is its own cluster.

#include <dma/config.hpp>

#if defined(__CUDACC__)

namespace dma::inline v0_1::ptx {

/// Special Registers, %cluster_ctarank: the CTA's rank in its cluster. Not volatile: it does not change.
[[nodiscard]] DMA_DEVICE int cluster_cta_rank() {
#if __CUDA_ARCH__ >= 900
  int rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
#else
  return 0;
#endif
}

/// Special Registers, %cluster_nctarank: CTAs of the cluster. Not volatile: it does not change.
[[nodiscard]] DMA_DEVICE int cluster_cta_count() {
#if __CUDA_ARCH__ >= 900
  int count;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
  return count;
#else
  return 1;
#endif
}

/// barrier.cluster.arrive: with release semantics at cluster scope. Every lane of the warp executes it, converged.
DMA_DEVICE void barrier_cluster_arrive() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}

/// barrier.cluster.wait: until all threads of the cluster have arrived, with acquire semantics at cluster scope. Every
/// lane of the warp executes it, converged.
DMA_DEVICE void barrier_cluster_wait() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
  __syncthreads();
#endif
}

/// mapa: the generic address, in the shared memory of CTA `rank` of the cluster, of what is at `address` in this
/// CTA's. Not volatile: it does not change.
[[nodiscard]] DMA_DEVICE void* map_to_cta(void* address, int rank) {
#if __CUDA_ARCH__ >= 900
  void* mapped;
  asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(address), "r"(rank));
  return mapped;
#else
  static_cast<void>(rank);
  return address;
#endif
}

}  // namespace dma::v0_1::ptx

#endif
