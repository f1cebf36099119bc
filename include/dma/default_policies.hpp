#pragma once

#include <dma/config.hpp>
#include <dma/engines/async_copy.hpp>
#include <dma/engines/bulk_copy.hpp>
#include <dma/engines/register_copy.hpp>
#include <dma/patterns/pattern_contract.hpp>
#include <dma/patterns/store.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>
#include <dma/sync/barrier.hpp>
#include <dma/sync/cuda_barrier.hpp>
#include <dma/sync/named_barrier.hpp>
#include <dma/thresholds.hpp>

/// The barrier and the engine that a pipeline uses by default.

// The choice below is that of the oldest architecture, for all that are compiled.
#if defined(__CUDA_ARCH__) && !defined(DMA_COPY_THROUGH_REGISTERS)
#if __CUDA_ARCH__ < 800
#warning \
    "dma: compiled for an architecture before sm_80, which nvcc does without -arch: tiles then move through registers on every GPU; pass the GPU's architecture, for example -arch=sm_90a, or -DDMA_COPY_THROUGH_REGISTERS where that is meant"
#endif
#endif

namespace dma::inline v0_1 {

/// Mbarriers in shared memory, as many as there are stages; before sm_80, which has none, named barriers.
using DefaultBarrier = stdlib::conditional_t<(detail::oldest_architecture >= 800), CudaBarrier, NamedBarrier>;

namespace detail {

/// A tile of one run is one bulk copy, however short. A gather reads an index for each row: with cp.async all threads
/// do so at once.
template <class Pattern>
[[nodiscard]] DMA_HOST_DEVICE constexpr bool is_faster_in_bulk(const Thresholds& by) noexcept {
  return Pattern::max_run_count == 1 ||
         (is_store<Pattern> ? Pattern::max_run_bytes >= by.shortest_bulk_store_run
                            : Pattern::max_run_bytes >= by.shortest_bulk_load_run && !IndexedPattern<Pattern>);
}

/// A buffering that leaves the number of stages to the library.
template <class Buffering>
concept HasAutomaticStages = requires {
  requires Buffering::has_automatic_stages;
};

/// A buffering of DMA warps whose number of stages the kernel names.
template <class Buffering>
concept HasNamedStages = !HasAutomaticStages<Buffering> && requires {
  requires Buffering::Layout::is_specialized;
};

/// The longest tiles that a group of so many DMA warps loads through registers into the only slot.
[[nodiscard]] constexpr int longest_register_load(int dma_warps, const Thresholds& by) noexcept {
  const int bytes = by.register_load_a_thread * warp_size * dma_warps;
  return bytes < by.longest_register_load ? bytes : by.longest_register_load;
}

/// The longest tiles that are loaded by cp.async where the kernel names the number of its stages.
[[nodiscard]] constexpr int longest_async_tile_in_named_stages(int compute_warps, const Thresholds& by) noexcept {
  const int bytes = by.async_tile_a_compute_warp * compute_warps;
  return bytes < by.least_longest_async_tile  ? by.least_longest_async_tile
         : bytes > by.most_longest_async_tile ? by.most_longest_async_tile
                                              : bytes;
}

/// A short tile of one run, loaded into the only slot. One tile is read before the slot is empty, and none further
/// ahead: that would hang where a load body waits for another pipeline.
template <class Pattern, class Buffering>
concept FillsOneSlot =
    HasNamedStages<Buffering> && !is_store<Pattern> && !is_update<Pattern> && Pattern::max_run_count == 1 && requires {
  requires(Buffering::stages_for(Pattern::tile_bytes, 1) == 1);
  requires(Pattern::tile_bytes <=
           longest_register_load(Buffering::Layout::group_warps(Buffering::first_group), thresholds_of<Buffering>));
};

/// A tile of one run, loaded by the warps that compute into the only slot: nothing is in flight beside it, and threads
/// begin sooner than a bulk copy.
template <class Pattern, class Buffering>
concept FillsOneSlotOfAll =
    !HasAutomaticStages<Buffering> && !is_store<Pattern> && !is_update<Pattern> && Pattern::max_run_count == 1 &&
    Pattern::tile_bytes <= thresholds_of<Buffering>.longest_register_load && requires {
  requires !Buffering::Layout::is_specialized;
  requires(Buffering::stages_for(Pattern::tile_bytes, 1) == 1);
};

/// Rows of 16 bytes in the only slot, or in long tiles without padding: loads leave the other half of each sector in
/// the first-level cache. In several slots cp.async does so where the rows are close (`longest_cached_pitch`), with
/// more in flight than registers hold; boxes come sooner by it, long tiles of a `Strided` do not.
template <class Pattern, class Buffering>
concept LoadsHalfSectors =
    HasRowsOfHalfSectors<Pattern> && !is_update<Pattern> &&
    ((!PaddedPattern<Pattern> &&
      Pattern::tile_bytes >= thresholds_of<Buffering>.shortest_register_load_of_half_sectors) ||
     (HasNamedStages<Buffering> && requires { requires(Buffering::stages_for(Pattern::tile_bytes, 1) == 1); }));

/// The longest tiles that threads move faster than bulk copies do.
template <class Pattern, class Buffering>
[[nodiscard]] consteval int longest_tile_by_threads() {
  constexpr Thresholds by = thresholds_of<Buffering>;
  if constexpr (!HasAutomaticStages<Buffering> && !HasNamedStages<Buffering>) {
    return 0;
  } else if constexpr (is_store<Pattern>) {
    return Buffering::Layout::compute_warps <= by.few_compute_warps ? by.longest_register_store
                                                                    : by.longest_register_store_of_many_warps;
  } else if constexpr (is_update<Pattern>) {
    return by.longest_async_update;
  } else if constexpr (HasAutomaticStages<Buffering>) {
    return by.longest_async_tile;
  } else {
    return longest_async_tile_in_named_stages(Buffering::Layout::compute_warps, by);
  }
}
/// Bulk copies that add are reductions in the L2, which threads do element by element.
template <class Pattern, class Buffering>
inline constexpr bool is_faster_by_threads =
    !is_store_add<Pattern> && Pattern::tile_bytes <= longest_tile_by_threads<Pattern, Buffering>();

/// Whether a barrier can have an engine's copies of a pattern as the default: those of loads it has to track, those of
/// bulk stores it has to support.
template <class Pattern, class Sync, class Engine>
[[nodiscard]] consteval bool suits_barrier() {
  if constexpr (is_store<Pattern>) {
    return Sync::supports(Engine::store_completion);
  } else if constexpr (is_update<Pattern>) {
    return Sync::completes_asynchronously(Engine::completion) && Sync::supports(Engine::store_completion);
  } else {
    return Sync::completes_asynchronously(Engine::completion);
  }
}

/// If the pattern or the barrier breaks its contract the result is not used, and the pipeline reports the error.
template <class Pattern, class Sync, class Buffering>
consteval auto choose_engine() {
  if constexpr (!TransferPattern<Pattern> || !Barrier<Sync>) {
    return RegisterCopy<>{};
  } else if constexpr (HasCustomLoad<Pattern> || HasCustomStore<Pattern>) {
    return RegisterCopy<>{};
  } else if constexpr (FillsOneSlotOfAll<Pattern, Buffering> || FillsOneSlot<Pattern, Buffering>) {
    return RegisterCopy<>{};
  } else if constexpr (oldest_architecture >= 900 && BulkCopy<>::can_move<Pattern> &&
                       is_faster_in_bulk<Pattern>(thresholds_of<Buffering>) &&
                       !is_faster_by_threads<Pattern, Buffering> && suits_barrier<Pattern, Sync, BulkCopy<>>()) {
    return BulkCopy<>{};
  } else if constexpr (oldest_architecture >= 800 && AsyncCopy<>::can_move<Pattern> && !is_store<Pattern> &&
                       !LoadsHalfSectors<Pattern, Buffering> && suits_barrier<Pattern, Sync, AsyncCopy<>>()) {
    return AsyncCopy<>{};
  } else {
    return RegisterCopy<>{};
  }
}

}  // namespace detail

/// The engine for a pattern over a barrier: bulk copies for one aligned run and for long ones, cp.async for the others
/// and for short tiles, as far as the `Buffering` tells their stages and warps. Short tiles are stored through
/// registers. Each engine needs an architecture that has it and a barrier that tracks its completion; without these it
/// is registers, which always work.
template <class Pattern, class Sync, class Buffering = void>
using DefaultEngine = decltype(detail::choose_engine<Pattern, Sync, Buffering>());

}  // namespace dma::inline v0_1
