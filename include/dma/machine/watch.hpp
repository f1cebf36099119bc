#pragma once

#include <dma/config.hpp>
#include <dma/machine/barrier_word.hpp>
#include <dma/machine/checked_cta.hpp>
#include <dma/machine/ptx/sync.hpp>
#include <dma/machine/site.hpp>

/// How the checked build waits: with a limit, and a message when it is exceeded. Otherwise a wait is a loop.
#if defined(__CUDA_ARCH__)
namespace dma::machine {

#if DMA_CHECKED

inline constexpr unsigned long long second_ns = 1'000'000'000;
/// The longest wait. A wait that exceeds it prints what it waits for and stops the kernel.
inline constexpr unsigned long long wait_limit_ns = DMA_CHECKED * second_ns;
/// Time for other waiting threads to exceed the limit too and print their messages.
inline constexpr unsigned long long last_words_ns = second_ns / 20;

/// Lets other warps print, and stops the kernel.
DMA_DEVICE void end_kernel() {
  const unsigned long long start = ptx::global_timer_ns();
  while (ptx::global_timer_ns() - start < last_words_ns) {
    __nanosleep(1000);
  }
  __trap();
}

/// Prints who waits for what, one line a warp, and stops the kernel. Not inlined: a wait is a few instructions.
inline __device__ __noinline__ void give_up(Site site, const char* phase_is, unsigned phase) {
  if (leads(__activemask())) {
    Text place;
    place.add_place(storage_address(site.storage), site.stage);
    printf(
        "dma: a wait has taken %d s, and the kernel ends: %s wait for %s%s, %s %u, of [%s [kernel [%s, block "
        "(%u, %u, %u), warp %u, thread %u]; look for an iteration too many, an early return or a slot that is not "
        "released on the other side, or raise the limit: DMA_CHECKED=<seconds>\n",
        DMA_CHECKED, name_of(site.who), name_of(site.point), place.get(), phase_is, phase, bracketed(site.pipeline),
        kernel_name(), blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x / 32, threadIdx.x);
  }
  end_kernel();
}

/// The time of one wait, from its first look on. Call `is_over` each time that the condition is not yet true.
class Patience {
 public:
  [[nodiscard]] DMA_DEVICE bool is_over() {
    const unsigned long long now = ptx::global_timer_ns();
    if (start_ns_ == 0) {
      start_ns_ = now;
    }
    return now - start_ns_ > wait_limit_ns;
  }

 private:
  unsigned long long start_ns_ = 0;
};

/// One wait. Call `look` each time that the condition is not yet true.
class Watch {
 public:
  DMA_DEVICE Watch(const Site& site, const char* phase_is, unsigned phase)
      : site_(site), phase_is_(phase_is), phase_(phase) {}
  DMA_DEVICE void look() {
    if (patience_.is_over()) {
      give_up(site_, phase_is_, phase_);
    }
  }

 private:
  Site site_;
  const char* phase_is_;
  unsigned phase_;
  Patience patience_;
};

/// Lanes of a warp that have made a call, while others have not: their bits, which call, and the key of the CTA.
class LanesMet {
 public:
  DMA_DEVICE LanesMet(Call call, unsigned lanes)
      : word_(static_cast<unsigned long long>(cta_key() << 8 >> 8) << 40 | static_cast<unsigned long long>(call) << 32 |
              lanes) {}
  DMA_DEVICE explicit LanesMet(unsigned long long word) : word_(word) {}

  /// Lanes that an earlier CTA left there are not this one's.
  [[nodiscard]] DMA_DEVICE unsigned lanes() const {
    return word_ >> 40 == (cta_key() << 8 >> 8) ? static_cast<unsigned>(word_) : 0;
  }
  [[nodiscard]] DMA_DEVICE Call call() const { return static_cast<Call>(word_ >> 32 & 0xffU); }
  [[nodiscard]] DMA_DEVICE unsigned long long word() const { return word_; }

