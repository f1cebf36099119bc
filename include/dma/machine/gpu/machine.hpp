#pragma once

#include <dma/config.hpp>
#include <dma/machine/gpu/barriers.hpp>
#include <dma/machine/gpu/checks.hpp>
#include <dma/machine/gpu/thread.hpp>

/// The GPU model of the machine. `dma/machine/machine.hpp` documents the names.
#if defined(__CUDA_ARCH__)

namespace dma::inline v0_1::machine::gpu_model {

inline constexpr bool compares_tiles = false;
inline constexpr int architecture = __CUDA_ARCH__;

}  // namespace dma::inline v0_1::machine::gpu_model

#endif
