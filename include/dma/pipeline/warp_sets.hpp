#pragma once

#include <dma/buffering/buffering.hpp>
#include <dma/config.hpp>
#include <dma/default_policies.hpp>
#include <dma/patterns/store.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/roles/warp_layout.hpp>

namespace dma::inline v0_1::detail {

/// Of two positive numbers.
[[nodiscard]] constexpr int greatest_common_divisor(int a, int b) noexcept {
  while (b != 0) {
    const int rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// Which warps move a tile together, and how many such sets of warps take turns.
///
/// The warps of a DMA group move a tile together, and groups take turns. To load a tile of an `IndexedPattern` they
/// first read its list, and wait for it. So there the warps of a group take turns as well: the group has as many parts
/// as divide both its warps and its stages, and each part loads tiles of its own. The lists of as many tiles are then
/// read at the same time.
///
/// A group has one part where its warps wait for their copies. Through registers a tile moved by one warp takes up to
/// three times the registers a thread, so that fewer CTAs fit: 3 CTAs an SM moved 3690 GB/s, one with parts 3140
/// (H200).
///
/// A warp without a piece of a full tile takes no part in loads: no barrier counts it, since waits and arrivals of its
/// own would take as many instructions as those of a warp that moves the tile.
///
/// @param StagesOfBuffering  as the buffering chooses them. An automatic number becomes one that more warps divide, up
///                           to a third away from it
template <class Buffering, class Pattern, Completion copies, bool copies_are_asynchronous, int StagesOfBuffering>
class WarpSets {
  using Layout = typename Buffering::Layout;
  using Groups = GroupsOf<Buffering>;

  static constexpr bool are_loads = !is_store<Pattern> && !is_update<Pattern> && Layout::is_specialized;
  static constexpr bool takes_parts = IndexedPattern<Pattern> && are_loads && copies_are_asynchronous;
  /// Whether the pieces of a tile are known to be those of one run, in the accesses that an engine has by default.
  static constexpr bool has_one_run = are_loads && !is_handed_over<Buffering> && !IndexedPattern<Pattern> &&
                                      Pattern::max_run_count == 1 && !HasCustomLoad<Pattern>;
  static constexpr int piece_bytes = Pattern::run_alignment < 16 ? Pattern::run_alignment : 16;

 public:
  static constexpr int stages = [] {
    for (int divisor = takes_parts && HasAutomaticStages<Buffering> ? Groups::warps : 1; divisor > 1; --divisor) {
      const int multiple = Buffering::groups * divisor;
      const int rounded = StagesOfBuffering < multiple ? multiple : StagesOfBuffering - StagesOfBuffering % multiple;
      const int change = rounded < StagesOfBuffering ? StagesOfBuffering - rounded : rounded - StagesOfBuffering;
      if (Groups::warps % divisor == 0 && 3 * change <= StagesOfBuffering) {
        return rounded;
      }
    }
    return StagesOfBuffering;
  }();
  static constexpr int parts = takes_parts ? greatest_common_divisor(stages / Buffering::groups, Groups::warps) : 1;
  static constexpr int count = Buffering::groups * parts;
  static constexpr int warps = [] {  ///< that move a tile together
    constexpr int all = Groups::warps / parts;
    if constexpr (has_one_run) {
      constexpr int pieces =
          copies == Completion::mbarrier_complete_tx ? 1 : (Pattern::tile_bytes + piece_bytes - 1) / piece_bytes;
      constexpr int needed = (pieces + warp_size - 1) / warp_size;
      return needed < all ? needed : all;
    } else {
      return all;
    }
  }();
  static constexpr bool has_idle_warps = warps * parts < Groups::warps;

  static constexpr int none = -1;  ///< of a warp that moves nothing

  /// The set of a warp. Stage s is the turn of set s mod `count`. @pre `warp` is in the buffering's
  /// `group`-th DMA group.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int of(int group, [[maybe_unused]] int warp) noexcept {
    if constexpr (has_idle_warps) {
      return warp - Groups::first_warp(group) < warps ? group : none;
    } else if constexpr (parts == 1) {
      return group;
    } else {
      return (warp - Groups::first_warp(group)) / warps * Buffering::groups + group;
    }
  }
};

}  // namespace dma::inline v0_1::detail
