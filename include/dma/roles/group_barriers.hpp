#pragma once

#include <dma/config.hpp>
#include <dma/roles/role.hpp>

/// Who has which of a CTA's named barriers: 0 is `__syncthreads`, 1 that of all compute warps. Where a layout has
/// several compute groups, each has one for its `sync_group` and one for its turns (`Turns`). Pipelines have the rest.
namespace dma::inline v0_1::detail {

/// Named barriers that a layout's compute groups have of their own.
template <class Layout>
inline constexpr int group_barriers = Layout::compute_groups > 1 ? 2 * Layout::compute_groups : 0;

/// For `sync_group` in compute group `group`.
template <class Layout>
[[nodiscard]] DMA_HOST_DEVICE constexpr int group_barrier(int group) noexcept {
  return Layout::compute_groups > 1 ? compute_barrier + 1 + group : compute_barrier;
}
/// At which compute group `group` waits for its turn. @pre The layout has several compute groups.
template <class Layout>
[[nodiscard]] DMA_HOST_DEVICE constexpr int turn_barrier(int group) noexcept {
  return compute_barrier + 1 + Layout::compute_groups + group;
}
/// The first one that pipelines have.
template <class Layout>
inline constexpr int first_pipeline_barrier = compute_barrier + 1 + group_barriers<Layout>;

}  // namespace dma::v0_1::detail
