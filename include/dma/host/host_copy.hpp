#pragma once

#include <dma/config.hpp>
#include <dma/engines/copy_engine.hpp>
#include <dma/machine/access.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/sync/barrier.hpp>

#if !defined(__CUDA_ARCH__)
#include <cstddef>
#include <cstring>
#endif

namespace dma::inline v0_1::host {

/// Copies a tile run by run with `memcpy`, on a host only. Every other engine must move the same bytes.
struct HostCopy {
  static constexpr Completion completion = Completion::sync;
  static constexpr Completion store_completion = Completion::sync;
  static constexpr EngineTraits traits{.name = "dma::host::HostCopy", .can_add = true, .can_fill = true};

  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void load(const Pattern& pattern, [[maybe_unused]] const unsigned char* source, int thread,
                                   const Slot& slot) {
#if defined(__CUDA_ARCH__)
    static_assert(sizeof(Slot) == 0, "dma::host::HostCopy: copies on a host only; use dma::RegisterCopy<> in a kernel");
#else
    slot.wait_until_empty();
    for_each_part(pattern, [&](const auto& part, int shared_bytes, auto) {
      unsigned char* const tile = slot.data() + shared_bytes;
      for (int i = thread; i < part.run_count(); i += Threads) {
        const Run run = part.run_at(i);
        machine::touched(tile + run.shared, run.bytes, machine::Access::write);
        std::memcpy(tile + run.shared, source + run.global, static_cast<unsigned>(run.bytes));
      }
      fill<Threads>(part, tile, thread);
    });
#endif
  }

  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void store(const Pattern& pattern, [[maybe_unused]] unsigned char* destination, int thread,
                                    const Slot& slot) {
#if defined(__CUDA_ARCH__)
    static_assert(sizeof(Slot) == 0, "dma::host::HostCopy: copies on a host only; use dma::RegisterCopy<> in a kernel");
#else
    slot.wait_until_full();
    for (int i = thread; i < pattern.run_count(); i += Threads) {
      const Run run = pattern.run_at(i);
      machine::touched(slot.data() + run.shared, run.bytes, machine::Access::read);
      if constexpr (is_store_add<Pattern>) {
        machine::add_elements<typename Pattern::Element>(destination + run.global, slot.data() + run.shared, run.bytes);
      } else {
        std::memcpy(destination + run.global, slot.data() + run.shared, static_cast<unsigned>(run.bytes));
      }
    }
#endif
  }

#if !defined(__CUDA_ARCH__)
 private:
  template <int Threads, class Pattern>
  static void fill(const Pattern& pattern, unsigned char* tile, int thread) {
    if constexpr (PaddedPattern<Pattern>) {
      const typename Pattern::Element value = pattern.fill_value();
      for (int i = thread; i < Pattern::count; i += Threads) {
        if (pattern.is_padding(i)) {
          unsigned char* const element = tile + static_cast<std::size_t>(Pattern::place_of(i)) * sizeof value;
          machine::touched(element, int{sizeof value}, machine::Access::write);
          std::memcpy(element, &value, sizeof value);
        }
      }
    }
  }
#endif
};

}  // namespace dma::inline v0_1::host
