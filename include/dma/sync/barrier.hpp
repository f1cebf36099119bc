#pragma once

#include <dma/config.hpp>
#include <dma/machine/scope.hpp>
#include <dma/machine/site.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

/// How an engine's copies complete, in the words of the PTX ISA and of libcu++. A barrier supports some of these
/// (`supports`), and tracks some by itself (`completes_asynchronously`).
enum class Completion {
  sync,                  ///< ordinary loads and stores: complete when the thread arrives
  async_group,           ///< cp.async: complete when the thread's group is (cp.async.wait_all, or an mbarrier arrival)
  mbarrier_complete_tx,  ///< bulk loads: complete when the mbarrier has counted their bytes
  bulk_group,            ///< bulk stores: the issuing thread waits until shared memory has been read (wait_group.read)
};

/// How many threads take part in a barrier: those that signal it, and those that wait for the signals.
///
/// In a CTA without DMA warps both are the same threads, each of which calls `arrive` and then `wait`. A barrier that
/// counts all participating threads counts `waiting` there, otherwise the sum.
struct Participants {
  int arriving = 0;       ///< threads, a multiple of 32
  int waiting = 0;        ///< threads, a multiple of 32
  bool are_same = false;  ///< whether the arriving threads are the waiting ones
};

/// Whether the caller knows that the lanes of its warp are converged. All 32 lanes call a barrier's `arrive`,
/// `arrive_after` and `wait` in both cases, so a barrier that needs converged lanes may converge them itself, by
/// `machine::sync_warp()`. Neither value orders memory between lanes.
enum class Lanes {
  converged,  ///< they are, except after loads of `mbarrier_complete_tx`. Passed by `load` and `store`
  unknown     ///< they may call one after another. Passed by `wait()`, by a slot's release and by the explicit calls
};

/// One synchronization point of a stage: the words that it keeps in shared memory, if any, and the number of its
/// hardware barrier, if it uses one.
template <class State>
struct BarrierPoint {
  State* state;  ///< null where `State` is empty
  int id;        ///< 0 where the barrier's `ids` is 0
};

namespace detail {

/// @name The members of a barrier, one concept each; `Barrier` documents them.
/// @{
template <class B>
concept BarrierDescribesItself = requires {
  typename B::State;
  { B::ids } -> stdlib::convertible_to<int>;
  { B::needs_drain } -> stdlib::convertible_to<bool>;
  { B::supports(Completion::sync) } -> stdlib::same_as<bool>;
  { B::completes_asynchronously(Completion::sync) } -> stdlib::same_as<bool>;
};
template <class B>
concept BarrierOpens = requires(BarrierPoint<typename B::State> point) {
  { B::template open<Participants{32, 32}, Completion::sync>(point) } -> stdlib::same_as<void>;
};
template <class B>
concept BarrierCloses = requires(BarrierPoint<typename B::State> point) {
  { B::close(point) } -> stdlib::same_as<void>;
};
template <class B>
concept BarrierArrives = requires(BarrierPoint<typename B::State> point, const machine::Site& site) {
  { B::template arrive<Participants{32, 32}, Lanes::converged>(point, site) } -> stdlib::same_as<void>;
};
template <class B>
concept BarrierWaits = requires(BarrierPoint<typename B::State> point, unsigned parity, const machine::Site& site) {
  { B::template wait<Participants{32, 32}, Lanes::converged>(point, parity, site) } -> stdlib::same_as<void>;
};
template <class B, Completion completion>
concept BarrierArrivesAfter =
    !B::supports(completion) || requires(BarrierPoint<typename B::State> point, int bytes, const machine::Site& site) {
  {
    B::template arrive_after<completion, Participants{32, 32}, Lanes::converged>(point, bytes, site)
    } -> stdlib::same_as<void>;
};
template <class B>
concept BarrierExpects = !B::supports(Completion::mbarrier_complete_tx) ||
                         requires(BarrierPoint<typename B::State> point, int bytes, const machine::Site& site) {
  { B::expect(point, bytes, site) } -> stdlib::same_as<void>;
};
template <class B>
concept BarrierPolls = requires(BarrierPoint<typename B::State> point, unsigned parity) {
  { B::is_complete(point, parity) } -> stdlib::same_as<bool>;
};

/// @}

}  // namespace detail