 private:
  unsigned long long word_;
};

/// Prints that lanes of a warp make a call without the others, and stops the kernel.
inline __device__ __noinline__ void stop_parted(Call call, unsigned lanes, Call others_call, unsigned others) {
  if (leads(__activemask())) {
    const WarpRecord& warp = cta_record().warps[threadIdx.x / 32];
    Text place;
    place.add_place(warp.storage, warp.stage);
    Text elsewhere;
    if (others_call == Call::none) {
      elsewhere.add(" do not come within ").add(DMA_CHECKED, 10).add(" s");
    } else {
      elsewhere.add(" are at ").add(name_of(others_call));
    }
    printf(
        "dma: lanes 0x%08x of a warp are at %s and lanes 0x%08x%s; the calls of a pipeline are for all 32 lanes of a "
        "warp: let all of them make each call in the same order, and none leave earlier [[%s%s; kernel [%s, block (%u, "
        "%u, %u), warp %u, thread %u]\n",
        lanes, name_of(call), others, elsewhere.get(), bracketed(warp.pipeline), place.get(), kernel_name(), blockIdx.x,
        blockIdx.y, blockIdx.z, threadIdx.x / 32, threadIdx.x);
  }
  end_kernel();
}

/// Where the lanes of a warp come to a call one after another, waits for all of them.
inline __device__ __noinline__ void meet(Call call, Site site) {
  const unsigned lanes = __activemask();
  unsigned long long* const word = &cta_record().warps[threadIdx.x / 32].lanes_met;
  if (leads(lanes)) {
    note_call(call, site);
    unsigned long long before = ptx::load_acquire(word);
    while (true) {
      const LanesMet there(before);
      if (there.lanes() != 0 && there.call() != call) {
        stop_parted(call, lanes, there.call(), there.lanes());
      }
      const unsigned together = there.lanes() | lanes;
      const LanesMet now(call, together == whole_warp ? 0 : together);
      const unsigned long long found = ptx::compare_and_swap(word, before, now.word());
      if (found == before) {
        break;
      }
      before = found;
    }
  }
  __syncwarp(lanes);
  Patience patience;
  const unsigned mine = 1U << threadIdx.x % 32;
  while (true) {
    const unsigned there = LanesMet(ptx::load_acquire(word)).lanes();
    if ((there & mine) == 0) {
      return;
    }
    if (patience.is_over()) {
      stop_parted(call, there, Call::none, ~there);
    }
  }
}

/// Prints that two numbers of warps meet at a named barrier, and stops the kernel.
inline __device__ __noinline__ void stop_disagreeing(int id, int before, int now, Site site) {
  Text place;
  place.add_place(storage_address(site.storage), site.stage);
  printf(
      "dma::NamedBarrier: warps at named barrier %d disagree on how many arrive, %d and %d: two pipelines use one "
      "DMA group, or a kernel uses the same barrier itself; give each pipeline a group of its own, or use "
      "dma::CudaBarrier [%s, %s, of [%s%s; kernel [%s, block (%u, %u, %u), warp %u, thread %u]\n",
      id, before, now, name_of(site.who), name_of(site.point), bracketed(site.pipeline), place.get(), kernel_name(),
      blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x / 32, threadIdx.x);
  __trap();
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

/// One warp's arrival at named barrier `id`. Returns the generation of the arrival. One lane calls it.
DMA_DEVICE unsigned arrive_at_word(int id, int warps, const Site& site) {
  NamedBarrierRecord* const barrier = &cta_record().named_barriers[id];
  if (ptx::load_acquire(&barrier->header) != BarrierHeader::of(cta_key(), warps).word) {
    prepare_barrier(barrier, id, warps, site);
  }
  const BarrierWord found{ptx::add_shared(&barrier->word, 1)};
  if (found.completes(warps)) {
    ptx::add_shared(&barrier->word, BarrierWord::completion(warps));
  }
  return found.generation(warps);
}
/// Waits until generation `generation` of named barrier `id` is complete. One lane calls it.
DMA_DEVICE void await_word(int id, unsigned generation, const Site& site) {
  Watch watch(site, "phase", generation);
  while (!BarrierWord{ptx::load_acquire(&cta_record().named_barriers[id].word)}.has_completed(generation)) {
    watch.look();
  }
}

#else

class Watch {
 public:
  DMA_DEVICE Watch(const Site&, const char*, unsigned) {}
  DMA_DEVICE void look() const {}
};

#endif

}  // namespace dma::machine
#endif
