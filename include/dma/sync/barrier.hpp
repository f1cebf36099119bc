#pragma once

#include <dma/config.hpp>
#include <dma/machine/site.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/standard.hpp>
#include <dma/sync/completion.hpp>

namespace dma {

/// Who meets at a barrier: threads that only say that they got there, and threads that wait for those.
///
/// In a CTA without DMA warps both are the same threads.
struct Participants {
  int arriving = 0;  ///< threads
  int waiting = 0;   ///< threads
  bool are_same = false;
};

/// Whether the caller knows that the lanes of its warp are together. A barrier that needs them to be brings them
/// together itself where the caller does not know.
enum class Lanes { converged, unknown };

/// One synchronization point of a stage, as its threads name it: the words it keeps in shared memory, if it keeps any,
/// and the hardware barrier it occupies, if it occupies one.
template <class State>
struct BarrierPoint {
  State* state;  ///< null where `State` is empty
  int id;        ///< 0 where the barrier's `ids` is 0
};

/// Names the words it keeps in shared memory, if any, made ready by one thread before the first use and given up by one
/// after the last.
template <class Barrier>
concept OpensAndCloses = requires(BarrierPoint<typename Barrier::State> point) {
  { Barrier::template open<Participants{32, 32}>(point) } -> stdlib::same_as<void>;
  { Barrier::close(point) } -> stdlib::same_as<void>;
};

/// Arrives without waiting; waits without holding up those who arrive.
template <class Barrier>
concept SplitsArriveAndWait = requires(BarrierPoint<typename Barrier::State> point, unsigned parity,
                                       machine::Site site) {
  { Barrier::template arrive<Participants{32, 32}, Lanes::converged>(point, site) } -> stdlib::same_as<void>;
  { Barrier::template wait<Participants{32, 32}, Lanes::converged>(point, parity, site) } -> stdlib::same_as<void>;
};

/// How the two sides of a pipeline wait for each other.
///
/// A barrier is used in generations. In each, every arriving thread arrives once and every waiting thread waits once;
/// the k-th wait of a thread returns after all arrivals of generation k, and sees what the arriving threads wrote
/// before. `parity` is k mod 2, for barriers that tell generations apart by it.
///
/// - `ids`: hardware barriers one synchronization point takes, 0 for barriers that live in memory;
/// - `needs_drain`: whether a generation that nobody waited for would stay armed when the kernel ends;
/// - `supports(completion)`: whether copies that complete so can fill a slot that this barrier guards;
/// - `completes_asynchronously(completion)`: whether it hears of their completion by itself, so that nobody waits for
/// them to arrive.
///
/// Where copies complete by other means than ordinary stores, the arrival at "full" is `arrive_after<completion>`.
template <class B>
concept Barrier = OpensAndCloses<B> && SplitsArriveAndWait<B> && requires {
  { B::ids } -> stdlib::convertible_to<int>;
  { B::needs_drain } -> stdlib::convertible_to<bool>;
  { B::supports(Completion::sync) } -> stdlib::same_as<bool>;
  { B::completes_asynchronously(Completion::sync) } -> stdlib::same_as<bool>;
};

/// Tells without waiting whether a generation is complete.
template <class B>
concept PollableBarrier = Barrier<B> && requires(BarrierPoint<typename B::State> point, unsigned parity) {
  { B::is_complete(point, parity) } -> stdlib::same_as<bool>;
};

/// The words of a pipeline's barriers, nothing at all for barriers that keep none.
template <class State, int Stages>
struct BarrierStates {
  State full_states[Stages];
  State empty_states[Stages];

  [[nodiscard]] DMA_HOST_DEVICE State* full(int stage) { return full_states + stage; }
  [[nodiscard]] DMA_HOST_DEVICE State* empty(int stage) { return empty_states + stage; }
};
template <class State, int Stages>
  requires stdlib::is_empty_v<State>
struct BarrierStates<State, Stages> {
  [[nodiscard]] DMA_HOST_DEVICE static State* full(int /*stage*/) { return nullptr; }
  [[nodiscard]] DMA_HOST_DEVICE static State* empty(int /*stage*/) { return nullptr; }
};

}  // namespace dma
