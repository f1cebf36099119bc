#pragma once

#include <dma/config.hpp>
#include <dma/cudadma/copy_contract.hpp>
#include <dma/cudadma/copy_warps.hpp>
#include <dma/engines/async_copy.hpp>
#include <dma/engines/copy_engine.hpp>
#include <dma/engines/register_copy.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/site.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>
#include <dma/sync/barrier.hpp>

/// Tiles that warps copy without a pipeline: to and from shared memory of the kernel's own, with no barrier.
namespace dma::inline v0_1::cudadma {

/// The caller's tile in shared memory, as an engine sees a slot. The caller has waited for it.
template <class Byte>
struct OwnTile {
  Byte* tile;

  [[nodiscard]] DMA_HOST_DEVICE unsigned char* data() const { return const_cast<unsigned char*>(tile); }
  [[nodiscard]] DMA_HOST_DEVICE unsigned char* data_per_lane() const { return data(); }
  [[nodiscard]] DMA_HOST_DEVICE void* full_barrier() const { return nullptr; }
  DMA_HOST_DEVICE void wait_until_empty() const {}
  DMA_HOST_DEVICE void wait_until_full() const {}
};

/// Whether an engine's copies need no barrier; an error says so where they do.
template <class Engine, class Pattern>
[[nodiscard]] consteval bool copies_without_barrier() {
  if constexpr (!keeps_copy_contract<Pattern>() || !detail::keeps_engine_contract<Engine, Pattern>()) {
    return false;
  } else {
    constexpr Completion completion = detail::completion_of<Engine, Pattern>();
    static_assert(
        completion == Completion::sync || completion == Completion::async_group,
        "dma::cudadma::copy_tile: this engine's copies are bulk copies, which report to a pipeline's barrier or belong "
        "to a bulk group; use dma::RegisterCopy<> or dma::AsyncCopy<>, or a dma::DmaPipeline");
    static_assert(
        !detail::has_padding<Pattern>() || detail::is_store<Pattern> || detail::engine_traits<Engine>.can_fill,
        "dma::cudadma::copy_tile: this engine does not declare that it fills (EngineTraits::can_fill), so padding "
        "elements of the tile would keep old bytes; use dma::RegisterCopy<> or dma::AsyncCopy<>");
    static_assert(!is_store_add<Pattern> || detail::engine_traits<Engine>.can_add,
                  "dma::cudadma::copy_tile: this engine does not declare that it adds (EngineTraits::can_add); use "
                  "dma::RegisterCopy<>");
    return completion == Completion::sync || completion == Completion::async_group;
  }
}

/// Copies a tile by cp.async and goes on; `wait_for_copies` waits for it. A pattern that stores is stored when it
/// returns.
///
/// The warps outside of `warps` do nothing.
///
/// @param source       where the tile begins: in global memory, or in shared memory of a pattern that stores
/// @param destination  the same of the other side
/// @param pattern      the full tile, or a shorter one
///
/// Cost    that of the engine; no barrier, no shared memory
/// Source  execute_dma_no_sync and start_xfer_async of CudaDMA 2.0
///
/// @pre The global address is a multiple of `Pattern::run_alignment`. So is the shared one; of a swizzled tile it is a
///      multiple of the pattern's `tile_alignment`.
/// @pre All lanes of a warp make the call. The caller synchronizes: the tile in shared memory is written when nothing
///      reads it any more, and read by other threads after `wait_for_copies` and a barrier.
template <class Engine = AsyncCopy<>, int Count, TransferPattern Pattern>
DMA_HOST_DEVICE void copy_tile_async(const CopyWarps<Count>& warps, const typename Pattern::Element* source,
                                     typename Pattern::Element* destination, const Pattern& pattern,
                                     machine::SourceLocation caller = machine::SourceLocation::here()) {
  if constexpr (copies_without_barrier<Engine, Pattern>()) {
    machine::called_from(caller);
    if (!warps.contains_this_thread()) {
      return;
    }
    constexpr int threads = CopyWarps<Count>::size();
    expect_valid(pattern);
    if constexpr (detail::is_store<Pattern>) {
      expect_shared(pattern, source);
      expect_global(pattern, destination);
      const OwnTile<const unsigned char> tile{reinterpret_cast<const unsigned char*>(source)};
      Engine::template store<Pattern, threads>(pattern, reinterpret_cast<unsigned char*>(destination), warps.rank(),
                                               tile);
    } else {
      expect_global(pattern, source);
      expect_shared(pattern, destination);
      const OwnTile<unsigned char> tile{reinterpret_cast<unsigned char*>(destination)};
      Engine::template load<Pattern, threads>(pattern, reinterpret_cast<const unsigned char*>(source), warps.rank(),
                                              tile);
    }
  }
}

/// Waits until all tiles that this thread has begun to copy by `copy_tile_async` are in shared memory.
///
/// Source  PTX ISA, cp.async.wait_all
DMA_HOST_DEVICE void wait_for_copies(machine::SourceLocation caller = machine::SourceLocation::here()) {
  machine::called_from(caller);
  machine::wait_for_async_copies();
}

/// Copies a tile between global memory and shared memory of the kernel's own, at any place there, without a barrier.
/// When it returns, the calling thread's part has been copied.
///
///     const dma::cudadma::CopyWarps<4> warps(cta);
///     dma::cudadma::copy_tile(warps, table, shared.table, Table{});
///     cta.sync();
///
/// `copy_tile_async` describes the parameters and preconditions. `Engine` is `RegisterCopy` or `AsyncCopy`; cache hints
/// are a part of it.
template <class Engine = RegisterCopy<>, int Count, TransferPattern Pattern>
DMA_HOST_DEVICE void copy_tile(const CopyWarps<Count>& warps, const typename Pattern::Element* source,
                               typename Pattern::Element* destination, const Pattern& pattern,
                               machine::SourceLocation caller = machine::SourceLocation::here()) {
  copy_tile_async<Engine>(warps, source, destination, pattern, caller);
  if constexpr (copies_without_barrier<Engine, Pattern>()) {
    if constexpr (detail::completion_of<Engine, Pattern>() == Completion::async_group) {
      if (warps.contains_this_thread()) {
        machine::wait_for_async_copies();
      }
    }
  }
}

}  // namespace dma::inline v0_1::cudadma
