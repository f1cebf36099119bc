#pragma once

#include <dma/buffering/buffering.hpp>
#include <dma/buffering/used_by.hpp>
#include <dma/config.hpp>
#include <dma/default_policies.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/pattern_contract.hpp>
#include <dma/patterns/store.hpp>
#include <dma/pipeline/compute_handle.hpp>
#include <dma/pipeline/compute_side.hpp>
#include <dma/pipeline/slot.hpp>
#include <dma/pipeline/slot_ring.hpp>
#include <dma/roles/take_roles.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/standard.hpp>
#include <dma/sync/barrier.hpp>

namespace dma::inline v0_1 {

namespace detail {

/// One side of a hand-off as a `ComputeHandle` sees it: a pipeline that stores to the producers, where the pattern is a
/// `Store`, one that loads to the consumers.
///
/// @param T  as `PipelineTypes`, with the `group` of this side
template <class T, class Base = SharedRing<T>>
class HandOffSide : public ComputeSide<T, Base> {
  using Side = ComputeSide<T, Base>;

 public:
  using Pattern = typename T::Pattern;
  using Layout = typename T::Ring::Layout;
  using Users = OneComputeGroup<Layout, T::group>;

  static constexpr bool is_store = detail::is_store<Pattern>;
  static constexpr bool slots_begin_held = false;
  // Threads write the tile: `AsyncReads::begin` asks.
  static constexpr Completion completion = T::completion;
  using Source = const typename Pattern::Element*;

 protected:
  using Side::observer_;
  using Side::Side;
  using typename Side::Observer;

  DMA_HOST_DEVICE void closes() {
    // Of this side; the other one has an observer of its own.
    observer_.closes();
  }

 private:
  friend class ComputeHandle<HandOffSide>;
  friend class Slot<HandOffSide>;
};

}  // namespace detail

/// Two compute groups of a `WarpLayout`, counted from 0: the one that hands tiles over, and the one that takes them.
struct FromTo {
  int from;
  int to;
};

namespace detail {

/// The buffering of a hand-off: slots that one compute group fills and another one uses.
template <FromTo Groups, Buffering B>
struct HandedOver : B {
  using Layout = typename B::Layout;

  static_assert(Groups.from >= 0 && Groups.to >= 0 && Groups.from < Layout::compute_groups &&
                    Groups.to < Layout::compute_groups,
                "dma::HandOff: the layout has no compute group of this number, which counts from 0; add a "
                "dma::Compute<...> to the WarpLayout, or name another group");
  static_assert(Groups.from != Groups.to,
                "dma::HandOff: a compute group hands over to itself, which would wait for itself; name two groups, or "
                "keep the tile in shared memory of the kernel's own");
  static_assert(B::groups == 1 && !slots_begin_held<B>,
                "dma::HandOff: no DMA group fills its slots, and they begin empty; give it a dma::MultiBuffer of one "
                "group, without dma::cudadma::BeginsHeld");
  static constexpr int filled_by = Groups.from;
  static constexpr int used_by = Groups.to;
};

/// What `PipelineTypes` is to a pipeline.
template <class Owner_, class Pattern_, class Buffering_, class Sync_>
struct HandOffTypes {
  using Owner = Owner_;
  using Pattern = Pattern_;
  using Buffering = Buffering_;
  using Sync = Sync_;
  using Ring = SlotRing<HandOffTypes>;

  static constexpr Completion completion = Completion::sync;
  static constexpr Completion store_completion = Completion::sync;

