#pragma once

#include <dma/config.hpp>
#include <dma/machine/barrier_word.hpp>
#include <dma/machine/ptx/sync.hpp>
#include <dma/machine/site.hpp>

/// How the checked build waits: with a limit, and a message when it is exceeded. Otherwise a wait is a loop.
namespace dma::machine {

#if defined(__CUDA_ARCH__)

#if DMA_CHECKED

inline constexpr unsigned long long second_ns = 1'000'000'000;
/// The longest wait. A wait that exceeds it prints what it waits for and stops the kernel.
inline constexpr unsigned long long wait_limit_ns = DMA_CHECKED * second_ns;
/// Time for other waiting threads to exceed the limit too and print their messages.
inline constexpr unsigned long long last_words_ns = second_ns / 20;

/// What the checked build keeps for each warp; only lane 0 reads and writes it.
struct WarpRecord {
  unsigned cta;            ///< the warp's CTA: shared memory is not cleared before a CTA
  unsigned short claimed;  ///< named barriers of its pipelines, a bit each
  bool has_budget;         ///< whether it has set its role's register budget
  const char* kernel;
};
struct CtaRecord {
  unsigned long long named_barriers[16];
  WarpRecord warps[32];
};
[[nodiscard]] DMA_DEVICE CtaRecord& cta_record() {
  __shared__ CtaRecord record;
  return record;
}

/// A number for this CTA of this launch; values that an earlier CTA left in shared memory have another.
[[nodiscard]] DMA_DEVICE unsigned cta_key() {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  return static_cast<unsigned>(ptx::grid_id()) * 2654435761U + block;
}

[[nodiscard]] DMA_DEVICE WarpRecord& warp_record() {
  WarpRecord& record = cta_record().warps[threadIdx.x / 32];
  if (record.cta != cta_key()) {
    record = {cta_key(), 0, false, nullptr};
  }
  return record;
}

/// A type's name out of the compiler's sentence around it, with the bracket that ends both.
[[nodiscard]] DMA_DEVICE const char* bracketed(const char* sentence) {
  const char* at = sentence;
  while (*at != '\0' && !(at[0] == 'T' && at[1] == 'y' && at[2] == 'p' && at[3] == 'e' && at[4] == ' ')) {
    ++at;
  }
  return *at == '\0' ? "no name]" : at + sizeof("Type = ") - 1;
}

/// Prints who waits for what, one line a warp, and stops the kernel. Not inlined: a wait is a few instructions.
inline __device__ __noinline__ void give_up(Site site, const char* phase_is, unsigned phase) {
  const unsigned lanes = __activemask();
  if (threadIdx.x % 32 == static_cast<unsigned>(__ffs(static_cast<int>(lanes)) - 1)) {
    const char* const kernel = cta_record().warps[threadIdx.x / 32].kernel;
    const bool is_named = cta_record().warps[threadIdx.x / 32].cta == cta_key() && kernel != nullptr;
    printf(
        "dma: a wait has taken %d s, and the kernel ends: %s wait for %s, slot %d, %s %u, of [%s [kernel [%s, block "
        "(%u, %u, %u), warp %u, thread %u]; look for an iteration too many, an early return or a slot that is not "
        "released on the other side, or raise the limit: DMA_CHECKED=<seconds>\n",
        DMA_CHECKED, name_of(site.who), name_of(site.point), site.stage, phase_is, phase, bracketed(site.pipeline),
        is_named ? bracketed(kernel) : "launched by hand]", blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x / 32,
        threadIdx.x);
  }
  const unsigned long long start = ptx::global_timer_ns();
  while (ptx::global_timer_ns() - start < last_words_ns) {
    __nanosleep(1000);
  }
  __trap();
}

/// One wait, from its beginning. Call `look` each time that the condition is not yet true.
class Watch {
 public:
  DMA_DEVICE Watch(const Site& site, const char* phase_is, unsigned phase)
      : site_(site), phase_is_(phase_is), phase_(phase), start_ns_(ptx::global_timer_ns()) {}
  DMA_DEVICE void look() const {
    if (ptx::global_timer_ns() - start_ns_ > wait_limit_ns) {
      give_up(site_, phase_is_, phase_);
    }
  }

 private:
  Site site_;
  const char* phase_is_;
  unsigned phase_;
  unsigned long long start_ns_;
};

/// One warp's arrival at named barrier `id`. Returns the generation of the arrival. One lane calls it.
DMA_DEVICE unsigned arrive_at_word(int id, int warps, const Site& site) {
  unsigned long long* const word = &cta_record().named_barriers[id];
  unsigned long long before = ptx::load_acquire(word);
  while (true) {
    const BarrierWord now = BarrierWord::unpack(before).seen_by(cta_key());
    if (!now.agrees(warps)) {
      printf(
          "dma::NamedBarrier: warps at named barrier %d disagree on how many arrive, %d and %d: two pipelines use one "
          "DMA group, or a kernel uses the same barrier itself; give each pipeline a group of its own, or use "
          "dma::CudaBarrier [%s, %s, slot %d, block (%u, %u, %u), warp %u]\n",
          id, static_cast<int>(now.expected), warps, name_of(site.who), name_of(site.point), site.stage, blockIdx.x,
          blockIdx.y, blockIdx.z, threadIdx.x / 32);
      __trap();
    }
    const unsigned long long found = ptx::compare_and_swap(word, before, now.with_arrival(warps).pack());
    if (found == before) {
      return now.generation;
    }
    before = found;
  }
}
/// Waits until generation `generation` of named barrier `id` is complete. One lane calls it.
DMA_DEVICE void await_word(int id, unsigned generation, const Site& site) {
  const Watch watch(site, "phase", generation);
  while (BarrierWord::unpack(ptx::load_acquire(&cta_record().named_barriers[id])).generation == generation) {
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

#endif

}  // namespace dma::machine
