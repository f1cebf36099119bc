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
#include <dma/host/emulation/reads_under_way.hpp>
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

/// One thread of an emulated CTA: a fiber that runs until it has to wait. A stack that unwinds skips its barriers:
/// their rules hold only while nothing is thrown.
class CtaThread final : public machine::EmulatedThread {
 public:
  /// @pre `body` exists as long as the thread.
  CtaThread(CtaState& cta, int rank, const std::function<void()>& body, Watcher* watcher)
      : cta_(cta),
        rank_(rank),
        watcher_(watcher),
        seen_(watcher == nullptr ? this : &watcher->watch(*this)),
        fiber_([this, &body] {
          body();
          reads_.expect_none();
          end_watch();
          this->warp().convergence.end(this->lane());
        }) {}

  // For the scheduler.

  [[nodiscard]] bool is_started() const noexcept { return fiber_.is_started(); }
  [[nodiscard]] bool is_finished() const noexcept { return fiber_.is_finished(); }
  /// Whether it was left in its middle, since it exceeded a limit.
  [[nodiscard]] bool is_left() const noexcept { return fiber_.is_abandoned() && refused_.error == nullptr; }
  /// What the kernel threw, or why the thread was ended; null where neither.
  [[nodiscard]] std::exception_ptr error() const noexcept {
    return refused_.error == nullptr ? fiber_.error() : refused_.error;
  }
  /// The address behind the access for which the thread was ended, null where it was not.
  [[nodiscard]] const void* refused_instruction() const noexcept { return refused_.instruction; }
  /// Whether the thread does not wait, or what it waits for has happened.
  [[nodiscard]] bool can_continue() const { return !condition_ || condition_(); }
  /// What it waits for.
  [[nodiscard]] const machine::Site& site() const noexcept { return site_; }
  /// The call that it is in, and the pipeline and the slot of that call.
  [[nodiscard]] const machine::SourceLocation& caller() const noexcept { return caller_; }
  [[nodiscard]] const machine::Site& work() const noexcept { return work_; }
  /// Pipelines that it has constructed.
  [[nodiscard]] std::size_t constructed() const noexcept { return constructed_; }
  /// Whether it has an address of another CTA's shared memory, since its last synchronization of the cluster.
  [[nodiscard]] bool reaches_peers() const noexcept { return reaches_peers_; }
  /// Runs the thread until it has to wait or ends.
  void resume() {
    machine::EmulatedThread* const outer = std::exchange(machine::running_thread, seen_);
    const StackRange outer_stack = std::exchange(running_stack, fiber_.stack());
    cta_.running = &slots_;
    slots_.hidden().begin();
    auto* const outer_name = std::exchange(dma::detail::add_name_of_address, &CtaThread::add_name);
    EmulatorMemory::leave_stack_at(__builtin_frame_address(0));
    cta_.watch->resume(fiber_);
    dma::detail::add_name_of_address = outer_name;
    slots_.hidden().end();
    running_stack = outer_stack;
    machine::running_thread = outer;
  }

  // For the kernel.

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int threads() const noexcept override { return cta_.shape.threads; }
  [[nodiscard]] Index3 block() const noexcept override { return cta_.shape.block; }
  [[nodiscard]] Index3 blocks() const noexcept override { return cta_.shape.blocks; }
  [[nodiscard]] void* shared() const noexcept override { return cta_.cluster.shared.of_cta(cluster_rank()); }
  [[nodiscard]] std::size_t shared_bytes() const noexcept override { return cta_.shape.shared_bytes; }
  [[nodiscard]] bool is_local(const void* address) const noexcept override {
    return fiber_.stack().contains(reinterpret_cast<std::uintptr_t>(address));
  }

