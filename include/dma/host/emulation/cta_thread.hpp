#pragma once

#include <dma/host/emulation/contexts/exception_state.hpp>
#include <dma/host/emulation/contexts/fiber.hpp>
#include <dma/host/emulation/convergence.hpp>
#include <dma/host/emulation/copies_under_way.hpp>
#include <dma/host/emulation/cta_state.hpp>
#include <dma/host/emulation/grid_counters.hpp>
#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/line_of.hpp>
#include <dma/host/emulation/memory/emulator_memory.hpp>
#include <dma/host/emulation/named_barriers.hpp>
#include <dma/host/emulation/phase_barriers.hpp>
#include <dma/host/emulation/products/reading_thread.hpp>
#include <dma/host/emulation/run_watch.hpp>
#include <dma/host/emulation/slot_ledger.hpp>
#include <dma/host/emulation/watcher.hpp>
#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/index3.hpp>
#include <dma/machine/scope.hpp>
#include <dma/machine/site.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <utility>

namespace dma::inline v0_1::host::detail {

/// One thread of an emulated CTA: what the kernel asks of it. A stack that unwinds skips its barriers: their rules hold
/// only while nothing is thrown.
class CtaThread final : public ReadingThread {
 public:
  /// @pre `body` exists as long as the thread.
  CtaThread(CtaState& cta, int rank, const std::function<void()>& body, Watcher* watcher)
      : ReadingThread(cta, rank, body) {
    be_seen_by(watcher);
  }

  /// Pipelines that it has constructed.
  [[nodiscard]] std::size_t constructed() const noexcept { return constructed_; }
  /// Whether it has an address of another CTA's shared memory, since its last synchronization of the cluster.
  [[nodiscard]] bool reaches_peers() const noexcept { return reaches_peers_; }

  [[nodiscard]] int threads() const noexcept override { return cta_.shape.threads; }
  [[nodiscard]] Index3 block() const noexcept override { return cta_.shape.block; }
  [[nodiscard]] Index3 blocks() const noexcept override { return cta_.shape.blocks; }
  [[nodiscard]] void* shared() const noexcept override { return cta_.cluster.shared.of_cta(cta_index()); }
  [[nodiscard]] std::size_t shared_bytes() const noexcept override { return cta_.shape.shared_bytes; }
  [[nodiscard]] bool is_local(const void* address) const noexcept override {
    return stack().contains(reinterpret_cast<std::uintptr_t>(address));
  }

  void pipeline_opened(const machine::Site& pipeline, int /*stages*/, int /*slot_bytes*/) override {
    cta_.pipelines.add(pipeline, shared());
    works_on(pipeline);
    cta_.constructed.construct(constructed_++, rank(), caller());
  }
  /// Lanes may come one after another to calls of the compute side and to the explicit calls; those that load and store
  /// are made by converged lanes (`dma::Lanes`).
  void enters(machine::Call call) override {
    switch (call) {
      case machine::Call::load:
      case machine::Call::store:
        return warp().convergence.assume_converged(lane());
      case machine::Call::wait:
      case machine::Call::open_slots:
      case machine::Call::release:
      case machine::Call::compute_sync:
      case machine::Call::turn:
      case machine::Call::wait_to_move:
      case machine::Call::copy:
      case machine::Call::signal_moved:
      case machine::Call::end:
      case machine::Call::close:
        return warp().convergence.part(lane(), "each ran code of the kernel");
      default:
        return;
    }
  }

