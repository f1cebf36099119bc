#pragma once

#include <dma/config.hpp>
#include <dma/engines/ptx.hpp>
#include <dma/engines/word.hpp>
#include <dma/sync/ptx.hpp>

#if !defined(__CUDA_ARCH__)
#include <cstdint>
#include <cstring>
#endif

/// The four accesses of a register copy, on whichever machine the code runs.
namespace dma::machine {

/// A GPU faults on a misaligned access; a host, which would not, is told.
template <int Bytes>
DMA_HOST_DEVICE void expect_aligned([[maybe_unused]] const unsigned char* address) {
#if !defined(__CUDA_ARCH__)
  DMA_EXPECTS(reinterpret_cast<std::uintptr_t>(address) % Bytes == 0,
              "dma: a run of this tile is not aligned as its pattern's run_alignment says; a GPU would fault here");
#endif
}

/// One word from global memory at `base + offset`.
///
/// @pre The address is a multiple of `Bytes`.
template <int Bytes>
[[nodiscard]] DMA_HOST_DEVICE Word<Bytes> load_global(const unsigned char* base, long long offset) {
#if defined(__CUDA_ARCH__)
  return ptx::load_global(reinterpret_cast<const Word<Bytes>*>(base + offset));
#else
  Word<Bytes> word;
  expect_aligned<Bytes>(base + offset);
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
  expect_aligned<Bytes>(base + offset);
  std::memcpy(base + offset, &word, Bytes);
#endif
}

/// One word from shared memory at `base + offset`.
///
/// @pre The address is a multiple of `Bytes`.
template <int Bytes>
[[nodiscard]] DMA_HOST_DEVICE Word<Bytes> load_shared(const unsigned char* base, int offset) {
  Word<Bytes> word;
#if defined(__CUDA_ARCH__)
  ptx::load_shared(word, ptx::shared_address(base) + static_cast<unsigned>(offset));
#else
  expect_aligned<Bytes>(base + offset);
  std::memcpy(&word, base + offset, Bytes);
#endif
  return word;
}

/// One word to global memory at `base + offset`.
///
/// @pre The address is a multiple of `Bytes`.
template <int Bytes>
DMA_HOST_DEVICE void store_global(unsigned char* base, long long offset, const Word<Bytes>& word) {
#if defined(__CUDA_ARCH__)
  ptx::store_global(reinterpret_cast<Word<Bytes>*>(base + offset), word);
#else
  expect_aligned<Bytes>(base + offset);
  std::memcpy(base + offset, &word, Bytes);
#endif
}

}  // namespace dma::machine
