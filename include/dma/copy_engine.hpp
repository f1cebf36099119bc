#pragma once

#include <dma/completion.hpp>
#include <dma/config.hpp>
#include <dma/standard.hpp>
#include <dma/transfer_pattern.hpp>

namespace dma {

/// A slot that is being filled, as an engine sees it.
///
/// The engine decides what it does before `wait_until_empty()`, which it calls exactly once, with its lanes together,
/// and before its first write to `data()`. When `load` returns, the warp's lanes are together again.
template <class Slot>
concept FillableSlot = requires(const Slot& slot) {
  { slot.data() } -> stdlib::same_as<unsigned char*>;
  { slot.wait_until_empty() } -> stdlib::same_as<void>;
};

/// Says how its copies complete, so that a barrier that cannot carry them is refused.
template <class Engine>
concept NamesCompletion = requires {
  { Engine::completion } -> stdlib::convertible_to<Completion>;
};

/// *How* a pattern's runs move: the threads of a DMA group call
/// `Engine::template load<Pattern, Threads>(pattern, source, thread, slot)` together, thread being 0 to Threads - 1.
template <class Engine, class Pattern, class Slot>
concept CopyEngine = NamesCompletion<Engine> && TransferPattern<Pattern> && FillableSlot<Slot> &&
    requires(const Pattern& pattern, const unsigned char* source, int thread, const Slot& slot) {
  { Engine::template load<Pattern, 32>(pattern, source, thread, slot) } -> stdlib::same_as<void>;
};

}  // namespace dma
