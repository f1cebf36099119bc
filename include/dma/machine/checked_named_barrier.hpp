#pragma once

#include <dma/config.hpp>
#include <dma/machine/barrier_word.hpp>
#include <dma/machine/checked_cta.hpp>
#include <dma/machine/checked_message.hpp>
#include <dma/machine/ptx/sync.hpp>
#include <dma/machine/site.hpp>
#include <dma/machine/watch.hpp>

/// Named barriers in the checked build: words of shared memory, since a wait for the hardware's has no limit.
#if DMA_CHECKED && defined(__CUDA_ARCH__)
namespace dma::machine {

/// Prints that two numbers of warps meet at a named barrier, and stops the kernel.
[[noreturn]] inline __device__ __noinline__ void stop_disagreeing(int id, int before, int now, Site site) {
  Text place;
  place.add_place(storage_address(site.storage), site.stage);
  printf(
      "dma::NamedBarrier: warps at named barrier %d disagree on how many arrive, %d and %d: two pipelines use one "
      "DMA group, or a kernel uses the same barrier itself; give each pipeline a group of its own, or use "
      "dma::CudaBarrier [%s, %s, of [%s%s; kernel [%s, block (%u, %u, %u), warp %u, thread %u]\n",
      id, before, now, name_of(site.who), name_of(site.point), bracketed(site.pipeline), place.get(), kernel_name(),
      blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x / 32, threadIdx.x);
  end();
}
/// Makes a named barrier one of this CTA that expects `warps` warps.
inline __device__ __noinline__ void prepare_barrier(NamedBarrierRecord* barrier, int id, int warps, const Site& site) {
  const unsigned wanted = BarrierHeader::of(cta_key(), warps).word;
  const unsigned clearing = BarrierHeader::of(cta_key(), 0).word;
  Watch watch(site, "warps", static_cast<unsigned>(warps));
  unsigned found;
  while ((found = ptx::load_acquire(&barrier->header)) != wanted) {
    if (!BarrierHeader{found}.is_of(cta_key())) {
      if (ptx::compare_and_swap(&barrier->header, found, clearing) == found) {
        static_cast<void>(ptx::exchange_shared(&barrier->word, 0));
        static_cast<void>(ptx::exchange_shared(&barrier->header, wanted));
      }
    } else if (found == clearing) {
      watch.look();
    } else if (!BarrierWord{ptx::load_acquire(&barrier->word)}.is_idle()) {
      stop_disagreeing(id, BarrierHeader{found}.warps(), warps, site);
    } else {
      static_cast<void>(ptx::compare_and_swap(&barrier->header, found, wanted));
    }
  }
}

/// One warp's arrival at named barrier `id`, by its lane 0. Returns what the barrier's word was, in this lane. The code
/// is the same for all lanes, so that they do not part: after a branch they would stay apart to the next call.
DMA_DEVICE BarrierWord arrive_at_word(int id, int warps, const Site& site) {
  NamedBarrierRecord* const barrier = &cta_record().named_barriers[id];
  const bool arrives = threadIdx.x % 32 == 0;
  if (ptx::load_acquire(&barrier->header) != BarrierHeader::of(cta_key(), warps).word) {
    if (arrives) {
      prepare_barrier(barrier, id, warps, site);
    }
    ptx::sync_warp();
  }
  const BarrierWord found{ptx::add_shared(&barrier->word, 1, arrives)};
  ptx::add_shared(&barrier->word, BarrierWord::completion(warps), arrives && found.completes(warps));
  return found;
}
/// Waits until generation `generation` of named barrier `id` is complete.
DMA_DEVICE void await_word(int id, unsigned generation, const Site& site) {
  Watch watch(site, "phase", generation);
  while (!BarrierWord{ptx::load_acquire(&cta_record().named_barriers[id].word)}.has_completed(generation)) {
    watch.look();
  }
}

}  // namespace dma::machine
#endif
