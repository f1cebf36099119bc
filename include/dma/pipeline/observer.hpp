#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/site.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/store.hpp>
#include <dma/standard.hpp>

/// The reports of a pipeline, its ring, its handles and its slots: which call a thread is in, which slot it waits for,
/// holds, moves and releases, and which bytes it touches. The host's emulator and the recorder read these reports.
/// Calls in the wrong order are reported here, where they are made.
namespace dma::inline v0_1::detail {

/// What a checked kernel and a host see of a ring's slots: who holds which, and calls in the wrong order.
template <class Pattern, int Stages, bool IsChecked = machine::checks_contracts>
class Observer;

/// Empty in a kernel that is not checked.
template <class Pattern, int Stages>
class Observer<Pattern, Stages, false> {
 public:
  DMA_HOST_DEVICE static void called_from(machine::SourceLocation) {}
  DMA_HOST_DEVICE static void works_on(machine::Call, const machine::Site&) {}
  DMA_HOST_DEVICE static void works_on(machine::Call, const machine::Site&, const machine::PipelineRecord&) {}
  DMA_HOST_DEVICE static void opened(const machine::Site&, int, const machine::PipelineRecord&, bool, int, int) {}
  DMA_HOST_DEVICE static void freed(const machine::PipelineRecord&) {}
  DMA_HOST_DEVICE static void closed(const void*, int, int, int) {}

  DMA_HOST_DEVICE void starts() {}
  DMA_HOST_DEVICE void finishes() {}
  DMA_HOST_DEVICE void transfers(int) const {}
  DMA_HOST_DEVICE void waits_to_move() {}
  DMA_HOST_DEVICE void copies() const {}
  DMA_HOST_DEVICE void signals() {}
  DMA_HOST_DEVICE static void moves(const void*, const void*) {}
  DMA_HOST_DEVICE static void loaded(const void*, const Pattern&, machine::SlotPlace) {}
  DMA_HOST_DEVICE static void stored(const void*, const Pattern&, machine::SlotPlace) {}

  DMA_HOST_DEVICE void opens(int) {}
  DMA_HOST_DEVICE void acquires(int) {}
  DMA_HOST_DEVICE static void holds(const void*) {}
  DMA_HOST_DEVICE static void uses(const void*, const Pattern&, machine::SlotPlace) {}
  DMA_HOST_DEVICE void releases(int, const void*) {}
  DMA_HOST_DEVICE void closes() {}
  DMA_HOST_DEVICE static void ends(const machine::PipelineRecord&, bool, int, int) {}

  DMA_HOST_DEVICE static void touches(void*, int = 0) {}
  DMA_HOST_DEVICE static void exposes(void*) {}
};

/// One thread's view of one pipeline. Slots from the 65th on are not tracked.
template <class Pattern, int Stages>
class Observer<Pattern, Stages, true> {
 public:
  /// The thread is in a library call made from this line.
  DMA_HOST_DEVICE static void called_from(machine::SourceLocation location) { machine::called_from(location); }
  /// The call is about this pipeline, and about this slot of it if it has one.
  DMA_HOST_DEVICE static void works_on(machine::Call call, const machine::Site& site) {
    machine::works_on(site);
    machine::enters(call, site);
  }
  /// The same after the pipeline's construction.
  DMA_HOST_DEVICE static void works_on(machine::Call call, const machine::Site& site,
                                       const machine::PipelineRecord& pipeline) {
    machine::works_on(site);
    machine::enters_again(call, site, pipeline);
  }

  /// A pipeline uses hardware barriers `first` to `first + count` - 1 from here on; its counterpart frees these and the
  /// storage. Where it keeps barriers in its storage, only close() does.
  DMA_HOST_DEVICE static void opened(const machine::Site& pipeline, int slot_bytes,
                                     const machine::PipelineRecord& record, bool keeps_barriers, int first_barrier,
                                     int barriers) {
    machine::pipeline_opened(pipeline, Stages, slot_bytes);
    machine::claim_storage(record, pipeline.storage, keeps_barriers);
    machine::claim_barriers(first_barrier, barriers);
  }
  DMA_HOST_DEVICE static void freed(const machine::PipelineRecord& pipeline) { machine::free_storage(pipeline); }
  DMA_HOST_DEVICE static void closed(const void* storage, int bytes, int first_barrier, int barriers) {
    machine::release_barriers(first_barrier, barriers);
    machine::slots_gone(storage, bytes);
  }

  // The DMA side waits for a slot, moves it and signals it, in one call or in three.

  /// A load in two phases, between which the thread moves no other tile of this pipeline.
  DMA_HOST_DEVICE void starts() {
    expect_nothing_started();
    has_started_ = true;
  }
  DMA_HOST_DEVICE void finishes() { has_started_ = false; }

