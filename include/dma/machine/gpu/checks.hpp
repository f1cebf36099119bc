#pragma once

#include <dma/config.hpp>
#include <dma/machine/gpu/ptx/warp.hpp>
#include <dma/machine/site.hpp>

#if DMA_CHECKED
#include <dma/machine/gpu/checked_model.hpp>
#else
#include <dma/machine/gpu/unchecked_model.hpp>
#endif

/// The GPU's model of contracts: one of the two models above, and what is the same in every build.
/// `dma/machine/machine.hpp` documents the names.
#if defined(__CUDA_ARCH__)

namespace dma::inline v0_1::machine::gpu_model {

[[nodiscard]] DMA_DEVICE bool is_unwinding() { return false; }
/// Nothing is allocated in the first MiB: there, an address is null, or a tile of an array that is.
[[nodiscard]] DMA_DEVICE bool is_global(const void* address) {
  constexpr unsigned long long first_address = 1ULL << 20;
  return __isGlobal(address) != 0 && reinterpret_cast<unsigned long long>(address) >= first_address;
}
[[nodiscard]] DMA_DEVICE bool is_local(const void* address) { return ptx::is_local(address); }
[[nodiscard]] DMA_DEVICE bool is_shared(const void* address) { return __isShared(address) != 0; }
DMA_DEVICE void slot_held(const void*, int, Holding) {}
DMA_DEVICE void slot_moving(const void*, const void*) {}
DMA_DEVICE void slots_gone(const void*, int) {}
DMA_DEVICE void pipeline_opened(const Site&, int, int) {}
DMA_DEVICE void called_from(SourceLocation) {}
DMA_DEVICE void works_on(const Site&) {}
DMA_DEVICE void touched(const void*, int, Access) {}
DMA_DEVICE void exposed(void*, int, int, Access) {}

}  // namespace dma::inline v0_1::machine::gpu_model

#endif
