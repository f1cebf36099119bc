#pragma once

#include <dma/config.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>
#include <dma/sync/barrier.hpp>

namespace dma::inline v0_1 {

/// The optional properties of an engine, which it declares as one member:
///
///     static constexpr dma::EngineTraits traits{.name = "MyEngine", .can_fill = true};
struct EngineTraits {
  const char* name = "an engine without a name";  ///< for `explain` and messages
  /// It adds to global memory what a `StoreAdd` stores: `is_store_add<Pattern>` tells it whether a store adds or
  /// replaces.
  bool can_add = false;
  /// Its loads fill the padding of a `PaddedPattern`: `fill_outside` does it by ordinary stores.
  bool can_fill = false;
  /// Bytes of a thread's widest access, where threads move the pieces of a tile in the order of `PieceMap`, each as
  /// wide as the pattern's alignment allows. `explain` then lists them. 0: `explain` does not list them, and says so.
  int widest_access = 0;
  /// Accesses that a thread issues before it waits for the first, for `explain`: of a full tile whose runs have one
  /// length, and of another tile.
  int loads_in_flight = 1;
  int short_tile_loads = 1;
  /// CTAs of a cluster that each of its loads is for: the barrier has to wait for the consumers of all of them.
  int multicast = 1;
};

namespace detail {

/// An engine's traits, the defaults where it declares none.
template <class Engine>
inline constexpr EngineTraits engine_traits = {};
template <class Engine>
  requires stdlib::is_same_v<decltype(Engine::traits), const EngineTraits>
inline constexpr EngineTraits engine_traits<Engine> = Engine::traits;

/// Whether an engine can move a pattern: its `can_move<Pattern>`, true where it has none.
template <class Engine, class Pattern>
inline constexpr bool engine_can_move = true;
template <class Engine, class Pattern>
  requires requires { Engine::template can_move<Pattern>; }
inline constexpr bool engine_can_move<Engine, Pattern> = Engine::template can_move<Pattern>;

}  // namespace detail

/// A slot as an engine sees it.
///
/// - `data()`: where the tile begins in shared memory;
/// - `data_per_lane()`: the same address in a register of each lane. An engine whose lanes all store uses it where the
///   warp's uniform registers would delay them;
/// - `full_barrier()`: the state of the slot's *full*, to which bulk copies report; null where the barrier keeps none;
/// - `wait_until_empty()`: to load, the engine calls it exactly once, with the warp's lanes converged, before its first
///   write to `data()`. Before that it may do other work;
/// - `wait_until_full()`: to store, the engine calls it exactly once, with the warp's lanes converged, before its first
///   read of `data()`.
template <class Slot>
concept MovableSlot = requires(const Slot& slot) {
  { slot.data() } -> stdlib::same_as<unsigned char*>;
  { slot.data_per_lane() } -> stdlib::same_as<unsigned char*>;
  { slot.full_barrier() } -> stdlib::same_as<void*>;
  { slot.wait_until_empty() } -> stdlib::same_as<void>;
  { slot.wait_until_full() } -> stdlib::same_as<void>;
};

namespace detail {

/// A slot for checks of an engine at compile time, without a pipeline.
struct EngineSlot {
  [[nodiscard]] DMA_HOST_DEVICE unsigned char* data() const { return nullptr; }
  [[nodiscard]] DMA_HOST_DEVICE unsigned char* data_per_lane() const { return nullptr; }
  [[nodiscard]] DMA_HOST_DEVICE void* full_barrier() const { return nullptr; }
  DMA_HOST_DEVICE void wait_until_empty() const {}
  DMA_HOST_DEVICE void wait_until_full() const {}
};
static_assert(MovableSlot<EngineSlot>);

/// @name The members of an engine, one concept each; `CopyEngine` documents them.
/// @{
template <class Engine>
concept NamesLoadCompletion = requires {
  { Engine::completion } -> stdlib::convertible_to<Completion>;
};
template <class Engine>
concept NamesStoreCompletion = requires {
  { Engine::store_completion } -> stdlib::convertible_to<Completion>;
};

/// What `Engine::load` returns: the bytes that this warp's copies will report to the barrier where they complete by
/// `mbarrier_complete_tx`, nothing otherwise.
template <class Engine>
using LoadResult = stdlib::conditional_t<Engine::completion == Completion::mbarrier_complete_tx, int, void>;

/// Takes a description of the whole array instead of a tile's address: `Engine::Array<Pattern>`, by reference.
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

template <class Engine, class Pattern, class Slot>
concept LoadsPattern = NamesLoadCompletion<Engine> &&
    requires(const Pattern& pattern, SourceOf<Engine, Pattern> source, int thread, const Slot& slot) {
  { Engine::template load<Pattern, 32>(pattern, source, thread, slot) } -> stdlib::same_as<LoadResult<Engine>>;
};
template <class Engine, class Pattern, class Slot>
concept StoresPattern = NamesStoreCompletion<Engine> &&
    requires(const Pattern& pattern, DestinationOf<Engine, Pattern> destination, int thread, const Slot& slot) {
  { Engine::template store<Pattern, 32>(pattern, destination, thread, slot) } -> stdlib::same_as<void>;
};

/// @}

}  // namespace detail

/// *How* a pattern's runs move between global memory and a slot. A type without objects; all members are static. An
/// engine that only loads needs `completion` and `load`, one that only stores `store_completion` and `store`. The tiles
/// of an `Update<P>` are loaded as `P` and stored as `Store<P>`.
///
/// - `completion`, `store_completion`: how its loads and its stores complete. The pipeline signals the slot
///   accordingly; a barrier that does not support it does not compile;
/// - `load<Pattern, Threads>(pattern, source, thread, slot)`: all threads of a DMA group call it, at a gather those of
///   the warps whose turn it is, with `thread` 0 to `Threads` - 1. Together they move every run of `pattern` from
///   `source + run.global` to `slot.data() + run.shared`. Bytes of the tile outside all runs stay as they are, except
///   padding. Returns nothing or, where `completion` is `mbarrier_complete_tx`, the bytes that this warp's copies
///   report to `slot.full_barrier()`, the same in all lanes;
/// - `store<Pattern, Threads>(pattern, destination, thread, slot)`: the same in the other direction. Stores of
///   `bulk_group` are committed, as one group a tile, when it returns;
/// - `can_move<Pattern>`, optional: a `bool`, whether it can move this pattern. `require_engine` and the laws ask here;
///   a `static_assert` in `load` and `store` states the reason;
/// - `Array<Pattern>`, optional: what a pipeline's `load` and `store` take instead of an address;
/// - `tiles_ahead<Pattern, Threads>()`, `Held<Pattern, Threads>`, `read_ahead` and `write_held`, optional: how many
///   full tiles `for_each_tile` reads ahead of their slots, and the two halves of such a tile's load, as `RegisterCopy`
///   has them;
/// - `can_read_ahead<Pattern>`, optional, with `Held`, `read_ahead` and `write_held`: a `bool`, whether `start_load`
///   reads a full tile, or a part of it, before its slot is empty; `write_held` moves the rest;
/// - `traits`, optional: its `EngineTraits`.
///
/// When `load` or `store` returns, the warp's lanes are converged again. With `mbarrier_complete_tx` they need not be,
/// since the arrival converges them. A thread that writes to the slot by ordinary stores, beside asynchronous copies,
/// calls `machine::fence_async_proxy()` (the proxy fence) afterwards.
///
/// An engine calls the accesses of `dma::machine` (`load_global`, `store_shared`, `copy_async`, `copy_bulk_to_shared`
/// and the like): instructions on a GPU, copies that the emulated CTA sees on a host. A plain access to the slot needs
/// a `machine::touched(address, bytes, access)` beside it; without that a proof does not see it.
///
/// An example, which is built and tested:
/// @include custom_engine/run_per_warp.hpp
/// A mistake, between `#if` and `#else`, and what the compiler says of it:
/// @include an_engine_whose_load_is_misspelt.cpp
template <class Engine, class Pattern, class Slot>
concept CopyEngine = TransferPattern<Pattern> && MovableSlot<Slot> &&
    (!detail::is_loaded<Pattern> || detail::LoadsPattern<Engine, typename detail::DirectionsOf<Pattern>::Load, Slot>)&&(
        !detail::is_stored<Pattern> ||
        detail::StoresPattern<Engine, typename detail::DirectionsOf<Pattern>::Store, Slot>);

namespace detail {

/// That an engine can run on the GPU: see `PatternMembers`.
template <class Engine, int Threads>
struct EngineMembers {
  template <class Pattern, class Place, class Slot>
  DMA_DEVICE static void on_device(const Pattern& pattern, const Place& place, const Slot& slot) {
    constexpr bool never_now = false;
    if constexpr (is_store<Pattern>) {
      if (never_now) {
        Engine::template store<Pattern, Threads>(pattern, place, 0, slot);
      }
    } else {
      if (never_now) {
        static_cast<void>(Engine::template load<Pattern, Threads>(pattern, place, 0, slot));
      }
    }
  }
};

/// How the copies of a pattern complete by this engine; those of an `Update`, its loads.
template <class Engine, class Pattern>
[[nodiscard]] consteval Completion completion_of() {
  if constexpr (is_store<Pattern>) {
    return Engine::store_completion;
  } else {
    return Engine::completion;
  }
}

/// How stores of a pattern complete by this engine.
template <class Engine, class Pattern>
[[nodiscard]] consteval Completion store_completion_of() {
  if constexpr (is_update<Pattern>) {
    return Engine::store_completion;
  } else {
    return completion_of<Engine, Pattern>();
  }
}

/// Optional properties as direct members of an engine, which nothing reads.
template <class Engine>
concept HasStrayEngineTraits = (requires { Engine::name; }) || (requires { Engine::can_add; }) ||
                               (requires { Engine::can_fill; }) || (requires { Engine::widest_access; }) ||
                               (requires { Engine::loads_in_flight; }) || (requires { Engine::short_tile_loads; });
/// A member `traits` that is not an `EngineTraits`.
template <class Engine>
concept HasOtherEngineTraits = (requires { Engine::traits; }) &&
                               !stdlib::is_same_v<decltype(Engine::traits), const EngineTraits>;
/// Whether a type has a barrier's members: no engine has them.
template <class T>
concept LooksLikeBarrier = requires {
  T::needs_drain;
};

/// Whether a type is an engine for this pattern. If it is not, one sentence names the first member of `CopyEngine` that
/// is missing or has another form.
template <class Engine, class Pattern>
[[nodiscard]] consteval bool keeps_engine_contract() {
  if constexpr (LooksLikeBarrier<Engine>) {
    static_assert(always_false<Engine, Pattern>,
                  "dma::DmaPipeline: its fourth argument is a barrier, where the engine belongs; write "
                  "DmaPipeline<Pattern, Buffering, Barrier, Engine>");
  } else if constexpr (HasOtherEngineTraits<Engine>) {
    static_assert(always_false<Engine, Pattern>,
                  "dma::CopyEngine: this engine's 'traits' is not a dma::EngineTraits; declare it 'static constexpr "
                  "dma::EngineTraits traits{...};', or give it another name");
  } else if constexpr (HasMisnamedTraits<Engine, EngineTraits>) {
    static_assert(always_false<Engine, Pattern>,
                  "dma::CopyEngine: this engine has its dma::EngineTraits under another name than 'traits', which "
                  "nothing reads; name the member 'traits'");
  } else if constexpr (HasStrayEngineTraits<Engine>) {
    static_assert(always_false<Engine, Pattern>,
                  "dma::CopyEngine: this engine has name, can_add, can_fill, widest_access, loads_in_flight or "
                  "short_tile_loads as a member of its own, which nothing reads; put it into 'static constexpr "
                  "dma::EngineTraits traits{...};'");
  } else if constexpr (is_loaded<Pattern> && !NamesLoadCompletion<Engine>) {
    static_assert(always_false<Engine, Pattern>,
                  "dma::CopyEngine: this engine has no 'completion'; add 'static constexpr dma::Completion "
                  "completion = ...;', how its loads complete");
  } else if constexpr (is_stored<Pattern> && !NamesStoreCompletion<Engine>) {
    static_assert(always_false<Engine, Pattern>,
                  "dma::CopyEngine: this engine has no 'store_completion'; add 'static constexpr dma::Completion "
                  "store_completion = ...;', how its stores complete, or store by dma::RegisterCopy<>");
  } else if constexpr (is_loaded<Pattern> && !LoadsPattern<Engine, typename DirectionsOf<Pattern>::Load, EngineSlot>) {
    static_assert(always_false<Engine, Pattern>,
                  "dma::CopyEngine: this engine has no 'load'; add 'template <class Pattern, int Threads, class "
                  "Slot> static void load(const Pattern& pattern, const unsigned char* source, int thread, const "
                  "Slot& slot)', which returns int, the bytes of this warp's copies, where 'completion' is "
                  "mbarrier_complete_tx");
  } else if constexpr (is_stored<Pattern> &&
                       !StoresPattern<Engine, typename DirectionsOf<Pattern>::Store, EngineSlot>) {
    static_assert(always_false<Engine, Pattern>,
                  "dma::CopyEngine: this engine has no 'store'; add 'template <class Pattern, int Threads, class "
                  "Slot> static void store(const Pattern& pattern, unsigned char* destination, int thread, const "
                  "Slot& slot)', or store by dma::RegisterCopy<>");
  } else {
    return true;
  }
  return false;
}

/// Whether a loaded pattern, or one of its parts, has padding.
template <class Pattern>
[[nodiscard]] consteval bool has_padding() {
  bool found = false;
  for_each_part(Pattern{}, [&](const auto& part, int, auto) {
    found = found || PaddedPattern<stdlib::remove_cvref_t<decltype(part)>>;
  });
  return found;
}

}  // namespace detail

}  // namespace dma::inline v0_1