  DMA_HOST_DEVICE void transfers(int stage) const {
    expect_open();
    expect_nothing_started();
    DMA_EXPECTS(!is_held(stage),
                "dma::DmaHandle: a thread moves a tile into or out of a slot that it still holds; release the slot "
                "first");
  }
  DMA_HOST_DEVICE void waits_to_move() {
    expect_open();
    expect_nothing_started();
    may_move_ = true;
  }
  DMA_HOST_DEVICE void copies() const {
    DMA_EXPECTS(may_move_,
                "dma::DmaHandle: copy() into or out of a slot that was not waited for; call wait_until_empty(), or "
                "wait_until_full() in a pipeline that stores, before it");
  }
  DMA_HOST_DEVICE void signals() {
    DMA_EXPECTS(may_move_,
                "dma::DmaHandle: a slot is signalled that was not waited for, or twice; call signal_full() or "
                "signal_empty() once after each wait");
    may_move_ = false;
  }
  /// The engine begins to move a tile; the other functions, it has moved it. `global` is null for a map.
  DMA_HOST_DEVICE static void moves(const void* slot, const void* global) { machine::slot_moving(slot, global); }
  DMA_HOST_DEVICE static void loaded(const void* slot, const Pattern& pattern, machine::SlotPlace place) {
    machine::slot_filled(slot, pattern.size(), runs_of(pattern), place);
  }
  DMA_HOST_DEVICE static void stored(const void* slot, const Pattern& pattern, machine::SlotPlace place) {
    machine::slot_used(slot, pattern.size(), runs_of(pattern), place);
    machine::slot_emptied(place);
  }

  // The compute side holds a slot between its wait and its release.

  /// The compute warps hold a slot that begins with them.
  DMA_HOST_DEVICE void opens(int stage) {
    expect_open();
    DMA_EXPECTS((opened_ & bit(stage)) == 0,
                "dma::cudadma::open_slots: it is called a second time, when the slots are already loaded; call it "
                "once, before the first wait()");
    opened_ |= bit(stage);
    held_ |= bit(stage);
  }
  DMA_HOST_DEVICE void acquires(int stage) {
    expect_open();
    DMA_EXPECTS(!is_held(stage),
                "dma::ComputeHandle: a thread waits for a slot that it holds, which is never moved before it is "
                "released; release a slot first (release(), signal_empty(), signal_full()), or use more stages");
    held_ |= bit(stage);
  }
  DMA_HOST_DEVICE static void holds(const void* slot) {
    machine::slot_held(slot, Pattern::tile_bytes, is_store<Pattern> ? machine::Holding::empty : machine::Holding::full);
  }
  /// The bytes that the compute warps read or fill.
  DMA_HOST_DEVICE static void uses(const void* slot, const Pattern& pattern, machine::SlotPlace place) {
    if constexpr (is_store<Pattern>) {
      machine::slot_filled(slot, pattern.size(), runs_of(pattern), place);
    } else {
      machine::slot_used(slot, pattern.size(), runs_of(pattern), place);
    }
  }
  DMA_HOST_DEVICE void releases(int stage, const void* slot) {
    // Where an error unwinds the stack, the scopes of other slots end: a second error there would end the process.
    DMA_EXPECTS(is_held(stage) || bit(stage) == 0 || machine::is_unwinding(),
                "dma::ComputeHandle: a slot is released that was not waited for, or twice; call signal_empty() or "
                "signal_full() once after each wait");
    held_ &= ~bit(stage);
    machine::slot_held(slot, Pattern::tile_bytes, machine::Holding::none);
  }
  DMA_HOST_DEVICE void closes() {
    DMA_EXPECTS(held_ == 0, "dma::DmaPipeline: close() while this thread holds a slot; release the slot first");
    is_closed_ = true;
  }

  /// A warp has ended the pipeline: it has filled and used all tiles before these positions, modulo two rounds of the
  /// slots. Both are the same, in all warps that take part.
  DMA_HOST_DEVICE static void ends(const machine::PipelineRecord& pipeline, bool takes_part, int filled, int used) {
    machine::ends(pipeline, takes_part, filled, used);
  }

  /// The thread has obtained a reference to an element or a vector, or the address of the whole tile.
  DMA_HOST_DEVICE static void touches(void* element, int bytes = element_bytes) {
    machine::touched(element, bytes, access);
  }
  DMA_HOST_DEVICE static void exposes(void* tile) {
    machine::exposed(tile, Pattern::tile_bytes, element_bytes, access);
  }

 private:
  static constexpr int element_bytes = int{sizeof(typename Pattern::Element)};
  /// How a reference into the tile is used, unless the bytes change: then it is a write.
  static constexpr machine::Access access = is_store<Pattern> ? machine::Access::write : machine::Access::either;

  [[nodiscard]] DMA_HOST_DEVICE static constexpr stdlib::uint64_t runs_of([[maybe_unused]] const Pattern& pattern) {
    if constexpr (machine::compares_tiles) {
      return hash_of_runs(pattern);
    } else {
      return 0;
    }
  }

  /// Of a few stages in one register.
  using StageSet = stdlib::conditional_t<(Stages > 32), unsigned long long, unsigned>;

  [[nodiscard]] DMA_HOST_DEVICE static constexpr StageSet bit(int stage) noexcept {
    return Stages <= 64 || stage < 64 ? StageSet{1} << stage : 0;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_held(int stage) const noexcept { return (held_ & bit(stage)) != 0; }

  DMA_HOST_DEVICE void expect_open() const {
    DMA_EXPECTS(!is_closed_,
                "dma::DmaPipeline: a tile is moved, or waited for, after close(), which has freed the storage and its "
                "barriers; call close() after the last tile, or construct another pipeline there");
  }
  DMA_HOST_DEVICE void expect_nothing_started() const {
    DMA_EXPECTS(!has_started_,
                "dma::DmaHandle: a tile is moved while a load of this pipeline is started and not finished; call "
                "finish() of what start_load() returned first");
  }

  StageSet held_ = 0;
  StageSet opened_ = 0;
  bool may_move_ = false;
  bool has_started_ = false;
  bool is_closed_ = false;
};

}  // namespace dma::inline v0_1::detail