  [[nodiscard]] int cluster_rank() const noexcept override { return cta_.shape.index % cta_.cluster.cluster; }
  [[nodiscard]] int cluster_size() const noexcept override { return cta_.cluster.cluster; }
  [[nodiscard]] int cta_index() const noexcept override { return cta_.shape.index; }
  [[nodiscard]] int ctas_together() const noexcept override { return cta_.cluster.size; }
  [[nodiscard]] std::size_t cluster_pitch() const noexcept override { return cta_.cluster.shared.pitch(); }
  /// @throw KernelError  the cluster has no such CTA, it may not have started, or this CTA's `shared` is elsewhere
  [[nodiscard]] void* peer_address(void* shared, int rank) override {
    const auto offset = reinterpret_cast<std::uintptr_t>(shared) - reinterpret_cast<std::uintptr_t>(this->shared());
    if (rank < 0 || rank >= cluster_size() || offset >= shared_bytes()) {
      throw KernelError("dma::Cta: peer() was asked for CTA " + std::to_string(rank) + " of a cluster of " +
                        std::to_string(cluster_size()) +
                        (offset < shared_bytes() ? "; give a rank below cluster_size()"
                                                 : " and an address that is not in this CTA's shared memory; give it "
                                                   "the address of a member of Shared"));
    }
    if (rank != cluster_rank()) {
      if (!has_met_cluster_) {
        throw KernelError(
            "dma::Cta: a thread calls peer() before cta.cluster_sync(), when the other CTA may not have started; "
            "synchronize the cluster first");
      }
      reaches_peers_ = true;
    }
    return cta_.cluster.shared.of_cta(index_of(rank)) + offset;
  }
  void sync_cluster(bool /*releases*/) override {
    if (!is_unwinding()) {
      step_together(WarpStep::Kind::sync_cluster);
      has_met_cluster_ = true;
      reaches_peers_ = false;
      meet(cta_.cluster.meeting_of(cta_index()), {.point = machine::Point::cluster});
    }
  }
  void sync_cta() override { barrier_sync(0, threads(), {.point = machine::Point::cta}); }
  void sync_warp() override {
    if (!is_unwinding()) {
      step_together(WarpStep::Kind::sync_warp);
      meet(warp().meeting, {machine::Who::lanes, machine::Point::warp});
    }
  }
  void shuffle(void* value, std::size_t bytes, int source) override {
    if (!is_unwinding()) {
      auto& values = warp().values;
      const machine::Site site{machine::Who::lanes, machine::Point::warp};
      step_together(WarpStep::Kind::shuffle);
      std::memcpy(values[static_cast<std::size_t>(lane())].data(), value, bytes);
      meet(warp().meeting, site);
      std::memcpy(value, values[static_cast<unsigned>(source) % WarpState::lanes].data(), bytes);
      meet(warp().meeting, site);
    }
  }
  void sync_lanes(unsigned mask) override {
    if (!is_unwinding()) {
      meet(meeting_of(mask), {machine::Who::lanes, machine::Point::warp});
    }
  }
  void exchange(unsigned mask, const void* value, std::size_t bytes, void* values) override {
    if (is_unwinding()) {
      return;
    }
    if (mask == 0xffffffffU) {
      return exchange_with_warp(value, bytes, values);
    }
    auto& passed = warp().values;
    const machine::Site site{machine::Who::lanes, machine::Point::warp};
    NamedBarrier& meeting = warp().meeting_of(mask);
    std::memcpy(passed[static_cast<std::size_t>(lane())].data(), value, bytes);
    meet(meeting, site);
    for (std::size_t other = 0; other < WarpState::lanes; ++other) {
      std::memcpy(static_cast<unsigned char*>(values) + other * bytes, passed[other].data(), bytes);
    }
    meet(meeting, site);
  }
  void come_with_warp() override {
    if (!is_unwinding()) {
      step_together(WarpStep::Kind::shuffle);
      step();
    }
  }
  [[nodiscard]] bool elect() override {
    if (!is_unwinding()) {
      step_together(WarpStep::Kind::elect);
    }
    return lane() == 0;
  }

  void barrier_sync(int id, int threads, const machine::Site& site) override {
    if (!is_unwinding()) {
      step_together(WarpStep::Kind::barrier_sync, id, threads);
      meet(cta_.named_barriers.at(id, threads, site), site);
    }
  }
  void barrier_arrive(int id, int threads, const machine::Site& site) override {
    if (!is_unwinding()) {
      step_together(WarpStep::Kind::barrier_arrive, id, threads);
      cta_.named_barriers.at(id, threads, site).arrive();
      step();
    }
  }
  void claim_barriers(int first, int count) override { claimed_.claim(first, count, work(), cta_.pipelines); }
  void release_barriers(int first, int count) override { claimed_.release(first, count); }

  void slot_filled(const void* slot, const machine::TileShape& tile) override {
    cta_.filled_slots.fill(slot, tile, caller(), turns_.next(slot));
  }
  void slot_used(const void* slot, const machine::TileShape& tile) override { cta_.filled_slots.expect(slot, tile); }
  void slot_held(const void* slot, int bytes, machine::Holding holding) override {
    if (holding != machine::Holding::none) {
      slots_.acquire(slot);
    } else {
      expect_read(slot, bytes, "a slot is released");
      slots_.release(slot, bytes);
    }
  }
  void slot_moving(const void* slot, const void* global) override {
    slots_.begin_transfer(slot);
    cta_.moved_slots.move(slot, global, caller(), moves_.next(slot));
  }
  void slots_gone(const void* storage, int bytes) override {
    expect_read(storage, bytes, "a pipeline ends, or close() is called,");
    slots_.forget_all_within(storage, bytes);
    turns_.leave_pipeline();
    moves_.leave_pipeline();
  }

