#pragma once

#include <dma/config.hpp>
#include <dma/machine/checked/cta.hpp>
#include <dma/machine/checked/message.hpp>
#include <dma/machine/checked/waited_time.hpp>
#include <dma/machine/gpu/ptx/grid.hpp>
#include <dma/machine/shared_message.hpp>
#include <dma/machine/site.hpp>

/// How the checked build waits: with a limit, and a message when it is exceeded.
#if DMA_CHECKED && defined(__CUDA_ARCH__)
namespace dma::inline v0_1::machine {

inline constexpr unsigned long long second_ns = 1'000'000'000;
/// The longest wait. A wait that exceeds it prints what it waits for and stops the kernel.
inline constexpr unsigned long long wait_limit_ns = DMA_CHECKED * second_ns;
/// Time for other waiting threads to exceed the limit too and print their messages.
inline constexpr unsigned long long last_words_ns = second_ns / 20;

/// Lets other warps print, and stops the kernel.
[[noreturn]] DMA_DEVICE void end_kernel() {
  sleep_ns(last_words_ns);
  end();
}

/// Which wait it is, for all CTAs: who waits for which point of which slot of which pipeline.
[[nodiscard]] DMA_DEVICE unsigned long long key_of(const Site& site) {
  const unsigned place = static_cast<unsigned>(site.stage & 0xffff) << 16 | static_cast<unsigned>(site.who) << 8 |
                         static_cast<unsigned>(site.point);
  return (reinterpret_cast<unsigned long long>(site.pipeline) ^ static_cast<unsigned long long>(place) << 32) | 1;
}

DMA_DEVICE void print_wait(const Site& site, const char* phase_is, unsigned phase) {
  Text place;
  place.add_place(storage_address(site.storage), site.stage);
  printf(
      "dma: a wait has taken %d s, and the kernel ends: %s wait for %s%s, %s %u, of [%s [kernel [%s, block "
      "(%u, %u, %u), warp %u, thread %u]; look for an iteration too many, an early return or a slot that is not "
      "released on the other side, or raise the limit: DMA_CHECKED=<seconds>\n",
      DMA_CHECKED, name_of(site.who), name_of(site.point), place.get(), phase_is, phase, bracketed(site.pipeline),
      kernel_name(), blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x / 32, threadIdx.x);
}

/// Prints who waits for what, where this warp is the first of its grid in this wait, and stops the kernel. Not inlined:
/// a wait is a few instructions.
[[noreturn]] inline __device__ __noinline__ void give_up(Site site, const char* phase_is, unsigned phase) {
  if (leads(__activemask())) {
    const SharedMessage message(key_of(site));
    if (message.is_first()) {
      print_wait(site, phase_is, phase);
    }
    Text wait;
    wait.add(name_of(site.who)).add(" wait for ").add(name_of(site.point));
    wait.add_place(storage_address(site.storage), site.stage);
    message.count_others(wait.get(), last_words_ns);
    end();
  }
  end_kernel();
}

/// The time of one wait, from its first look on. Call `is_over` each time that the condition is not yet true.
class Patience {
 public:
  [[nodiscard]] DMA_DEVICE bool is_over() {
    waited_.add(ptx::global_timer_lo_ns());
    return waited_.total_ns > wait_limit_ns;
  }

 private:
  WaitedTime waited_;
};

/// One wait. Call `look` each time that the condition is not yet true.
class Watch {
 public:
  DMA_DEVICE Watch(const Site& site, const char* phase_is, unsigned phase)
      : site_(site), phase_is_(phase_is), phase_(phase) {}
  /// To read the clock takes longer than to look at a barrier, so it is read once in 16 looks.
  DMA_DEVICE void look() {
    if (++looks_ % 16 == 0 && patience_.is_over()) {
      give_up(site_, phase_is_, phase_);
    }
  }

 private:
  Site site_;
  const char* phase_is_;
  unsigned phase_;
  unsigned looks_ = 0;
  Patience patience_;
};

}  // namespace dma::inline v0_1::machine
#endif
