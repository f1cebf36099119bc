#pragma once

/// VkFFT, which compiles its kernels at run time: a peer of the transforms where its header was found.

#include "../applications/fft/complex.hpp"

#include <functional>

#include <cuda_runtime.h>

namespace bench {

#if DMA_BENCH_VKFFT
inline constexpr bool has_vkfft = true;
#else
inline constexpr bool has_vkfft = false;
#endif

/// Forward transforms of so many points, out of place, one at a time. NVRTC compiles the kernels: some tenths of a
/// second.
///
/// @param coalesced_bytes  that a group of threads reads side by side: an option of VkFFT, which takes 32 by itself
using VkFftTransform = std::function<void(cudaStream_t stream, const fft::Complex* from, fft::Complex* to)>;
[[nodiscard]] VkFftTransform vkfft_transform(long long points, int coalesced_bytes);

}  // namespace bench
