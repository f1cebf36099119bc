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

/// What a pipeline takes when it is not told: the one place that chooses.
namespace dma {

/// The oldest architecture that this file is compiled for, as `__CUDA_ARCH__` writes it. The same for every pass of the
/// compiler, so that a pipeline is one type; a host compiler, which has no list, takes the newest that engines know.
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

/// Barriers in shared memory, as many as there are stages; before sm_80, which has none, those of the hardware.
using DefaultBarrier = stdlib::conditional_t<(oldest_architecture >= 800), CudaBarrier, NamedBarrier>;

/// Of several runs, those shorter than this go by other engines, many to an instruction of a warp: a bulk copy is asked
/// for one by one, the more slowly the fewer the DMA warps. Loads have cp.async beside it, stores only registers.
template <class Pattern>
inline constexpr int shortest_bulk_run_bytes = is_store<Pattern> ? 256 : 2048;

/// One run is one bulk copy, however short. A gather's rows are looked up: by all threads at once for cp.async.
template <class Pattern>
inline constexpr bool is_faster_in_bulk = Pattern::max_run_count == 1 ||
                                          (Pattern::max_run_bytes >= shortest_bulk_run_bytes<Pattern> &&
                                           (is_store<Pattern> || !IndexedPattern<Pattern>));

/// Where one of the two breaks its contract the answer is of no use, and the pipeline says what is wrong.
template <class Pattern, class Sync>
consteval auto choose_engine() {
  if constexpr (!TransferPattern<Pattern> || !Barrier<Sync>) {
    return RegisterCopy<>{};
  } else if constexpr (HasCustomLoad<Pattern> || HasCustomStore<Pattern>) {
    return RegisterCopy<>{};
  } else if constexpr (oldest_architecture >= 900 && BulkCopy<>::can_move<Pattern> && is_faster_in_bulk<Pattern> &&
                       (is_store<Pattern> || Sync::completes_asynchronously(Completion::mbarrier_complete_tx))) {
    return BulkCopy<>{};
  } else if constexpr (oldest_architecture >= 800 && AsyncCopy<>::can_move<Pattern> && !is_store<Pattern> &&
                       Sync::completes_asynchronously(Completion::async_group)) {
    return AsyncCopy<>{};
  } else {
    return RegisterCopy<>{};
  }
}

/// The engine for a pattern over a barrier: bulk copies for one aligned run and for long ones, cp.async for the others,
/// each where the architecture has it and the barrier hears of its end, and registers, which always work.
template <class Pattern, class Sync>
using DefaultEngine = decltype(choose_engine<Pattern, Sync>());

}  // namespace dma
