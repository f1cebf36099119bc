#pragma once

#include <dma/buffering/buffering.hpp>
#include <dma/config.hpp>
#include <dma/roles/warp_layout.hpp>

namespace dma::inline v0_1 {

/// A buffering whose tiles one compute group uses, and no other compute warps: in a pipeline that stores, the group
/// fills them.
///
///     using Layout = dma::WarpLayout<dma::Compute<4>, dma::Compute<4>, dma::Dma<1>>;
///     using Queries = dma::DmaPipeline<Tile, dma::UsedBy<0, dma::MultiBuffer<Layout, 2>>>;
///
/// `as_compute` is for the warps of that group. Its handle's `rank`, `size` and `sync` count these warps alone.
template <int Group, Buffering B>
struct UsedBy : B {
  static_assert(B::Layout::is_specialized,
                "dma::UsedBy: on a layout without DMA warps every warp moves the tiles and uses them; give it a "
                "dma::Dma<...>, or leave dma::UsedBy out");
  static_assert(Group >= 0 && Group < B::Layout::compute_groups,
                "dma::UsedBy: the layout has no compute group of this number, which counts from 0; add a "
                "dma::Compute<...> to the WarpLayout, or name another group");
  static constexpr int used_by = Group;
};

namespace detail {

/// The compute warps that use a pipeline's tiles: those of one group, or all.
template <class B>
struct UsersOf {
  using Layout = typename B::Layout;

  static constexpr bool are_one_group = false;
  static constexpr int group = 0;
  static constexpr int first_thread = 0;
  static constexpr int threads = Layout::compute_threads;
};
/// A slot is used by the threads of one compute group.
template <class Layout, int Group>
struct OneComputeGroup {
  static constexpr bool are_one_group = true;
  static constexpr int group = Group;
  static constexpr int first_thread = Layout::compute_group_first_warp(group) * warp_size;
  static constexpr int threads = Layout::compute_group_warps(group) * warp_size;
};
template <class B>
  requires requires { B::used_by; }
struct UsersOf<B> : OneComputeGroup<typename B::Layout, B::used_by> {};

}  // namespace detail

}  // namespace dma::inline v0_1
