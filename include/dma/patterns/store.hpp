#pragma once

#include <dma/config.hpp>
#include <dma/machine/half_float.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

/// A pattern in the other direction: from shared to global memory.
///
/// `DmaPipeline<Store<Tile>, ...>` exchanges the roles. Compute warps (now the producers) wait for an empty slot and
/// fill it; DMA warps (the consumers) wait until it is full and write it out. A gather becomes a scatter. Elements of a
/// box outside its array are not written. Where tiles overlap in global memory, it is undefined which value remains.
///
/// Cost    the pattern's runs. Bulk stores release their slots once shared memory has been read; other stores are
///         ordinary ones, through registers
///
/// @pre The compute warps fill every element that is stored: the rest of a slot holds an earlier tile's.
template <class Pattern>
struct Store : Pattern {
  constexpr Store() = default;
  DMA_HOST_DEVICE constexpr Store(const Pattern& base) : Pattern(base) {}
};

namespace detail {

/// Element types that a memory instruction can add (red, cp.reduce).
template <class Element>
concept Summable = ((sizeof(Element) == 4 || sizeof(Element) == 8) && stdlib::is_arithmetic_v<Element>) ||
                   machine::HalfFloat<Element>::is_known;

/// The pattern's elements can be added by the GPU's memory.
template <class Pattern>
concept HoldsSummable = Summable<typename Pattern::Element>;
/// Whether no access of an engine ends inside an element.
template <class Pattern>
concept AlignsToElements = Pattern::run_alignment % sizeof(typename Pattern::Element) == 0;

}  // namespace detail

/// A store that adds each element of the tile to the one in global memory, where `Store` would replace it. Several CTAs
/// may add to the same elements. Each addition is atomic, but their order is not defined, so floating-point sums can
/// differ in the last bits from run to run. Two-byte floats are rounded after each addition, so many small terms are
/// lost; sums of them in float lose less.
///
/// Cost    what `Store` costs; nothing is read back to the SM
/// Source  PTX ISA, cp.reduce.async.bulk and red
template <class Pattern>
struct StoreAdd : Pattern {
  static_assert(!TransferPattern<Pattern> || detail::HoldsSummable<Pattern>,
                "dma::StoreAdd: the memory instructions add int, unsigned, float, double, integers of 8 bytes, __half "
                "and __nv_bfloat16; convert the tile's elements to one of these, or use dma::Store");
  static_assert(!TransferPattern<Pattern> || detail::AlignsToElements<Pattern>,
                "dma::StoreAdd: an access would end inside an element; align the pattern's runs to its elements");
  static_assert(!detail::HasCustomStore<Pattern>,
                "dma::StoreAdd: this pattern has a store of its own, which does not add; use dma::Store");

  constexpr StoreAdd() = default;
  DMA_HOST_DEVICE constexpr StoreAdd(const Pattern& base) : Pattern(base) {}
};

namespace detail {

template <class Pattern>
inline constexpr bool is_store<Store<Pattern>> = true;
template <class Pattern>
inline constexpr bool is_store<StoreAdd<Pattern>> = true;

}  // namespace detail

template <class Pattern>
inline constexpr bool is_store_add<StoreAdd<Pattern>> = true;

}  // namespace dma::inline v0_1
