#pragma once

#include <dma/host/emulation/contexts/exception_state.hpp>
#include <dma/host/emulation/forwarding_thread.hpp>
#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/index3.hpp>
#include <dma/proof/record/program.hpp>
#include <dma/proof/replay/delayed_copies.hpp>
#include <dma/proof/replay/replay_schedule.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// A thread that runs when its warp has the next move, and does its memory accesses before that move then. Its copies
/// complete where the schedule completes them, or where the thread waits for them.
class ReplayThread final : public host::detail::ForwardingThread {
 public:
  /// @param index  of the thread in its CTA
  ReplayThread(ReplaySchedule& schedule, machine::EmulatedThread& thread, std::size_t index)
      : host::detail::ForwardingThread(thread),
        schedule_(schedule),
        steps_(schedule.schedule().steps[index]),
        answers_(schedule.schedule().answers[index]) {
    be_watched();
  }

  void sync_cta() override {
    arrive(OperationKind::sync, 0, threads());
    inner_.sync_cta();
  }
  void sync_warp() override {
    await_move();
    inner_.sync_warp();
  }
  void shuffle(void* value, std::size_t bytes, int source) override {
    await_move();
    inner_.shuffle(value, bytes, source);
  }
  void barrier_sync(int id, int threads, const machine::Site& site) override {
    arrive(OperationKind::sync, id, threads);
    inner_.barrier_sync(id, threads, site);
  }
  void barrier_arrive(int id, int threads, const machine::Site& site) override {
    arrive(OperationKind::arrive, id, threads);
    inner_.barrier_arrive(id, threads, site);
  }

  [[nodiscard]] bool phase_is_complete(const void* barrier, unsigned parity) override {
    return next_answer_ < answers_.size() ? answers_[next_answer_++] : inner_.phase_is_complete(barrier, parity);
  }
  void execute(const machine::Instruction& instruction) override {
    expect_own_cta(instruction);
    switch (instruction.kind) {
      case OperationKind::open:
      case OperationKind::wait:
        take_turn(instruction.kind, any, instruction.count);
        inner_.execute(instruction);
        return finish_part();
      case OperationKind::close:
        take_turn(instruction.kind);
        inner_.execute(instruction);
        return finish_part();
      case OperationKind::phase_arrive:
        return arrive_at_phase(instruction);
      case OperationKind::expect:
        return expect_bytes(instruction);
      case OperationKind::arrive_when_copied:
        take_turn(instruction.kind);
        delay(Kind::arrival, instruction);
        return finish_part();
      case OperationKind::copy_to_shared:
        return copy_to_shared(instruction);
      case OperationKind::copy_async:
        await_move();
        return delay(Kind::async, instruction);
      case OperationKind::copy_to_global:
        await_move();
        return delay(Kind::store, instruction);
      case OperationKind::commit_group:
        await_move();
        return delay(Kind::end_of_group, instruction);
      case OperationKind::await_async:
      case OperationKind::await_async_groups:
        await_move_or_end();
        copies_.complete_async();
        inner_.finish_copies();
        return inner_.execute(instruction);
      case OperationKind::await_groups:
      case OperationKind::await_group_reads:
        await_move_or_end();
        copies_.complete_groups(instruction.count);
        inner_.finish_copies();
        return inner_.execute(instruction);
      case OperationKind::fence:
        return;
      default:
        await_move();
        return inner_.execute(instruction);
    }
  }

  void touched(const void*, int, machine::Access) override { await_move(); }
  void exposed(void*, int, int, machine::Access) override { await_move(); }
  [[nodiscard]] bool polls_truly() override { return next_answer_ < answers_.size(); }

  /// Completes the copies that a move started.
  void end_copies(std::size_t began) {
    copies_.complete_those_of(began);
    inner_.finish_copies();
  }
  /// Passes all copies to the emulator.
  void let_go() { copies_.complete_all(); }

 private:
  static constexpr int any = -1;
  using Kind = DelayedCopies::Kind;

  void delay(Kind kind, const machine::Instruction& instruction) {
    if (schedule_.is_over()) {
      inner_.execute(instruction);
    } else {
      copies_.add(kind, move_, [this, late = instruction, box = instruction.own_box()]() mutable {
        late.box = box ? &box : nullptr;
        inner_.execute(late);
      });
    }
  }
  void arrive_at_phase(const machine::Instruction& arrival) {
    if (!std::exchange(is_expecting_, false)) {
      take_turn(OperationKind::phase_arrive);
    }
    inner_.execute(arrival);
    finish_part();
  }
  void expect_bytes(const machine::Instruction& expect) {
    take_turn(OperationKind::expect);
    inner_.execute(expect);
    if (!is_expecting_) {
      finish_part();
    }
  }

  template <class Condition>
  void pause_until(const Condition& holds) {
    while (!schedule_.is_over() && !holds() && !host::detail::is_unwinding()) {
      schedule_.note_pause();
      inner_.pause();
    }
    schedule_.note_progress();
  }
  /// Before an operation that other warps cannot observe, which is no move.
  void await_move() {
    pause_until([&] { return schedule_.all_made() || schedule_.is_moving(rank()); });
  }
  /// Before a wait for its own copies: these are delayed even after the last move.
  void await_move_or_end() {
    pause_until([&] { return schedule_.is_moving(rank()); });
  }
  /// Before a move: waits until the thread has a part in the next one.
  ///
  /// @throw KernelError  the recording has another operation here
  void take_turn(OperationKind kind, int barrier = any, int count = any) {
    pause_until([&] { return schedule_.is_moving(rank()) && schedule_.has_part(rank()); });
    if (schedule_.is_over() || host::detail::is_unwinding()) {
      return;
    }
    const Operation* const step = next_ < steps_.size() ? &steps_[next_] : nullptr;
    // Bytes that are expected right before an arrival are recorded with it.
    is_expecting_ = step != nullptr && kind == OperationKind::expect && step->kind == OperationKind::phase_arrive;
    if (step == nullptr || (step->kind != kind && !is_expecting_) || (barrier != any && step->barrier != barrier) ||
        (count != any && step->count != count)) {
      schedule_.refuse("thread " + std::to_string(rank()) + " does not do what was recorded for");
    }
    has_turn_ = true;
    move_ = schedule_.move();
    ++next_;
  }
  void finish_part() {
    if (std::exchange(has_turn_, false) && !host::detail::is_unwinding()) {
      schedule_.finish_part(rank());
    }
  }
  /// The arrival happens before any other thread runs.
  void arrive(OperationKind kind, int barrier, int count) {
    take_turn(kind, barrier, count);
    finish_part();
  }
  /// Consecutive copies are recorded as one, with the sum of their bytes.
  void copy_to_shared(const machine::Instruction& copy) {
    if (bytes_to_come_ == 0) {
      take_turn(OperationKind::copy_to_shared);
      bytes_to_come_ = has_turn_ ? steps_[next_ - 1].count : copy.count;
    }
    delay(Kind::to_shared, copy);
    bytes_to_come_ -= copy.count;
    if (bytes_to_come_ == 0) {
      finish_part();
    }
  }

  ReplaySchedule& schedule_;
  const std::vector<Operation>& steps_;
  std::size_t next_ = 0;
  const std::vector<bool>& answers_;
  std::size_t next_answer_ = 0;
  DelayedCopies copies_;
  std::size_t move_ = 0;
  bool has_turn_ = false;
  bool is_expecting_ = false;
  int bytes_to_come_ = 0;
};

}  // namespace dma::inline v0_1::proof::detail