/// *When* the two sides of a pipeline may use a slot: how they wait for each other. A type without objects; all members
/// are static.
///
/// A stage has two synchronization points, *full* and *empty*. Each is used in generations (phases): in each, every
/// arriving thread calls `arrive` once and every waiting thread calls `wait` once. The k-th wait of a thread returns
/// after all arrivals of generation k, and sees what the arriving threads wrote before. An arrival for generation k + 1
/// follows all waits for generation k, so that `parity`, k mod 2, tells the generations apart.
///
/// - `State`: what one point keeps in shared memory. Trivial. Where it keeps nothing it is empty, and `open` and
///   `close` are not called;
/// - `ids`: hardware barriers that one point uses, 0 or 1. `point.id` is the number of its own;
/// - `needs_drain`: whether arrivals without a wait would stay pending when the kernel ends, so that the pipeline's
///   destructor has to wait for them;
/// - `supports(completion)`: whether pipelines may use it whose copies complete so, in either direction. Every barrier
///   supports `sync`. Bulk stores need `bulk_group`: the DMA warps wait until the slot has been read, then call
///   `arrive`. `async_group` and `mbarrier_complete_tx` are of loads, and need `arrive_after`;
/// - `completes_asynchronously(completion)`: whether it tracks the end of such loads by itself, so that the DMA warps
///   go on while tiles are in flight. True of `sync`, whose copies are complete at the arrival. The default engine for
///   loads follows from it; stores do not ask;
/// - `open<participants, completion>(point)`: initializes `State`. One thread calls it, and the CTA synchronizes before
///   the first use. `completion` is that of the copies whose end `arrive_after` will signal at this point, otherwise
///   `sync`;
/// - `close(point)`: invalidates `State`. One thread calls it when no thread uses the point any more;
/// - `arrive<participants, lanes>(point, site)`: all lanes of a warp call it. What any of them read or wrote before
///   precedes the arrival. With `Lanes::unknown` they may call it one after another;
/// - `wait<participants, lanes>(point, parity, site)`: all lanes of a warp call it;
/// - `arrive_after<completion, participants, lanes>(point, bytes, site)`: `arrive` for the end of this warp's copies,
///   which were issued before. `bytes` are those of its bulk copies, 0 for other copies. Needed where `supports` is
///   true for `async_group` or `mbarrier_complete_tx`, and called with these;
/// - `expect(point, bytes, site)`: adds to the bytes of bulk copies that the phase expects, before the arrival. One
///   lane of a warp calls it. Needed where `supports` is true for `mbarrier_complete_tx`;
/// - `scope`, optional: `Scope::cluster` for a barrier that other CTAs of the cluster use too. Construction of a
///   pipeline then synchronizes the cluster. `ctas`: how many CTAs these are. Each CTA waits for all that others do at
///   its barriers before it closes them or ends;
/// - `wait_for_copies<participants, lanes>(point, parity, site)`, optional: instead of `wait`, where loads of
///   `mbarrier_complete_tx` complete the phase;
/// - `is_complete(point, parity)`, optional (`PollableBarrier`): whether a wait would return at once. Without it, a
///   pipeline of bulk stores has one store in flight at a time.
///
/// `Participants` is how many threads arrive and wait, known at compile time. `site` is for messages: pass it on to
/// `dma::machine`.
///
/// A barrier calls the synchronization functions of `dma::machine` (barriers, phases, `sync_warp`, `elect`). These are
/// instructions on a GPU and the emulated CTA's on a host, where the same barrier runs and can be proved.
///
/// An example, which is built and tested:
/// @include custom_barrier/each_arrives.hpp
/// A mistake, between `#if` and `#else`, and what the compiler says of it:
/// @include a_barrier_whose_arrive_is_misspelt.cpp
template <class B>
concept Barrier = detail::BarrierDescribesItself<B> && detail::BarrierOpens<B> && detail::BarrierCloses<B> &&
    detail::BarrierArrives<B> && detail::BarrierWaits<B> && detail::BarrierArrivesAfter<B, Completion::async_group> &&
    detail::BarrierArrivesAfter<B, Completion::mbarrier_complete_tx> && detail::BarrierExpects<B>;

/// A barrier that can also tell, without waiting, whether a generation is complete.
template <class B>
concept PollableBarrier = Barrier<B> && detail::BarrierPolls<B>;

