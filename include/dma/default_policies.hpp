#pragma once

#include <dma/config.hpp>
#include <dma/engines/async_copy.hpp>
#include <dma/engines/bulk_copy.hpp>
#include <dma/engines/register_copy.hpp>
#include <dma/patterns/store.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>
#include <dma/sync/barrier.hpp>
#include <dma/sync/completion.hpp>
#include <dma/sync/cuda_barrier.hpp>
#include <dma/sync/named_barrier.hpp>

/// The barrier and the engine that a pipeline uses by default.
namespace dma {

/// The oldest architecture that this file is compiled for, as `__CUDA_ARCH__` writes it. It is the same in every pass
/// of the compiler, so that a pipeline is one type. A host compiler has no list of architectures and uses the newest
/// one that engines know.
inline constexpr int oldest_architecture = [] {
#if defined(__CUDA_ARCH_LIST__)
  int oldest = 1 << 30;
  for (const int architecture : {__CUDA_ARCH_LIST__}) {
    oldest = architecture < oldest ? architecture : oldest;
  }
  return oldest;
#else
  return 900;
#endif
}();

/// Mbarriers in shared memory, as many as there are stages; before sm_80, which has none, named barriers.
using DefaultBarrier = stdlib::conditional_t<(oldest_architecture >= 800), CudaBarrier, NamedBarrier>;

/// Where a tile has several runs, those shorter than this move by other engines. Bulk copies are issued one by one,
/// more slowly the fewer the DMA warps, while one instruction of a warp moves 32 pieces. Loads have cp.async as the
/// alternative; stores only have registers.
template <class Pattern>
inline constexpr int shortest_bulk_run_bytes = is_store<Pattern> ? 256 : 2048;

/// A tile of one run is one bulk copy, however short. A gather reads an index for each row: with cp.async all threads
/// do so at once.
template <class Pattern>
inline constexpr bool is_faster_in_bulk = Pattern::max_run_count == 1 ||
                                          (Pattern::max_run_bytes >= shortest_bulk_run_bytes<Pattern> &&
                                           (is_store<Pattern> || !IndexedPattern<Pattern>));

/// The longest tiles that threads move where the number of stages is automatic: loads by cp.async, stores through
/// registers. Trials on an H200: loads of 512 bytes to 4 KB were up to 1.4 times as fast by cp.async as by a bulk copy
/// with 8 and 16 compute warps, and never more than 3% slower; stores of 512 bytes to 4 KB 1.0 to 3.3 times.
inline constexpr int longest_async_tile_bytes = 8 * 1024;
inline constexpr int longest_register_store_bytes = 4 * 1024;

/// A buffering that leaves the number of stages to the library. Where a kernel names it, a short tile stays one bulk
/// copy, which is one instruction of a DMA warp.
template <class Buffering>
concept HasAutomaticStages = requires {
  requires Buffering::has_automatic_stages;
};

/// Whether threads move a tile faster than bulk copies do. Bulk copies that add are reductions in the L2, which threads
/// do element by element.
template <class Pattern, class Buffering>
inline constexpr bool is_faster_by_threads =
    HasAutomaticStages<Buffering> && !adds<Pattern> &&
    Pattern::tile_bytes <= (is_store<Pattern> ? longest_register_store_bytes : longest_async_tile_bytes);

/// Whether a barrier can have an engine's copies of a pattern as the default: those of loads it has to track, those of
/// bulk stores it has to support.
template <class Pattern, class Sync, class Engine>
[[nodiscard]] consteval bool suits_barrier() {
  if constexpr (is_store<Pattern>) {
    return Sync::supports(Engine::store_completion);
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
  } else if constexpr (oldest_architecture >= 900 && BulkCopy<>::can_move<Pattern> && is_faster_in_bulk<Pattern> &&
                       !is_faster_by_threads<Pattern, Buffering> && suits_barrier<Pattern, Sync, BulkCopy<>>()) {
    return BulkCopy<>{};
  } else if constexpr (oldest_architecture >= 800 && AsyncCopy<>::can_move<Pattern> && !is_store<Pattern> &&
                       suits_barrier<Pattern, Sync, AsyncCopy<>>()) {
    return AsyncCopy<>{};
  } else {
    return RegisterCopy<>{};
  }
}

/// The engine for a pattern over a barrier: bulk copies for one aligned run and for long ones, cp.async for the others.
/// With a `Buffering` whose number of stages is automatic, short tiles are loaded by cp.async and stored through
/// registers. Each engine needs an architecture that has it and a barrier that tracks its completion; without these it
/// is registers, which always work.
template <class Pattern, class Sync, class Buffering = void>
using DefaultEngine = decltype(choose_engine<Pattern, Sync, Buffering>());

}  // namespace dma
