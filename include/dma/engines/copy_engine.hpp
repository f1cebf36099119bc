#pragma once

#include <dma/config.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>
#include <dma/sync/completion.hpp>

namespace dma {

/// A slot as an engine sees it.
///
/// To load, the engine decides what it does before `wait_until_empty()`, which it calls exactly once, with its lanes
/// together, and before its first write to `data()`. To store, it calls `wait_until_full()` before its first read. When
/// either is done, the warp's lanes are together again, unless it completes by transaction, whose arrival brings them
/// together. `data_per_lane()` is the same address in registers of each lane's own: an engine whose lanes all store
/// takes it where one of the warp's would hold them up. `full_barrier()` is where asynchronous copies report, null
/// where the pipeline's barrier is not in memory.
template <class Slot>
concept MovableSlot = requires(const Slot& slot) {
  { slot.data() } -> stdlib::same_as<unsigned char*>;
  { slot.data_per_lane() } -> stdlib::same_as<unsigned char*>;
  { slot.full_barrier() } -> stdlib::same_as<void*>;
  { slot.wait_until_empty() } -> stdlib::same_as<void>;
  { slot.wait_until_full() } -> stdlib::same_as<void>;
};

/// Says how its copies complete, in either direction, so that a barrier that cannot carry them is refused.
template <class Engine>
concept NamesCompletion = requires {
  { Engine::completion } -> stdlib::convertible_to<Completion>;
  { Engine::store_completion } -> stdlib::convertible_to<Completion>;
};

/// Adds to global memory what a `StoreAdd` stores: such an engine declares `static constexpr bool can_add = true`, and
/// asks the pattern (`adds<Pattern>`) which of the two a store is.
template <class Engine>
concept AddingEngine = requires {
  requires Engine::can_add;
};

/// What `Engine::load` returns: the bytes that this warp's copies will report to the barrier where they complete by
/// transaction, nothing otherwise.
template <class Engine>
using LoadResult = stdlib::conditional_t<Engine::completion == Completion::mbarrier_complete_tx, int, void>;

/// Takes a description of the whole array in the place of a tile's address: `Engine::Array<Pattern>`, by reference.
template <class Engine, class Pattern>
concept TakesArrays = requires {
  typename Engine::template Array<Pattern>;
};
template <class Engine, class Pattern>
struct ArrayOfEngine {
  using Type = const void*;
};
template <class Engine, class Pattern>
  requires TakesArrays<Engine, Pattern>
struct ArrayOfEngine<Engine, Pattern> {
  using Type = const typename Engine::template Array<Pattern>&;
};
template <class Engine, class Pattern>
using ArrayOf = typename ArrayOfEngine<Engine, Pattern>::Type;

/// The two sides of a transfer: an address of bytes, or the array.
template <class Engine, class Pattern>
using SourceOf = stdlib::conditional_t<TakesArrays<Engine, Pattern>, ArrayOf<Engine, Pattern>, const unsigned char*>;
template <class Engine, class Pattern>
using DestinationOf = stdlib::conditional_t<TakesArrays<Engine, Pattern>, ArrayOf<Engine, Pattern>, unsigned char*>;

/// *How* a pattern's runs move: the threads of a DMA group call
/// `Engine::template load<Pattern, Threads>(pattern, source, thread, slot)` together, or `store` likewise, thread being
/// 0 to Threads - 1.
template <class Engine, class Pattern, class Slot>
concept CopyEngine = NamesCompletion<Engine> && TransferPattern<Pattern> && MovableSlot<Slot> &&
    requires(const Pattern& pattern, SourceOf<Engine, Pattern> source, DestinationOf<Engine, Pattern> destination,
             int thread, const Slot& slot) {
  { Engine::template load<Pattern, 32>(pattern, source, thread, slot) } -> stdlib::same_as<LoadResult<Engine>>;
  { Engine::template store<Pattern, 32>(pattern, destination, thread, slot) } -> stdlib::same_as<void>;
};

}  // namespace dma
