#pragma once

#include <dma/host/compiled.hpp>

#if DMA_DETAIL_HAS_EMULATOR
#include <dma/host/emulation/single_group_emulator.hpp>
#endif

#include <functional>

namespace dma::inline v0_1::host::detail {

/// Runs a body in each thread of a DMA group without a pipeline (`SingleGroupEmulator`).
///
/// @param threads  a multiple of 32
/// @throw  what `SingleGroupEmulator::run` throws
DMA_DETAIL_COMPILED void run_group(int threads, const std::function<void(int thread)>& body);
#if DMA_DETAIL_HAS_EMULATOR
DMA_DETAIL_COMPILED void run_group(int threads, const std::function<void(int thread)>& body) {
  SingleGroupEmulator().run(threads, body);
}
#endif

}  // namespace dma::inline v0_1::host::detail