  [[nodiscard]] bool phase_is_complete(const void* barrier, unsigned parity) override {
    return static_cast<const PhaseWord*>(barrier)->has_completed(parity);
  }
  void await_landing(const void* barrier, unsigned parity) override {
    if (!is_unwinding()) {
      const auto& word = *static_cast<const PhaseWord*>(barrier);
      wait_until([&word, parity] { return word.has_completed(parity); },
                 {machine::Who::bulk_copies, machine::Point::full});
      warp().convergence.part(lane(), "each waited for a phase");
    }
  }
  void execute(const machine::Instruction& instruction) override {
    using machine::OperationKind;
    if (is_unwinding()) {
      return;
    }
    switch (instruction.kind) {
      case OperationKind::open:
        return cta_.phase_barriers.open(instruction.barrier, instruction.count);
      case OperationKind::close:
        return cta_.phase_barriers.close(instruction.barrier, cta_.pipelines);
      case OperationKind::phase_arrive:
        state_of(instruction).phase_barriers.arrive(barrier_of(instruction), instruction.site, instruction.drops);
        return step();
      case OperationKind::expect:
        return PhaseBarriers::at(barrier_of(instruction), instruction.site).expect(instruction.count);
      case OperationKind::wait:
        return wait_for_phase(instruction);
      case OperationKind::arrive_when_copied:
        cta_.copies.arrive_when_copied(account_, PhaseBarriers::at(instruction.barrier, instruction.site));
        return step();
      case OperationKind::arrive_when_multiplied:
        state_of(instruction).phase_barriers.arrive(barrier_of(instruction), instruction.site);
        return execute_reads(instruction);
      case OperationKind::copy_async:
        return cta_.copies.copy_async(account_, instruction);
      case OperationKind::copy_to_shared:
        // A copy into a CTA is one of those that it has under way: it may end after the CTA that has issued it.
        state_of(instruction).copies.bulk_to_shared(account_, instruction, bulk_copies_word(barrier_of(instruction)));
        return step();
      case OperationKind::copy_to_global:
        cta_.copies.bulk_to_global(account_, instruction);
        return step();
      case OperationKind::commit_group:
        return account_.bulk_groups.commit();
      case OperationKind::await_async:
        return wait_until([this] { return account_.async_copies == 0; }, instruction.site);
      case OperationKind::commit_async:
        return account_.async_groups.commit();
      case OperationKind::await_async_groups:
        return wait_until([this, pending = instruction.count] { return account_.async_groups.pending() <= pending; },
                          instruction.site);
      case OperationKind::await_groups:
      case OperationKind::await_group_reads:
        // A copy is made at once here, so that its reads and its writes end together.
        return wait_until([this, pending = instruction.count] { return account_.bulk_groups.pending() <= pending; },
                          instruction.site);
      default:
        return execute_reads(instruction);
    }
  }

  [[nodiscard]] bool starts_early() const noexcept override { return cta_.shape.starts_early; }
  void grid_dependency_wait() override {
    waits_for_grids_ = true;
    cta_.waits_for_grids = true;
  }
  void load_constants(bool does) override { loads_constants_ = does; }
  /// A thread may know of another's wait. Whether this one does, a proof judges.
  ///
  /// @throw KernelError  a body that may start early has not waited for the grids before
  void global_accessed(machine::Access access) override {
    warp().convergence.count_access(lane());
    if (loads_constants_ && access == machine::Access::read) {
      cta_.bounds.note_constant(cta_.shape.starts_early && !waits_for_grids_);
    } else if (cta_.shape.starts_early && !waits_for_grids_ && !is_unwinding()) {
      throw KernelError("dma::host: a thread of a body with programmatic_launch " +
                        std::string(access == machine::Access::read ? "reads" : "writes") +
                        " global memory before cta.grid_dependency_wait(), while the grids before may still use it; "
                        "call it first, in every thread, or synchronize with a thread that has");
    }
  }
  /// @throw OutOfBounds  it is not in an array that the launch names, or not in the CTA's shared memory
  void accesses_global(const void* place, std::size_t bytes, machine::Access access) override {
    if (!is_unwinding() && !cta_.bounds.allow(place, bytes, access)) {
      throw refuse_access([&] { return cta_.bounds.refusal(place, bytes, access); });
    }
  }
  /// @throw OutOfBounds
  void accesses_shared(const void* place, std::size_t bytes, machine::Access access) override {
    if (!is_unwinding() && !cta_.bounds.allow_shared(place, bytes)) {
      throw refuse_access([&] { return cta_.bounds.refusal_of_shared(place, bytes, access); });
    }
  }
  /// Ends the thread where it may not make the access. Code that calls this has no way out for an exception.
  void accesses(const void* place, std::size_t bytes, machine::Access access, const void* instruction) override {
    if (!is_unwinding() && !cta_.bounds.allow(place, bytes, access) && !is_of_library(place)) {
      const OutOfBounds error = refuse_access([&] { return cta_.bounds.refusal(place, bytes, access); });
      leave_for(error, instruction);
    }
  }
  void add_place(dma::detail::MessageText& message, const void* address) const override {
    const std::string place = address == nullptr  ? "0x0"
                              : is_local(address) ? "in local memory"
                                                  : cta_.bounds.name_of(address);
    message.add("%s", place.c_str());
  }
  void counter_used(const void* word, std::size_t bytes, const char* user) override {
    cta_.bounds.add_counter(word, bytes);
    if (GridCounters* const grid = GridCounters::running()) {
      grid->use(word, bytes, user);
    }
  }

