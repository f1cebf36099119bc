#pragma once

/// The instructions of a cluster of CTAs, and the barriers and copies between its CTAs, one function each. A comment
/// begins with the title of the instruction's section in the PTX ISA. Before sm_90 a CTA is its own cluster, and
/// nothing calls those between CTAs.

#include <dma/config.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/gpu/ptx/cached.hpp>
#include <dma/machine/gpu/ptx/warp.hpp>
#include <dma/machine/index3.hpp>
#include <dma/machine/scope.hpp>
#include <dma/machine/word.hpp>

#if defined(__CUDACC__)

namespace dma::inline v0_1::ptx {

/// mapa: the address in the .shared::cluster window, in CTA `rank` of the cluster, of what is at `address` in this
/// CTA's. Not volatile: it does not change.
[[nodiscard]] DMA_DEVICE unsigned shared_address_in(const void* address, int rank) {
  unsigned mapped;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(shared_address(address)), "r"(rank));
  return mapped;
}

/// mbarrier.arrive: one arrival with release semantics, at a barrier of any CTA of the cluster. `barrier` is an address
/// in the .shared::cluster window.
template <Scope scope>
DMA_DEVICE void mbarrier_arrive_at(unsigned barrier) {
  if constexpr (scope == Scope::cluster) {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
  } else {
    asm volatile("mbarrier.arrive.release.cta.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
  }
}

/// fence, then mbarrier.arrive: one arrival at a barrier of any CTA of the cluster, which releases accesses to this
/// CTA's shared memory alone at cluster scope. The fence is MEMBAR.ALL.CTA in SASS, where .release.cluster is
/// MEMBAR.ALL.GPU: that one waits for accesses to global memory too. Before PTX ISA 8.6 (CUDA 12.7) it is
/// .release.cluster.
DMA_DEVICE void mbarrier_arrive_for_shared_at(unsigned barrier) {
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1207
  asm volatile(
      "fence.release.sync_restrict::shared::cta.cluster;\n\t"
      "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier)
      : "memory");
#else
  mbarrier_arrive_at<Scope::cluster>(barrier);
#endif
}

/// tcgen05.commit, with .cta_group::2 and .multicast::cluster: one arrival at the mbarrier at this place in each CTA of
/// `ctas`, a bit each, when the products of the pair that the thread has started are complete.
DMA_DEVICE void mbarrier_arrive_in_ctas_when_multiplied(void* barrier, unsigned short ctas) {
  asm volatile(
      "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(
          shared_address(barrier)),
      "h"(ctas)
      : "memory");
}

/// mbarrier.try_wait.parity: whether the phase of this parity is complete, with acquire semantics at cluster scope. May
/// suspend the thread for a while before it says no.
[[nodiscard]] DMA_DEVICE bool mbarrier_try_wait_in_cluster(const void* barrier, unsigned parity) {
  unsigned complete;
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t"
      "}"
      : "=r"(complete)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return complete != 0;
}

/// st.async: stores into the shared memory of a CTA of the cluster, and completes the bytes on a barrier there. `to`
/// and `barrier` are addresses in the .shared::cluster window.
DMA_DEVICE void store_async(unsigned to, const machine::Word<4>& word, unsigned barrier) {
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to), "r"(word.part[0]),
               "r"(barrier)
               : "memory");
}
DMA_DEVICE void store_async(unsigned to, const machine::Word<8>& word, unsigned barrier) {
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(to),
               "r"(word.part[0]), "r"(word.part[1]), "r"(barrier)
               : "memory");
}
DMA_DEVICE void store_async(unsigned to, const machine::Word<16>& word, unsigned barrier) {
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to),
               "r"(word.part[0]), "r"(word.part[1]), "r"(word.part[2]), "r"(word.part[3]), "r"(barrier)
               : "memory");
}

/// cp.async.bulk, from this CTA's shared memory to that of a CTA of the cluster: addresses and `bytes` are multiples of
/// 16; complete when a barrier there has counted the bytes. `to` and `barrier` are addresses in the .shared::cluster
/// window.
DMA_DEVICE void copy_bulk_between_ctas(unsigned to, const void* from, int bytes, unsigned barrier) {
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "r"(shared_address(from)), "r"(bytes), "r"(barrier)
               : "memory");
}

