#pragma once

#include <dma/config.hpp>
#include <dma/engines/access.hpp>
#include <dma/engines/word.hpp>
#include <dma/run.hpp>

namespace dma {

/// The two directions of a copy through registers, as what is read and what is written: an engine deals out pieces and
/// leaves to these which side is which.

/// Global to shared.
struct Inward {
  const unsigned char* global;
  unsigned char* shared;

  template <int Bytes>
  [[nodiscard]] DMA_HOST_DEVICE Word<Bytes> read(const Run& piece) const {
    return machine::load_global<Bytes>(global, piece.global);
  }
  template <int Bytes>
  DMA_HOST_DEVICE void write(const Run& piece, const Word<Bytes>& word) const {
    machine::store_shared<Bytes>(shared, piece.shared, word);
  }
};

/// Shared to global.
struct Outward {
  unsigned char* global;
  const unsigned char* shared;

  template <int Bytes>
  [[nodiscard]] DMA_HOST_DEVICE Word<Bytes> read(const Run& piece) const {
    return machine::load_shared<Bytes>(shared, piece.shared);
  }
  template <int Bytes>
  DMA_HOST_DEVICE void write(const Run& piece, const Word<Bytes>& word) const {
    machine::store_global<Bytes>(global, piece.global, word);
  }
};

}  // namespace dma