  [[nodiscard]] bool takes_number(const void* word, int numbers) override {
    GridCounters* const grid = GridCounters::running();
    return grid == nullptr || grid->takes_number(word, numbers, block());
  }

  /// Called on any thread's stack: the copies touch slots that are hidden from the thread that runs.
  void finish_copies() override {
    cta_.running->hidden().end();
    cta_.copies.make_all();
    cta_.running->hidden().begin();
  }

 private:
  /// The memory of what lanes pass changes from one meeting to the next, so that one that is late finds it as it was.
  void exchange_with_warp(const void* value, std::size_t bytes, void* values) {
    step_together(WarpStep::Kind::shuffle);
    unsigned char* const passed = warp().passed[warp().meeting.generation % 2].data();
    std::memcpy(passed + static_cast<std::size_t>(lane()) * bytes, value, bytes);
    meet(warp().meeting, {machine::Who::lanes, machine::Point::warp});
    std::memcpy(values, passed, WarpState::lanes * bytes);
  }
  /// The index of a CTA of its cluster.
  [[nodiscard]] int index_of(int rank) const noexcept { return cta_index() - cluster_rank() + rank; }
  /// Where lanes of a mask meet. All of them are a step of the warp, a part of them is none.
  ///
  /// @pre The lane is among them.
  [[nodiscard]] NamedBarrier& meeting_of(unsigned mask) {
    if (mask != 0xffffffffU) {
      return warp().meeting_of(mask);
    }
    step_together(WarpStep::Kind::shuffle);
    return warp().meeting;
  }
  /// The CTA that has the phase barrier of an instruction.
  [[nodiscard]] CtaState& state_of(const machine::Instruction& instruction) {
    if (instruction.cta == machine::Instruction::own_cta) {
      return cta_;
    }
    cta_.signals_peers = true;
    static_cast<void>(barrier_of(instruction));  // Refuses a rank that the cluster does not have.
    return *cta_.cluster.ctas[static_cast<std::size_t>(index_of(instruction.cta))];
  }
  void wait_for_phase(const machine::Instruction& wait) {
    PhaseWord& word = PhaseBarriers::at(wait.barrier, wait.site);
    const auto parity = static_cast<unsigned>(wait.count);
    PassedWaits& passed = warp().passed_waits;
    wait_until([&] { return word.has_completed(parity) || passed.is_passed(lane(), &word, caller()); }, wait.site);
    passed.pass(lane(), &word, caller());
    word.pass();
    learn_of_products(&word);
    warp().convergence.part(lane(), "each waited for a phase");
    is_at_caller_ = false;  // Lanes may wait for a phase in different branches.
  }
  [[nodiscard]] static PhaseWord& bulk_copies_word(void* barrier) {
    return PhaseBarriers::at(barrier, {machine::Who::bulk_copies, machine::Point::full});
  }
  ClaimedBarriers claimed_;
  FillTurns turns_;
  FillTurns moves_;
  CopyAccount account_;
  bool has_met_cluster_ = false;  ///< has called sync_cluster()
  bool reaches_peers_ = false;
  std::size_t constructed_ = 0;  ///< pipelines
};

}  // namespace dma::inline v0_1::host::detail
