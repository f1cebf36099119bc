#pragma once

#include <dma/config.hpp>
#include <dma/patterns/store.hpp>
#include <dma/patterns/transfer_pattern.hpp>

namespace dma::inline v0_1 {

/// A tile that is changed in place: loaded, changed by the compute warps and stored, all in one slot.
///
/// In `DmaPipeline<Update<Tile>, ...>` a slot is empty, full, done and empty again. DMA warps `load` a tile into it;
/// compute warps `wait` for it, change it and release it; the same DMA warps `store` it, to where it came from or to
/// another place, and load the next tile when the store has read the slot.
///
/// Global  as the pattern says, at the address of the load and at that of the store
/// Shared  as the pattern says; one slot for both directions
/// Cost    a load and a store. A pipeline that loads beside one that stores needs twice the shared memory for as many
///         tiles, and copies each tile from one slot to another. Where several DMA warps move a tile, a third barrier a
///         stage, or three numbers a stage over `NamedBarrier`
///
/// @pre Tiles are disjoint in global memory: of two changes of one element, one may be lost.
/// @pre Each `load` has one `store`, in the same order, and at most `stages` tiles are loaded and not stored.
///      the loops `for_each_tile` do so.
template <class Pattern>
struct Update : Pattern {
  static_assert(!detail::is_store<Pattern>,
                "dma::Update: its pattern is a dma::Store, and an update both loads and stores; name the pattern that "
                "is stored, without dma::Store");

  constexpr Update() = default;
  DMA_HOST_DEVICE constexpr Update(const Pattern& base) : Pattern(base) {}
};

namespace detail {

template <class Pattern>
inline constexpr bool is_update<Update<Pattern>> = true;

template <class Pattern>
struct DirectionsOf<Update<Pattern>> {
  using Load = Pattern;
  using Store = dma::Store<Pattern>;
};

}  // namespace detail

}  // namespace dma::inline v0_1
