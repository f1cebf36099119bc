#pragma once

#include <dma/config.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>

namespace dma {

/// A pattern in the other direction: from shared to global memory.
///
/// `DmaPipeline<Store<Tile>, ...>` turns the roles round: compute warps wait for an empty slot and fill it, DMA warps
/// wait until it is full and write it out. A gather becomes a scatter; what a box has outside its array is not written.
template <class Pattern>
struct Store : Pattern {
  constexpr Store() = default;
  DMA_HOST_DEVICE constexpr Store(const Pattern& base) : Pattern(base) {}
};

/// Elements that memory can add to by itself.
template <class Element>
concept Summable = (sizeof(Element) == 4 || sizeof(Element) == 8) && stdlib::is_arithmetic_v<Element>;

template <class Pattern>
concept HoldsSummable = Summable<typename Pattern::Element>;
/// No access of an engine ends inside an element.
template <class Pattern>
concept AlignsToElements = Pattern::run_alignment % sizeof(typename Pattern::Element) == 0;

/// A store that adds each element of the tile to the one in global memory, where `Store` would replace it. Several CTAs
/// may add to the same elements: each sum is whole, in no order, so that those of floating-point numbers are not the
/// same to the last bit from run to run.
///
/// Cost    what `Store` costs; nothing is read back to the SM
/// Source  PTX ISA, cp.reduce.async.bulk and red
template <class Pattern>
struct StoreAdd : Pattern {
  static_assert(
      !TransferPattern<Pattern> || HoldsSummable<Pattern>,
      "dma::StoreAdd: memory adds int, unsigned, float and double, and integers of 8 bytes; convert the tile's "
      "elements to one of these, or use dma::Store");
  static_assert(!TransferPattern<Pattern> || AlignsToElements<Pattern>,
                "dma::StoreAdd: an access would end inside an element: align the pattern's runs to its elements");
  static_assert(!HasCustomStore<Pattern>,
                "dma::StoreAdd: this pattern brings a store of its own, which does not add; use dma::Store");

  constexpr StoreAdd() = default;
  DMA_HOST_DEVICE constexpr StoreAdd(const Pattern& base) : Pattern(base) {}
};

template <class Pattern>
inline constexpr bool is_store<Store<Pattern>> = true;
template <class Pattern>
inline constexpr bool is_store<StoreAdd<Pattern>> = true;

template <class Pattern>
inline constexpr bool adds<StoreAdd<Pattern>> = true;

}  // namespace dma
