#pragma once

#include <dma/host/emulation/contexts/exception_state.hpp>
#include <dma/host/emulation/contexts/fiber.hpp>
#include <dma/host/emulation/convergence.hpp>
#include <dma/host/emulation/cta_state.hpp>
#include <dma/host/emulation/memory/emulator_memory.hpp>
#include <dma/host/emulation/named_barriers.hpp>
#include <dma/host/emulation/run_watch.hpp>
#include <dma/host/emulation/slot_ledger.hpp>
#include <dma/host/emulation/watcher.hpp>
#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/index3.hpp>
#include <dma/machine/site.hpp>

#include <cstddef>
#include <exception>
#include <functional>
#include <utility>

namespace dma::inline v0_1::host::detail {

/// A thread of an emulated CTA as its scheduler sees it: a fiber that runs until it has to wait, and what it waits for.
/// A derived class does the operations of the kernel.
class WaitingThread : public machine::EmulatedThread {
 public:
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
  [[nodiscard]] bool can_continue() const {
    return condition_ == nullptr || fiber_.is_abandoned() || condition_(condition_of_);
  }
  /// What it waits for.
  [[nodiscard]] const machine::Site& site() const noexcept { return site_; }
  /// The call that it is in, and the pipeline and the slot of that call.
  [[nodiscard]] const machine::SourceLocation& caller() const noexcept { return caller_; }
  [[nodiscard]] const machine::Site& work() const noexcept { return work_; }
  /// Runs the thread until it has to wait or ends.
  void resume() {
    machine::EmulatedThread* const outer = std::exchange(machine::running_thread, seen_);
    const StackRange outer_stack = std::exchange(running_stack, fiber_.stack());
    cta_.running = &slots_;
    slots_.hidden().begin();
    auto* const outer_name = std::exchange(dma::detail::add_name_of_address, &WaitingThread::add_name);
    EmulatorMemory::leave_stack_at(__builtin_frame_address(0));
    cta_.watch->resume(fiber_);
    dma::detail::add_name_of_address = outer_name;
    slots_.hidden().end();
    running_stack = outer_stack;
    machine::running_thread = outer;
  }

  [[nodiscard]] int rank() const noexcept final { return rank_; }
  void count_lanes_as_together() final { warp().passed_waits.begin(); }
  void leave_pending() final { cta_.leaves_pending = true; }
  [[nodiscard]] bool cancels_cluster(Index3& first) final { return !is_unwinding() && cta_.cancels_cluster(first); }
  void learns_of_response(bool is_cancelled) final { cta_.has_seen_failure = cta_.has_seen_failure || !is_cancelled; }
  /// A stack that unwinds calls destructors; what threw is before them.
  void called_from(const machine::SourceLocation& caller) final {
    if (!is_unwinding()) {
      caller_ = caller;
      is_at_caller_ = true;
      work_ = {};
    }
  }
  void works_on(const machine::Site& site) final {
    if (!is_unwinding()) {
      work_ = site;
    }
  }
  void await(bool (*holds)(const void*), const void* object, bool may_throw) final {
    condition_ = holds;
    condition_of_ = object;
    site_ = {.point = machine::Point::each_other};
    while (!holds(object)) {
      fiber_.suspend();
      if (cta_.is_cancelled) {
        if (may_throw) {
          throw Cancelled{};
        }
        fiber_.give_up();
      }
    }
    condition_ = nullptr;
  }
  void pause() final {
    fiber_.suspend();
    if (cta_.is_cancelled) {
      throw Cancelled{};
    }
  }

 protected:
  /// @param finish  called at the end of `body`, which exists as long as the thread
  template <class Finish>
  WaitingThread(CtaState& cta, int rank, const std::function<void()>& body, const Finish& finish)
      : cta_(cta), rank_(rank), fiber_([this, &body, finish] {
          body();
          finish();
          end_watch();
          this->warp().convergence.end(this->lane());
        }) {}

  /// Of a thread whose constructor has run: a watcher asks it.
  void be_seen_by(Watcher* watcher) {
    if (watcher != nullptr) {
      watcher_ = watcher;
      seen_ = &watcher->watch(*this);
    }
  }

  [[nodiscard]] WarpState& warp() const noexcept {
    return cta_.warps[static_cast<std::size_t>(rank_ / WarpState::lanes)];
  }
  [[nodiscard]] int lane() const noexcept { return rank_ % WarpState::lanes; }
  /// Before an operation of all lanes of the warp.
  void step_together(WarpStep::Kind kind, int barrier = 0, int threads = 0) {
    warp().convergence.step(lane(), {kind, barrier, threads, is_at_caller_ ? caller_ : machine::SourceLocation{}});
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
      condition_ = [](const void* object) { return (*static_cast<const Condition*>(object))(); };
      condition_of_ = &holds;
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
  /// Leaves the thread, in an access of the instruction before this address.
  void leave_for(const OutOfBounds& error, const void* instruction) {
    refused_ = {std::make_exception_ptr(error), instruction};
    fiber_.abandon();
  }
  [[nodiscard]] StackRange stack() const noexcept { return fiber_.stack(); }

  CtaState& cta_;
  HeldSlots slots_;
  bool loads_constants_ = false;  ///< what no grid before writes
  bool waits_for_grids_ = false;  ///< has called grid_dependency_wait(), or may know of a thread that has
  bool is_at_caller_ = false;     ///< what the thread does is at that line

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

  int rank_;
  machine::Site site_;
  machine::SourceLocation caller_;
  machine::Site work_;
  /// What the thread waits for, of an object that is on its stack; null where it waits for nothing.
  bool (*condition_)(const void*) = nullptr;
  const void* condition_of_ = nullptr;
  Refused refused_;
  Watcher* watcher_ = nullptr;            ///< null where none watches
  machine::EmulatedThread* seen_ = this;  ///< by the kernel: the thread itself, or what watches it
  Fiber fiber_;
};

}  // namespace dma::inline v0_1::host::detail
