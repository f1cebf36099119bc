#pragma once

#include <dma/config.hpp>
#include <dma/machine/gpu/jitter.hpp>

#if DMA_JITTER && defined(__CUDACC__)

#include <cstdlib>

#include <cuda_runtime.h>

namespace dma::inline v0_1 {

namespace detail {

/// Whether the seed was set at run time. A variable of each translation unit, as the seed is.
[[maybe_unused]] static bool has_jitter_seed = false;

}  // namespace detail

/// Sets the seed of the delays, for the kernels of this translation unit; 0 is none. Of builds with DMA_JITTER only.
///
/// Every operation of a warp is delayed by a hash of the seed, the block, the warp and the number of the operation: the
/// same seed delays the same operations.
///
/// @pre No kernel of this translation unit runs.
[[maybe_unused]] static cudaError_t set_jitter_seed(unsigned seed) {
  detail::has_jitter_seed = true;
  return cudaMemcpyToSymbol(machine::jitter_seed, &seed, sizeof seed);
}

namespace detail {

/// The same with the environment's DMA_JITTER_SEED, once, unless there is none or the program has set a seed.
[[maybe_unused]] static cudaError_t read_jitter_seed() {
  const char* const text = has_jitter_seed ? nullptr : std::getenv("DMA_JITTER_SEED");
  return text == nullptr ? cudaSuccess : set_jitter_seed(static_cast<unsigned>(std::strtoul(text, nullptr, 10)));
}

}  // namespace detail

}  // namespace dma::inline v0_1

#endif
