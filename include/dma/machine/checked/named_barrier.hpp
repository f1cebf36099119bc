#pragma once

#include <dma/config.hpp>
#include <dma/machine/checked/barrier_word.hpp>
#include <dma/machine/checked/cta.hpp>
#include <dma/machine/checked/message.hpp>
#include <dma/machine/checked/watch.hpp>
#include <dma/machine/gpu/ptx/shared_words.hpp>
#include <dma/machine/site.hpp>

/// Named barriers in the checked build. A wait for the hardware's has no limit, so each arrival is counted in shared
/// memory first, and a warp waits for the count before it executes the hardware's instruction, which orders memory. The
/// count orders nothing: an atomic instruction with release semantics waits for all loads of the warp in flight.
#if DMA_CHECKED && defined(__CUDA_ARCH__)
namespace dma::inline v0_1::machine {

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
/// Makes a named barrier one of this CTA that expects `warps` warps. Returns how many it expects; another number where
/// warps are in a generation of that many. It prints nothing: the registers of a call that returns are taken from a
/// kernel that holds a tile.
[[nodiscard]] inline __device__ __noinline__ int prepare_barrier(int id, int warps) {
  NamedBarrierRecord* const barrier = &cta_record().named_barriers[id];
  const unsigned wanted = BarrierHeader::of(cta_key(), warps).word;
  const unsigned changing = BarrierHeader::of(cta_key(), 0).word;
  unsigned found;
  while ((found = ptx::load_acquire(&barrier->header)) != wanted) {
    const bool is_of_this_cta = BarrierHeader{found}.is_of(cta_key());
    const BarrierWord word{ptx::load_acquire(&barrier->word)};
    const int before = BarrierHeader{found}.warps();
    if (found == changing) {
      continue;  // in the instructions below, in another warp
    }
    if (is_of_this_cta && !word.is_idle(before)) {
      return before;
    }
    if (ptx::compare_and_swap(&barrier->header, found, changing) == found) {
      static_cast<void>(ptx::exchange_shared(&barrier->word, is_of_this_cta ? word.with_warps(before, warps) : 0));
      static_cast<void>(ptx::exchange_shared(&barrier->header, wanted));
    }
  }
  return warps;
}

/// Prints that lanes of a warp are at a named barrier without the others, and stops the kernel.
[[noreturn]] inline __device__ __noinline__ void stop_scattered(int id, unsigned lanes, Site site) {
  if (threadIdx.x % 32 == 0) {  // the other branch prints nothing
    Text place;
    place.add_place(storage_address(site.storage), site.stage);
    printf(
        "dma::NamedBarrier: lanes 0x%08x of a warp are at named barrier %d in one branch and lanes 0x%08x in another, "
        "and each time the whole warp is counted; let all lanes leave a slot's scope or synchronize in one place, or "
        "use dma::CudaBarrier [%s, %s, of [%s%s; kernel [%s, block (%u, %u, %u), warp %u, thread %u]\n",
        lanes, id, ~lanes, name_of(site.who), name_of(site.point), bracketed(site.pipeline), place.get(), kernel_name(),
        blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x / 32, threadIdx.x);
  }
  end_kernel();
}

/// Counts the arrival of one warp at named barrier `id`. Returns the word before it. The code is the same for all
/// lanes, so that they do not part: after a branch they would stay apart to the next call.
DMA_DEVICE BarrierWord count_arrival(int id, int warps, const Site& site) {
  NamedBarrierRecord* const barrier = &cta_record().named_barriers[id];
  const auto* const words = reinterpret_cast<const unsigned long long*>(barrier);
  const bool counts = threadIdx.x % 32 == 0;
  const unsigned wanted = BarrierHeader::of(known_key(), warps).word;
  ptx::sync_warp();
  unsigned long long found = ptx::load_relaxed_shared(words);
  const unsigned lanes = __activemask();
  if (lanes != whole_warp || static_cast<unsigned>(found) != wanted) {
    if (lanes != whole_warp) {
      stop_scattered(id, lanes, site);
    }
    if (counts) {
      const int expected = prepare_barrier(id, warps);
      if (expected != warps) {
        stop_disagreeing(id, expected, warps, site);
      }
    }
    ptx::sync_warp();
    found = ptx::load_relaxed_shared(words);
  }
  ptx::sync_warp();
  ptx::increment_shared(&barrier->word, BarrierWord::last(warps), counts);
  return BarrierWord{static_cast<unsigned>(found >> 32)};
}
/// Waits until all arrivals of a generation of named barrier `id` are counted; the warp's own found the word `before`.
DMA_DEVICE void await_count(int id, int warps, BarrierWord before, const Site& site) {
  if (before.is_complete_with_one_more(warps)) {
    return;
  }
  const unsigned* const word = &cta_record().named_barriers[id].word;
  const unsigned generation = before.generation(warps);
  // The clock is read at each look: more looks would delay the warp that is waited for.
  Patience patience;
  while (!BarrierWord{ptx::load_relaxed_shared(word)}.has_completed(generation, warps)) {
    if (patience.is_over()) {
      give_up(site, "phase", generation);
    }
  }
}

}  // namespace dma::inline v0_1::machine
#endif
