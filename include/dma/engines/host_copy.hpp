#pragma once

#include <dma/completion.hpp>
#include <dma/config.hpp>
#include <dma/run.hpp>
#include <dma/transfer_pattern.hpp>

#if !defined(__CUDA_ARCH__)
#include <cstring>
#endif

namespace dma {

/// Copies a tile run by run with `memcpy`: what every other engine must be equal to. Runs on a host only.
struct HostCopy {
  static constexpr Completion completion = Completion::stores;

  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void load(const Pattern& pattern, [[maybe_unused]] const unsigned char* source, int thread,
                                   const Slot& slot) {
#if defined(__CUDA_ARCH__)
    static_assert(sizeof(Slot) == 0, "dma::HostCopy: copies on a host only; use dma::RegisterCopy<> in a kernel");
#else
    slot.wait_until_empty();
    for (int i = thread; i < pattern.run_count(); i += Threads) {
      const Run run = pattern.run_at(i);
      std::memcpy(slot.data() + run.destination, source + run.source, static_cast<unsigned>(run.bytes));
    }
#endif
  }
};

}  // namespace dma
