#pragma once

#include <dma/config.hpp>
#include <dma/machine/checked/cta.hpp>
#include <dma/machine/checked/message.hpp>
#include <dma/machine/checked/watch.hpp>
#include <dma/machine/gpu/ptx/shared_words.hpp>
#include <dma/machine/site.hpp>

/// How the checked build sees that the lanes of a warp make a call together.
#if DMA_CHECKED && defined(__CUDA_ARCH__)
namespace dma::inline v0_1::machine {

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
[[noreturn]] inline __device__ __noinline__ void stop_parted(Call call, unsigned lanes, Call others_call,
                                                             unsigned others) {
  if (leads(__activemask())) {
    const WarpRecord& warp = cta_record().warps[threadIdx.x / 32];
    const PipelineName pipeline = name_of(warp.in);
    Text place;
    place.add_place(pipeline.storage, warp.in.stage);
    Text elsewhere;
    if (others_call == Call::none) {
      elsewhere.add(" do not come within ").add(DMA_CHECKED, 10).add(" s");
    } else {
      elsewhere.add(" are at ").add(name_of(others_call));
    }
    printf(
        "dma: lanes 0x%08x of a warp are at %s and lanes 0x%08x%s, and the calls of a pipeline are for all 32 lanes "
        "of a warp; let all of them make each call in the same order, and none leave earlier [[%s%s; kernel [%s, block "
        "(%u, "
        "%u, %u), warp %u, thread %u]\n",
        lanes, name_of(call), others, elsewhere.get(), bracketed(name_at(pipeline.name)), place.get(), kernel_name(),
        blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x / 32, threadIdx.x);
  }
  end_kernel();
}

/// The lanes that the calling warp has. A CTA of your own may have any number of threads; with a second axis its warps
/// are not told apart here, and all lanes count as there.
[[nodiscard]] DMA_DEVICE unsigned lanes_of_warp() {
  const unsigned after = blockDim.x - threadIdx.x / 32 * 32;
  return blockDim.y * blockDim.z != 1 ? __activemask() : after < 32 ? (1U << after) - 1 : whole_warp;
}

/// Where the lanes of a warp come to a call one after another, waits for all of them.
inline __device__ __noinline__ void meet(Call call) {
  constexpr unsigned all_lanes_have_come_ns = 20000;
  const unsigned lanes = __activemask();
  const unsigned all = lanes_of_warp();
  // Lanes that come from several calls may be together here.
  const unsigned same = __match_any_sync(lanes, static_cast<unsigned>(call));
  if (same != lanes) {
    const unsigned others = lanes & ~same;
    const int one = __ffs(static_cast<int>(others)) - 1;
    stop_parted(call, same, static_cast<Call>(__shfl_sync(lanes, static_cast<unsigned>(call), one)), others);
  }
  if (lanes == all) {
    return;
  }
  // Each lane for itself. With one lane for its group and __syncwarp(lanes), a right kernel hung: the lane waited there
  // for lanes of its mask that had gone on (H200, CUDA 13.0).
  unsigned long long* const word = &cta_record().warps[threadIdx.x / 32].lanes_met;
  const unsigned mine = 1U << threadIdx.x % 32;
  unsigned long long before = ptx::load_acquire(word);
  while (true) {
    const LanesMet there(before);
    if (there.lanes() != 0 && there.call() != call) {
      __nanosleep(all_lanes_have_come_ns);
      stop_parted(call, lanes, there.call(), LanesMet(ptx::load_acquire(word)).lanes());
    }
    const unsigned together = there.lanes() | mine;
    const LanesMet now(call, together == all ? 0 : together);
    const unsigned long long found = ptx::compare_and_swap(word, before, now.word());
    if (found == before) {
      break;
    }
    before = found;
  }
  Patience patience;
  while (true) {
    const unsigned there = LanesMet(ptx::load_acquire(word)).lanes();
    if ((there & mine) == 0) {
      return;
    }
    const bool is_first_there = (there & (mine - 1)) == 0;  // one message a warp
    if (patience.is_over() && is_first_there) {
      stop_parted(call, there, Call::none, all & ~there);
    }
  }
}

DMA_DEVICE void expect_converged(Call call) {
  if (call >= Call::construction && __activemask() != whole_warp) {
    meet(call);
  }
}

}  // namespace dma::inline v0_1::machine
#endif