  DMA_HOST_DEVICE static void expect_group(bool is_of_this_side) {
    DMA_EXPECTS(is_of_this_side,
                "dma::HandOff: wait() is for the compute group of this side; take the handle from as_producer() or "
                "as_consumer() in one of its warps");
  }
};
/// The types of the side that takes filled slots.
template <class T>
struct ConsumerTypes : T {
  static constexpr int group = T::Buffering::used_by;
  DMA_HOST_DEVICE static void expect_waits(const typename T::Ring& ring) { T::expect_group(ring.computes()); }
};
/// The types of the side that fills slots.
template <class T>
struct ProducerTypes : T {
  using Pattern = Store<typename T::Pattern>;
  static constexpr int group = T::Buffering::filled_by;
  DMA_HOST_DEVICE static void expect_waits(const typename T::Ring& ring) { T::expect_group(ring.moves()); }
};
/// The side of a hand-off that takes filled slots, over `HandOffTypes`.
template <class T>
using HandOffConsumer = HandOffSide<ConsumerTypes<T>>;
/// The side that fills slots, with the other one behind it.
template <class T>
using HandOffProducer = HandOffSide<ProducerTypes<T>, HandOffConsumer<T>>;

}  // namespace detail

/// Tiles that compute group `Groups.from` fills and compute group `Groups.to` uses, through slots in shared memory,
/// with no engine and no DMA warps: softmax to the matrix product, one stage of a transform to the next.
///
///     using Layout = dma::WarpLayout<dma::Compute<4>, dma::Compute<4>, dma::Dma<1>>;
///     using Scores = dma::HandOff<Tile, dma::FromTo{.from = 0, .to = 1}, dma::MultiBuffer<Layout, 2>>;
///     ...
///     Scores scores(cta, shared.scores);             // all threads of the CTA, as for a pipeline
///     auto slot = scores.as_producer().wait();       // group 0: an empty slot, to be filled
///     auto slot = scores.as_consumer().wait();       // group 1: the same slot, full
///
/// Both handles are `ComputeHandle`s. Each side waits for the same number of tiles, in order; the end of a slot's scope
/// hands it over, or gives it back.
///
/// Over `NamedBarrier` it uses the barriers of the DMA group that the buffering names, as a pipeline of that group
/// does.
///
/// Cost    no copy between global and shared memory, no DMA warp: for each tile a wait and an arrival on each side
///
/// @pre Where tensor cores read a slot, the consumers call `AsyncReads::begin` after their wait.
template <class Pattern_, FromTo Groups, class Buffering, class Sync = DefaultBarrier>
  requires(detail::keeps_pattern_contract<Pattern_>() && detail::keeps_buffering_contract<Buffering>() &&
           detail::keeps_barrier_contract<Sync>())
class HandOff : detail::HandOffProducer<detail::HandOffTypes<HandOff<Pattern_, Groups, Buffering, Sync>, Pattern_,
                                                             detail::HandedOver<Groups, Buffering>, Sync>> {
  using Types = detail::HandOffTypes<HandOff, Pattern_, detail::HandedOver<Groups, Buffering>, Sync>;

  static_assert(!detail::is_store<Pattern_>,
                "dma::HandOff: nothing is stored to global memory, so its pattern is the tile itself; leave dma::Store "
                "out");
  static_assert(!detail::is_update<Pattern_>,
                "dma::HandOff: nothing is loaded from global memory or stored there, so its pattern is the tile "
                "itself; leave dma::Update out");

 public:
  using Pattern = Pattern_;
  using Consumer = detail::HandOffConsumer<Types>;
  using Producer = detail::HandOffProducer<Types>;
  using Ring = typename Types::Ring;
  using Layout = typename Ring::Layout;
  using Storage = typename Ring::Storage;

  static constexpr int stages = Ring::stages;
  static constexpr int barrier_ids = Ring::barrier_ids;              ///< named barriers that it uses
  static constexpr int reserved_barriers = Ring::reserved_barriers;  ///< that the assembler reserves for it in a CTA

  static_assert(stages <= Ring::most_stages,
                "dma::HandOff: its stages need more named barriers than the share of the DMA group that its buffering "
                "names; use fewer stages, or dma::CudaBarrier");
  static_assert(sizeof(Storage) <= detail::max_shared_bytes,
                "dma::HandOff: its stages need more shared memory than the 227 KB that a CTA can have; use fewer "
                "stages or a smaller tile");

  /// Collective over the CTA, before warps take their roles.
  template <class Kernel>
  DMA_HOST_DEVICE HandOff(const KernelCta<Kernel>& cta, Storage& storage,
                          machine::SourceLocation caller = machine::SourceLocation::here())
      : HandOff(static_cast<const Cta&>(cta), storage, caller) {
    static_assert(stdlib::is_same_v<Layout, typename Kernel::Layout>,
                  "dma::HandOff: its WarpLayout is not the kernel body's Layout, so they would disagree on each warp's "
                  "role; use one layout for all pipelines of a kernel");
  }
  DMA_HOST_DEVICE HandOff(const Cta& cta, Storage& storage,
                          machine::SourceLocation caller = machine::SourceLocation::here())
      : Producer(cta, storage, caller) {}
  HandOff(const HandOff&) = delete;
  HandOff& operator=(const HandOff&) = delete;
  /// On a host a wait can throw, to report a deadlock.
  DMA_HOST_DEVICE ~HandOff() noexcept(false) {
    machine::called_from(machine::SourceLocation{});
    ring_.works_on(machine::Call::end);
    ring_.drain();
    ring_.end();
    ring_.leave_storage();
  }

  /// Ends the hand-off before the end of its scope and frees its storage. Collective over the CTA.
  ///
  /// @pre No slot is held.
  DMA_HOST_DEVICE void close(machine::SourceLocation caller = machine::SourceLocation::here()) {
    machine::called_from(caller);
    ring_.works_on(machine::Call::close);
    Producer::closes();
    Consumer::closes();
    machine::fence_async_proxy();  // The next pipeline in this storage may move its tiles by bulk copies.
    ring_.drain();
    ring_.end();
    ring_.close_barriers();
  }

  [[nodiscard]] DMA_HOST_DEVICE bool is_producer() const { return ring_.moves(); }
  [[nodiscard]] DMA_HOST_DEVICE bool is_consumer() const { return ring_.computes(); }

  /// @pre is_producer()
  [[nodiscard]] DMA_HOST_DEVICE ComputeHandle<Producer> as_producer(
      machine::SourceLocation caller = machine::SourceLocation::here()) {
    machine::called_from(caller);
    ring_.works_on(machine::Call::as_compute);
    DMA_EXPECTS(is_producer(),
                "dma::HandOff: as_producer() is for the compute group that fills the slots; ask is_producer() first");
    detail::expect_budget_taken<Layout>();
    return ComputeHandle<Producer>(*this);
  }
  /// @pre is_consumer()
  [[nodiscard]] DMA_HOST_DEVICE ComputeHandle<Consumer> as_consumer(
      machine::SourceLocation caller = machine::SourceLocation::here()) {
    machine::called_from(caller);
    ring_.works_on(machine::Call::as_compute);
    DMA_EXPECTS(is_consumer(),
                "dma::HandOff: as_consumer() is for the compute group that uses the slots; ask is_consumer() first");
    detail::expect_budget_taken<Layout>();
    return ComputeHandle<Consumer>(*this);
  }

 private:
  using Producer::ring_;
};

}  // namespace dma::inline v0_1
