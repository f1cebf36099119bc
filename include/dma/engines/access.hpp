#pragma once

#include <dma/config.hpp>
#include <dma/engines/ptx.hpp>
#include <dma/engines/word.hpp>
#include <dma/sync/ptx.hpp>

#if !defined(__CUDA_ARCH__)
#include <cstring>
#endif

/// The two accesses of a register copy, on whichever machine the code runs.
namespace dma::machine {

/// One word from global memory at `base + offset`.
///
/// @pre The address is a multiple of `Bytes`.
template <int Bytes>
[[nodiscard]] DMA_HOST_DEVICE Word<Bytes> load_global(const unsigned char* base, long long offset) {
#if defined(__CUDA_ARCH__)
  return ptx::load_global(reinterpret_cast<const Word<Bytes>*>(base + offset));
#else
  Word<Bytes> word;
  std::memcpy(&word, base + offset, Bytes);
  return word;
#endif
}

/// One word to shared memory at `base + offset`.
///
/// @pre The address is a multiple of `Bytes`.
template <int Bytes>
DMA_HOST_DEVICE void store_shared(unsigned char* base, int offset, const Word<Bytes>& word) {
#if defined(__CUDA_ARCH__)
  ptx::store_shared(ptx::shared_address(base) + static_cast<unsigned>(offset), word);
#else
  std::memcpy(base + offset, &word, Bytes);
#endif
}

}  // namespace dma::machine