namespace detail {

/// Has an `is_complete` that can be called, with the pipeline's parameters or with others.
template <class B>
concept BarrierAnswers = (requires(BarrierPoint<typename B::State> point, unsigned parity) {
                           B::is_complete(point, parity);
                         }) ||
                         (requires(BarrierPoint<typename B::State> point) { B::is_complete(point); });

/// `supports` as a constant, which code for a GPU may ask where the function itself is the host's.
template <class B, Completion completion>
inline constexpr bool supports_completion = B::supports(completion);

/// That a barrier can run on the GPU. A member function without `DMA_HOST_DEVICE` is an error here; from a function of
/// both machines it would be a warning, and a kernel that does not synchronize.
template <class B, Participants participants>
struct BarrierMembers {
  DMA_DEVICE static void on_device(BarrierPoint<typename B::State> point) {
    constexpr bool never_now = false;
    if (never_now) {
      if constexpr (!stdlib::is_empty_v<typename B::State>) {
        B::template open<participants, Completion::sync>(point);
        B::close(point);
      }
      B::template arrive<participants, Lanes::unknown>(point, machine::Site{});
      B::template wait<participants, Lanes::unknown>(point, 0, machine::Site{});
      if constexpr (supports_completion<B, Completion::async_group>) {
        B::template arrive_after<Completion::async_group, participants, Lanes::unknown>(point, 0, machine::Site{});
      }
      if constexpr (supports_completion<B, Completion::mbarrier_complete_tx>) {
        B::template arrive_after<Completion::mbarrier_complete_tx, participants, Lanes::unknown>(point, 0,
                                                                                                 machine::Site{});
        B::expect(point, 0, machine::Site{});
      }
      if constexpr (PollableBarrier<B>) {
        static_cast<void>(B::is_complete(point, 0));
      }
    }
  }
};

/// Whether a type has an engine's members: no barrier has them.
template <class T>
concept LooksLikeEngine = (requires { T::completion; }) || (requires { T::store_completion; });

/// Whether a type is a barrier. If it is not, one sentence names the first member of `Barrier` that is missing or has
/// another form.
template <class B>
[[nodiscard]] consteval bool keeps_barrier_contract() {
  if constexpr (LooksLikeEngine<B>) {
    static_assert(always_false<B>,
                  "dma::DmaPipeline: its third argument is a copy engine, where the barrier belongs; write "
                  "DmaPipeline<Pattern, Buffering, Barrier, Engine>");
  } else if constexpr (!requires { typename B::State; }) {
    static_assert(always_false<B>,
                  "dma::Barrier: this barrier has no 'State'; add 'struct State { ... };', what one synchronization "
                  "point keeps in shared memory, empty where it keeps nothing");
  } else if constexpr (!stdlib::is_trivially_default_constructible_v<typename B::State> ||
                       !stdlib::is_trivially_copyable_v<typename B::State>) {
    static_assert(always_false<B>,
                  "dma::Barrier: this barrier's 'State' is raw shared memory, so it must be trivial; leave "
                  "constructors and initializers out and set it up in open()");
  } else if constexpr (!requires { requires IsInt<decltype(B::ids)>; }) {
    static_assert(always_false<B>,
                  "dma::Barrier: this barrier has no 'ids'; add 'static constexpr int ids = ...;', the hardware "
                  "barriers that a synchronization point uses: 0 or 1");
  } else if constexpr (!requires { requires B::ids == 0 || B::ids == 1; }) {
    static_assert(always_false<B>,
                  "dma::Barrier: this barrier's 'ids' is neither 0 nor 1, and a synchronization point has one hardware "
                  "barrier at most; use one, or keep the rest in 'State'");
  } else if constexpr (!requires { requires stdlib::is_convertible_v<decltype(B::needs_drain), bool>; }) {
    static_assert(always_false<B>,
                  "dma::Barrier: this barrier has no 'needs_drain'; add 'static constexpr bool needs_drain = ...;', "
                  "true where arrivals without a wait would stay pending when the kernel ends");
  } else if constexpr (!requires { typename stdlib::integral_constant<bool, B::supports(Completion::sync)>; }) {
    static_assert(always_false<B>,
                  "dma::Barrier: this barrier has no 'supports'; add 'static constexpr bool "
                  "supports(dma::Completion)', whether it can guard slots of copies that complete so");
  } else if constexpr (!requires {
                         typename stdlib::integral_constant<bool, B::completes_asynchronously(Completion::sync)>;
                       }) {
    static_assert(always_false<B>,
                  "dma::Barrier: this barrier has no 'completes_asynchronously'; add 'static constexpr bool "
                  "completes_asynchronously(dma::Completion)', whether it tracks the end of such copies by itself");
  } else if constexpr (!BarrierOpens<B>) {
    static_assert(always_false<B>,
                  "dma::Barrier: this barrier has no 'open'; add 'template <dma::Participants participants, "
                  "dma::Completion completion> static void open(dma::BarrierPoint<State> point)'");
  } else if constexpr (!BarrierCloses<B>) {
    static_assert(always_false<B>,
                  "dma::Barrier: this barrier has no 'close'; add 'static void close(dma::BarrierPoint<State> "
                  "point)'");
  } else if constexpr (!BarrierArrives<B>) {
    static_assert(always_false<B>,
                  "dma::Barrier: this barrier has no 'arrive'; add 'template <dma::Participants participants, "
                  "dma::Lanes lanes> static void arrive(dma::BarrierPoint<State> point, const dma::machine::Site& "
                  "site)'");
  } else if constexpr (!BarrierWaits<B>) {
    static_assert(always_false<B>,
                  "dma::Barrier: this barrier has no 'wait'; add 'template <dma::Participants participants, "
                  "dma::Lanes lanes> static void wait(dma::BarrierPoint<State> point, unsigned parity, const "
                  "dma::machine::Site& site)'");
  } else if constexpr (!BarrierArrivesAfter<B, Completion::async_group> ||
                       !BarrierArrivesAfter<B, Completion::mbarrier_complete_tx>) {
    static_assert(always_false<B>,
                  "dma::Barrier: this barrier supports asynchronous copies and has no 'arrive_after'; add 'template "
                  "<dma::Completion completion, dma::Participants participants, dma::Lanes lanes> static void "
                  "arrive_after(dma::BarrierPoint<State> point, int bytes, const dma::machine::Site& site)', or return "
                  "false from 'supports'");
  } else if constexpr (!BarrierExpects<B>) {
    static_assert(always_false<B>,
                  "dma::Barrier: this barrier supports Completion::mbarrier_complete_tx and has no 'expect'; add "
                  "'static void expect(dma::BarrierPoint<State> point, int bytes, const dma::machine::Site& site)', or "
                  "return false from 'supports'");
  } else if constexpr (BarrierAnswers<B> && !BarrierPolls<B>) {
    static_assert(always_false<B>,
                  "dma::Barrier: this barrier's 'is_complete' has another form than the pipeline's; make it 'static "
                  "bool is_complete(dma::BarrierPoint<State> point, unsigned parity)', or give it another name");
  } else {
    return true;
  }
  return false;
}

/// A barrier whose wait for copies that it counts is another one than that for arrivals.
template <class B>
concept BarrierWaitsForCopies = requires(BarrierPoint<typename B::State> point, unsigned parity,
                                         const machine::Site& site) {
  B::template wait_for_copies<Participants{32, 32}, Lanes::converged>(point, parity, site);
};

/// Whose threads use a barrier: its `scope`, that of the CTA where it has none.
template <class B>
inline constexpr Scope scope_of = Scope::cta;
template <class B>
  requires requires { requires B::scope == Scope::cluster; }
inline constexpr Scope scope_of<B> = Scope::cluster;

/// CTAs of the cluster whose threads use a barrier: its `ctas`, 1 where it has none.
template <class B>
inline constexpr int ctas_of = 1;
template <class B>
  requires requires {
    { B::ctas } -> stdlib::convertible_to<int>;
  }
inline constexpr int ctas_of<B> = B::ctas;

/// The words of a pipeline's barriers; empty for barriers that keep none.
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

/// The words of a third point of each stage, where a pipeline has one.
template <class State, int Stages, bool IsUsed>
struct StoredStates {
  [[nodiscard]] DMA_HOST_DEVICE static State* stored(int /*stage*/) { return nullptr; }
};
template <class State, int Stages>
  requires(!stdlib::is_empty_v<State>)
struct StoredStates<State, Stages, true> {
  State stored_states[Stages];

  [[nodiscard]] DMA_HOST_DEVICE State* stored(int stage) { return stored_states + stage; }
};

}  // namespace detail

}  // namespace dma::inline v0_1
