#pragma once

#include <dma/buffering/buffering.hpp>

namespace dma {

/// A buffering whose slots begin with the compute warps, as if they held a full tile in each: no tile is loaded before
/// they have called `ComputeHandle::open_slots`, in which they may write what no load overwrites, for example zeros
/// beside the rows of a tile.
///
///     using Pipe = dma::DmaPipeline<Tile, dma::BeginsHeld<dma::MultiBuffer<Layout, 4>>>;
///
/// Without it slots begin empty, and the DMA warps fill them at once.
///
/// Source  SC'11, figures 4 and 6: the first start_async_dma of the compute warps
template <Buffering B>
struct BeginsHeld : B {
  static constexpr bool slots_begin_held = true;
};

namespace detail {

/// Whether a buffering's slots begin with the compute warps.
template <class B>
inline constexpr bool slots_begin_held = false;
template <class B>
  requires requires { requires B::slots_begin_held; }
inline constexpr bool slots_begin_held<B> = true;

}  // namespace detail

}  // namespace dma
