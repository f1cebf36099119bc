#pragma once

#include <dma/config.hpp>

namespace dma::inline v0_1::machine {

/// How long a wait of the checked build has taken: the sum of the times from look to look at a clock of 32 bits.
///
/// A step counts as at most `longest_step_ns`. Other work may take the GPU between two looks, a debugger may hold it,
/// and the clock may jump: none of them is a wait that will never end.
struct WaitedTime {
  static constexpr unsigned longest_step_ns = 1U << 27;  ///< 0.13 s

  unsigned last_ns = 0;  ///< of the clock at the last look, 0 before the first
  unsigned long long total_ns = 0;

  /// Looks at the clock.
  DMA_HOST_DEVICE constexpr void add(unsigned now_ns) noexcept {
    const unsigned step_ns = last_ns == 0 ? 0 : now_ns - last_ns;  // modulo 2^32, as the clock is
    total_ns += step_ns < longest_step_ns ? step_ns : longest_step_ns;
    last_ns = now_ns;
  }
};

}  // namespace dma::inline v0_1::machine