/// cp.async.bulk.tensor with .multicast::cluster: the box goes to the same place in the shared memory of each CTA of
/// `ctas`, a bit each, and its bytes are counted by the barrier at the same place there.
template <CacheHints Hints, int Rank>
DMA_DEVICE void copy_box_to_ctas(unsigned to, const void* descriptor, const int (&position)[Rank], unsigned barrier,
                                 unsigned short ctas) {
  using L2 = L2Policy<Hints.l2>;
  if constexpr (Rank == 1) {
    asm volatile(
        "%5 cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster%6 "
        "[%0], [%1, {%4}], [%2], %3%7" ::"r"(to),
        "l"(descriptor), "r"(barrier), "h"(ctas), "r"(position[0]), "C"(L2::begin), "C"(L2::level), "C"(L2::end)
        : "memory");
  } else if constexpr (Rank == 2) {
    asm volatile(
        "%6 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster%7 "
        "[%0], [%1, {%4, %5}], [%2], %3%8" ::"r"(to),
        "l"(descriptor), "r"(barrier), "h"(ctas), "r"(position[0]), "r"(position[1]), "C"(L2::begin), "C"(L2::level),
        "C"(L2::end)
        : "memory");
  } else if constexpr (Rank == 3) {
    asm volatile(
        "%7 cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster%8 "
        "[%0], [%1, {%4, %5, %6}], [%2], %3%9" ::"r"(to),
        "l"(descriptor), "r"(barrier), "h"(ctas), "r"(position[0]), "r"(position[1]), "r"(position[2]), "C"(L2::begin),
        "C"(L2::level), "C"(L2::end)
        : "memory");
  } else if constexpr (Rank == 4) {
    asm volatile(
        "%8 cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster%9 "
        "[%0], [%1, {%4, %5, %6, %7}], [%2], %3%10" ::"r"(to),
        "l"(descriptor), "r"(barrier), "h"(ctas), "r"(position[0]), "r"(position[1]), "r"(position[2]),
        "r"(position[3]), "C"(L2::begin), "C"(L2::level), "C"(L2::end)
        : "memory");
  } else if constexpr (Rank == 5) {
    asm volatile(
        "%9 cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster%10 "
        "[%0], [%1, {%4, %5, %6, %7, %8}], [%2], %3%11" ::"r"(to),
        "l"(descriptor), "r"(barrier), "h"(ctas), "r"(position[0]), "r"(position[1]), "r"(position[2]),
        "r"(position[3]), "r"(position[4]), "C"(L2::begin), "C"(L2::level), "C"(L2::end)
        : "memory");
  }
}

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

// clusterlaunchcontrol: running clusters take the places of those of their grid that have not begun. No GPU has run
// these here.

/// Whether there are the instructions, with PTX ISA 8.6.
inline constexpr bool has_launch_control =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
    true;
#else
    false;
#endif
/// Whether the response goes to all CTAs of a cluster: for sm_100a, sm_110a and sm_120a, and, with PTX ISA 8.8, for
/// their families.
inline constexpr bool has_launch_control_of_clusters =
#if defined(__CUDA_ARCH_FAMILY_SPECIFIC__) || defined(__CUDA_ARCH_FEAT_SM100_ALL) || \
    defined(__CUDA_ARCH_FEAT_SM101_ALL) || defined(__CUDA_ARCH_FEAT_SM120_ALL)
    has_launch_control;
#else
    false;
#endif

/// clusterlaunchcontrol.try_cancel: writes 16 bytes at `response`, which `barrier` counts: whether a cluster that had
/// not begun will not begin, and which one. Through the async proxy, and by an mbarrier, both at addresses in shared
/// memory.
///
/// @pre No thread of the CTA has seen a request that failed.
DMA_DEVICE void try_cancel(unsigned response, unsigned barrier) {
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(response),
      "r"(barrier)
      : "memory");
}
/// clusterlaunchcontrol.try_cancel with .multicast::cluster::all: the same in each CTA of the cluster, counted by the
/// barrier at the same place there.
///
/// @pre No CTA of the cluster has ended.
DMA_DEVICE void try_cancel_for_cluster(unsigned response, unsigned barrier) {
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 "
      "[%0], [%1];" ::"r"(response),
      "r"(barrier)
      : "memory");
}

/// clusterlaunchcontrol.query_cancel.is_canceled: whether the response names a cluster. Not volatile: it does not
/// change.
[[nodiscard]] DMA_DEVICE bool is_cancelled(const machine::Word<16>& response) {
  unsigned is_one;
  asm("{\n\t"
      ".reg .b64 low, high;\n\t"
      ".reg .b128 response;\n\t"
      ".reg .pred p;\n\t"
      "mov.b64 low, {%1, %2};\n\t"
      "mov.b64 high, {%3, %4};\n\t"
      "mov.b128 response, {low, high};\n\t"
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, response;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t"
      "}"
      : "=r"(is_one)
      : "r"(response.part[0]), "r"(response.part[1]), "r"(response.part[2]), "r"(response.part[3]));
  return is_one != 0;
}
/// clusterlaunchcontrol.query_cancel.get_first_ctaid: the index of that cluster's first CTA. Volatile, as it must not
/// come before the branch on whether there is one.
[[nodiscard]] DMA_DEVICE Index3 first_cancelled(const machine::Word<16>& response) {
  Index3 first;
  asm volatile(
      "{\n\t"
      ".reg .b64 low, high;\n\t"
      ".reg .b128 response;\n\t"
      "mov.b64 low, {%3, %4};\n\t"
      "mov.b64 high, {%5, %6};\n\t"
      "mov.b128 response, {low, high};\n\t"
      "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%0, %1, %2, _}, response;\n\t"
      "}"
      : "=r"(first.x), "=r"(first.y), "=r"(first.z)
      : "r"(response.part[0]), "r"(response.part[1]), "r"(response.part[2]), "r"(response.part[3]));
  return first;
}

}  // namespace dma::inline v0_1::ptx

#endif
