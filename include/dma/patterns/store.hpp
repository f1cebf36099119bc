#pragma once

#include <dma/config.hpp>
#include <dma/standard.hpp>
#include <dma/transfer_pattern.hpp>

namespace dma {

/// A pattern in the other direction: from shared to global memory.
///
/// `DmaPipeline<Store<Tile>, ...>` turns the roles round: compute warps wait for an empty slot and fill it, DMA warps
/// wait until it is full and write it out. A gather becomes a scatter; what a box has outside its array is not written.
template <TransferPattern Pattern>
struct Store : Pattern {
  constexpr Store() = default;
  DMA_HOST_DEVICE constexpr Store(const Pattern& pattern) : Pattern(pattern) {}
};

template <class Pattern>
inline constexpr bool is_store = false;
template <class Pattern>
inline constexpr bool is_store<Store<Pattern>> = true;

}  // namespace dma
