#pragma once

#include <dma/config.hpp>
#include <dma/machine/gpu/ptx/grid.hpp>

/// How the checked build prints what many warps of a grid say: once, and then how many warps say it.
#if DMA_CHECKED && defined(__CUDACC__)
namespace dma::inline v0_1::machine {

inline constexpr int most_messages = 32;
/// The messages of a grid: a key of each, 0 where there is none, and the warps that have it. The kernel ends with its
/// first message, and with it the program's use of the GPU, so that nothing clears them.
[[maybe_unused]] static __device__ unsigned long long message_keys[most_messages] = {};
[[maybe_unused]] static __device__ unsigned message_warps[most_messages] = {};

#if defined(__CUDA_ARCH__)

[[noreturn]] DMA_DEVICE void end() {
  while (true) {
    __trap();
  }
}
DMA_DEVICE void sleep_ns(unsigned long long time_ns) {
  const unsigned long long start = ptx::global_timer_ns();
  while (ptx::global_timer_ns() - start < time_ns) {
    __nanosleep(1000);
  }
}

/// A message that a warp of the grid has, in the lane that would print it.
class SharedMessage {
 public:
  /// @param key  the same for messages that say the same; not 0
  DMA_DEVICE explicit SharedMessage(unsigned long long key) {
    for (int i = 0; i < most_messages && warps_ == nullptr; ++i) {
      const unsigned long long found = atomicCAS(message_keys + i, 0ULL, key);
      if (found == 0 || found == key) {
        warps_ = message_warps + i;
        before_ = atomicAdd(warps_, 1U);
      }
    }
  }
  DMA_DEVICE explicit SharedMessage(const char* rule) : SharedMessage(reinterpret_cast<unsigned long long>(rule)) {}

  /// Whether this warp prints it: the first that has it does, and each where there is no room for its key.
  [[nodiscard]] DMA_DEVICE bool is_first() const { return before_ == 0; }
  /// Lets other warps say the same or something else, then prints how many more have this message. The kernel may end
  /// when it returns; where this warp is not the first, that one has ended it before.
  DMA_DEVICE void count_others(const char* rule, unsigned long long time_ns) const {
    sleep_ns(is_first() ? time_ns : 2 * time_ns);
    const unsigned others = is_first() && warps_ != nullptr ? atomicAdd(warps_, 0U) - 1 : 0;
    if (others != 0) {
      printf("dma: warps that have the same message, beside the one above: %u [%s]\n", others, rule);
    }
  }

 private:
  unsigned* warps_ = nullptr;
  unsigned before_ = 0;
};

#endif

}  // namespace dma::inline v0_1::machine
#endif