  void pipeline_opened(const machine::Site& pipeline, int /*stages*/, int /*slot_bytes*/) override {
    cta_.pipelines.add(pipeline, shared());
    works_on(pipeline);
    cta_.constructed.construct(constructed_++, rank_, caller_);
  }
  /// A stack that unwinds calls destructors; what threw is before them.
  void called_from(const machine::SourceLocation& caller) override {
    if (!is_unwinding()) {
      caller_ = caller;
      is_at_caller_ = true;
      work_ = {};
    }
  }
  void works_on(const machine::Site& site) override {
    if (!is_unwinding()) {
      work_ = site;
    }
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

  [[nodiscard]] int cluster_rank() const noexcept override { return cta_.shape.cluster_rank; }
  [[nodiscard]] int cluster_size() const noexcept override { return cta_.cluster.size; }
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
    return cta_.cluster.shared.of_cta(rank) + offset;
  }
  void sync_cluster() override {
    if (!is_unwinding()) {
      step_together(WarpStep::Kind::sync_cluster);
      has_met_cluster_ = true;
      reaches_peers_ = false;
      meet(cta_.cluster.meeting, {.point = machine::Point::cluster});
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
  void claim_barriers(int first, int count) override { claimed_.claim(first, count, work_, cta_.pipelines); }
  void release_barriers(int first, int count) override { claimed_.release(first, count); }

  void slot_filled(const void* slot, const machine::TileShape& tile) override {
    cta_.filled_slots.fill(slot, tile, caller_, turns_.next(slot));
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
    cta_.moved_slots.move(slot, global, caller_, moves_.next(slot));
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
        state_of(instruction).phase_barriers.arrive(barrier_of(instruction), instruction.site);
        return step();
      case OperationKind::expect:
        return PhaseBarriers::at(instruction.barrier, instruction.site).expect(instruction.count);
      case OperationKind::wait:
        return wait_for_phase(instruction);
      case OperationKind::arrive_when_copied:
        cta_.copies.arrive_when_copied(account_, PhaseBarriers::at(instruction.barrier, instruction.site));
        return step();
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
        return CopiesUnderWay::commit_bulk_group(account_);
      case OperationKind::await_async:
        return wait_until([this] { return account_.async_copies == 0; }, instruction.site);
      case OperationKind::await_groups:
      case OperationKind::await_group_reads:
        // A copy is made at once here, so that its reads and its writes end together.
        return wait_until([this, pending = instruction.count] { return account_.pending_groups() <= pending; },
                          instruction.site);
      case OperationKind::read_async:
        return reads_.begin(instruction.from, instruction.count, caller_);
      case OperationKind::commit_reads:
        return commit_reads();
      case OperationKind::await_reads:
        return wait_for_reads(instruction.count);
      default:
        return;
    }
  }

  [[nodiscard]] bool starts_early() const noexcept override { return cta_.shape.starts_early; }
  void grid_dependency_wait() override {
    waits_for_grids_ = true;
    cta_.waits_for_grids = true;
  }
  /// A thread may know of another's wait. Whether this one does, a proof judges.
  ///
  /// @throw KernelError  a body that may start early has not waited for the grids before
  void global_accessed(machine::Access access) override {
    warp().convergence.count_access(lane());
    if (cta_.shape.starts_early && !waits_for_grids_ && !is_unwinding()) {
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
      refused_ = {std::make_exception_ptr(error), instruction};
      fiber_.abandon();
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
  void pause() override {
    fiber_.suspend();
    if (cta_.is_cancelled) {
      throw Cancelled{};
    }
  }

 private:
  /// Says an address in a message of the thread that runs, the same in each process.
  static void add_name(dma::detail::MessageText& message, const void* address) {
    machine::EmulatedThread* const seen = std::exchange(machine::running_thread, nullptr);
    seen->add_place(message, address);
    machine::running_thread = seen;
  }
  /// Thrown in the threads of a CTA that ends early, so that their stacks unwind.
  struct Cancelled {};
  /// An access that the thread may not make.
  struct Refused {
    std::exception_ptr error;
    const void* instruction = nullptr;
  };

  void end_watch() {
    if (watcher_ != nullptr) {
      watcher_->end_thread(*seen_);
    }
  }
  /// Ends what watches the thread, and says what is wrong with the access. What that accesses itself is not seen.
  template <class Refusal>
  [[nodiscard]] OutOfBounds refuse_access(const Refusal& refusal) {
    const RunWatch::Section section;
    machine::EmulatedThread* const seen = std::exchange(machine::running_thread, nullptr);
    end_watch();
    OutOfBounds error(refusal());
    machine::running_thread = seen;
    return error;
  }

  [[nodiscard]] WarpState& warp() const noexcept {
    return cta_.warps[static_cast<std::size_t>(rank_ / WarpState::lanes)];
  }
  [[nodiscard]] int lane() const noexcept { return rank_ % WarpState::lanes; }
  /// Before an operation of all lanes of the warp.
  void step_together(WarpStep::Kind kind, int barrier = 0, int threads = 0) {
    warp().convergence.step(lane(), {kind, barrier, threads, is_at_caller_ ? caller_ : machine::SourceLocation{}});
  }
  /// A GPU has no such instruction for a part of a warpgroup.
  void expect_warpgroup() const {
    constexpr int warpgroup = 128;
    if (threads() < (rank_ / warpgroup + 1) * warpgroup) {
      throw KernelError(
          "dma::AsyncReads: products are made by warpgroups of four warps, and the CTA ends inside this one; use a "
          "multiple of four compute warps");
    }
  }
  /// Where an error unwinds the stack, the scopes of slots end too.
  void expect_read(const void* place, int bytes, const char* what) const {
    if (!is_unwinding()) {
      reads_.expect_over(place, bytes, what);
    }
  }
  /// The CTA that has the phase barrier of an instruction.
  [[nodiscard]] CtaState& state_of(const machine::Instruction& instruction) {
    if (instruction.cta == machine::Instruction::own_cta) {
      return cta_;
    }
    cta_.signals_peers = true;
    static_cast<void>(barrier_of(instruction));  // Refuses a rank that the cluster does not have.
    return *cta_.cluster.ctas[static_cast<std::size_t>(instruction.cta)];
  }
  void wait_for_phase(const machine::Instruction& wait) {
    PhaseWord& word = PhaseBarriers::at(wait.barrier, wait.site);
    const auto parity = static_cast<unsigned>(wait.count);
    wait_until([&word, parity] { return word.has_completed(parity); }, wait.site);
    word.pass();
    warp().convergence.part(lane(), "each waited for a phase");
    is_at_caller_ = false;  // Lanes may wait for a phase in different branches.
  }
  void commit_reads() {
    expect_warpgroup();
    step_together(WarpStep::Kind::commit_reads);
    reads_.commit();
    step();
  }
  void wait_for_reads(int pending) {
    expect_warpgroup();
    step_together(WarpStep::Kind::await_reads, 0, pending);
    reads_.wait(pending);
    step();
  }
  [[nodiscard]] static PhaseWord& bulk_copies_word(void* barrier) {
    return PhaseBarriers::at(barrier, {machine::Who::bulk_copies, machine::Point::full});
  }
  void meet(NamedBarrier& barrier, const machine::Site& site) {
    const unsigned generation = barrier.generation;
    barrier.arrive();
    wait_until([&barrier, generation] { return barrier.generation != generation; }, site);
  }
  /// Lets other threads run until `holds()`.
  template <class Condition>
  void wait_until(const Condition& holds, const machine::Site& site) {
    if (!holds()) {
      site_ = site;
      condition_ = holds;
      while (!holds()) {
        pause();
      }
      condition_ = nullptr;
    }
    waits_for_grids_ = waits_for_grids_ || cta_.waits_for_grids;
    step();
  }
  /// After an operation: lets other threads run where threads go on by the operation.
  void step() {
    if (cta_.order.is_by_operation() && !is_unwinding()) {
      fiber_.suspend();
      if (cta_.is_cancelled) {
        throw Cancelled{};
      }
      seen_->others_ran();
    }
  }

  CtaState& cta_;
  int rank_;
  ClaimedBarriers claimed_;
  HeldSlots slots_;
  FillTurns turns_;
  FillTurns moves_;
  CopyAccount account_;
  ReadsUnderWay reads_;
  machine::Site site_;
  machine::SourceLocation caller_;
  bool waits_for_grids_ = false;  ///< has called grid_dependency_wait(), or may know of a thread that has
  bool is_at_caller_ = false;     ///< what the thread does is at that line
  bool has_met_cluster_ = false;  ///< has called sync_cluster()
  bool reaches_peers_ = false;
  std::size_t constructed_ = 0;  ///< pipelines
  machine::Site work_;
  std::function<bool()> condition_;  ///< what the thread waits for; empty where it waits for nothing
  Refused refused_;
  Watcher* watcher_;               ///< null where none watches
  machine::EmulatedThread* seen_;  ///< by the kernel: the thread itself, or what watches it
  Fiber fiber_;
};

}  // namespace dma::inline v0_1::host::detail
