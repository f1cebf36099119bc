#pragma once

#include <dma/host/emulation/contexts/mapped_stack.hpp>
#include <dma/host/emulation/contexts/sanitized_stack.hpp>
#include <dma/host/emulation/contexts/timer_interruptions.hpp>

#include <cstddef>

namespace dma::inline v0_1::host::detail {

/// What Linux gives a fiber on each processor.
struct LinuxPlatform {
  using Memory = MappedStack;
  using Interruptions = TimerInterruptions;
  static constexpr std::size_t stack_bytes = 128 * 1024 * SanitizedStack::bytes_factor;
};

}  // namespace dma::inline v0_1::host::detail
