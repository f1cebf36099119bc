#pragma once

#include <dma/proof/finding.hpp>
#include <dma/proof/record/program.hpp>
#include <dma/proof/search/state_conflicts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dma::host {

/// A program as a machine of states: what moves each state has, and what is wrong on the way.
class StateMachine : public StateConflicts {
 public:
  explicit StateMachine(const Program& program)
      : StateConflicts(program), generation_of_step_(positions_, -1), generation_of_end_(positions_, -1) {}

  void begin(Word* state);
  /// Whether a slot's agent can do its next step.
  [[nodiscard]] bool can_step(const Word* state, std::size_t slot) const {
    const auto& steps = list_of(slot).steps;
    const std::size_t at = state[slots_[slot].offset];
    if (at >= steps.size()) {
      return false;  // at its end, or waiting
    }
    const Operation& operation = steps[at].operation;
    const Word* const barrier = state + phase_offset_ + static_cast<std::size_t>(operation.barrier) * PhaseWords::count;
    return operation.kind != OperationKind::wait || (barrier[PhaseWords::flags] & open_flag) == 0 ||
           (barrier[PhaseWords::completed] & 1) != operation.count;
  }
  /// @pre The move is possible in this state.
  void make(Word* state, Move move);
  /// What is wrong where no move is possible.
  void judge_end(const Word* state);

 private:
  void meet(Word* state, std::size_t slot, std::size_t at);
  void change_phase(Word* state, std::size_t slot, std::size_t at);
  void end_flight(Word* state, std::size_t slot, std::size_t flight);
  static void complete_if_done(Word* barrier);
  void expect_same_generation(std::vector<int>& seen, std::size_t slot, std::size_t at, int now);

  std::vector<int> generation_of_step_;  ///< the one in which each step was seen to count, -1 before
  std::vector<int> generation_of_end_;   ///< and the copy that it starts
};

inline void StateMachine::begin(Word* state) {
  std::fill_n(state, width_, Word{0});
  for (std::size_t i = 0; i < program_.phase_barriers.size(); ++i) {
    Word* const barrier = phase(state, static_cast<int>(i));
    barrier[PhaseWords::expected] = barrier[PhaseWords::pending] = static_cast<Word>(program_.phase_barriers[i]);
    barrier[PhaseWords::flags] = program_.phase_barriers[i] > 0 ? open_flag : 0;
  }
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    enter_segment(state, slot);
  }
}

inline void StateMachine::make(Word* state, Move move) {
  const std::size_t slot = move.agent;
  if (move.flight != StateStore::own_step) {
    return end_flight(state, slot, move.flight);
  }
  const std::size_t at = position(state, slot);
  const OperationKind kind = list_of(slot).steps[at].operation.kind;
  if (kind == OperationKind::sync || kind == OperationKind::arrive) {
    meet(state, slot, at);
  } else {
    change_phase(state, slot, at);
  }
}

inline void StateMachine::meet(Word* state, std::size_t slot, std::size_t at) {
  const Operation& operation = list_of(slot).steps[at].operation;
  Word* const barrier = named(state, operation.barrier);
  expect_same_generation(generation_of_step_, slot, at, barrier[NamedWords::generation]);
  if (barrier[NamedWords::arrived] == 0) {
    barrier[NamedWords::expected] = static_cast<Word>(operation.count);
  }
  if (barrier[NamedWords::expected] != operation.count ||
      barrier[NamedWords::arrived] + operation.units > barrier[NamedWords::expected]) {
    return fail_at(FindingKind::arrival_count, slot, at);
  }
  barrier[NamedWords::arrived] = static_cast<Word>(barrier[NamedWords::arrived] + operation.units);
  if (operation.kind == OperationKind::sync) {
    state[slots_[slot].offset] |= waiting_bit;
  } else {
    ++state[slots_[slot].offset];
  }
  if (barrier[NamedWords::arrived] == barrier[NamedWords::expected]) {
    barrier[NamedWords::arrived] = barrier[NamedWords::expected] = 0;
    ++barrier[NamedWords::generation];
    std::vector<std::size_t> released;
    for (std::size_t other = 0; other < slots_.size(); ++other) {
      if (is_waiting(state, other) &&
          list_of(other).steps[position(state, other)].operation.barrier == operation.barrier) {
        state[slots_[other].offset] = static_cast<Word>(position(state, other) + 1);
        released.push_back(other);
      }
    }
    if (released.empty()) {
      fail_at(FindingKind::nobody_waits, slot, at);
    }
    for (const std::size_t other : released) {
      enter_segment(state, other);
    }
  }
  if (operation.kind == OperationKind::arrive) {
    enter_segment(state, slot);
  }
}

inline void StateMachine::change_phase(Word* state, std::size_t slot, std::size_t at) {
  const Step& step = list_of(slot).steps[at];
  const Operation& operation = step.operation;
  Word* const barrier = phase(state, operation.barrier);
  if (((barrier[PhaseWords::flags] & open_flag) != 0) == (operation.kind == OperationKind::open)) {
    return fail_at(FindingKind::barrier_not_open, slot, at);
  }
  const auto same_generation = [&] {
    expect_same_generation(generation_of_step_, slot, at, barrier[PhaseWords::completed]);
  };
  switch (operation.kind) {
    case OperationKind::open:
      barrier[PhaseWords::expected] = barrier[PhaseWords::pending] = static_cast<Word>(operation.count);
      barrier[PhaseWords::flags] |= open_flag;
      break;
    case OperationKind::close:
      if (is_armed(barrier)) {
        fail_at(FindingKind::armed_at_exit, slot, at);
      }
      barrier[PhaseWords::flags] = static_cast<Word>(barrier[PhaseWords::flags] & ~open_flag);
      same_generation();
      break;
    case OperationKind::wait:
      same_generation();
      barrier[PhaseWords::flags] = static_cast<Word>(barrier[PhaseWords::flags] & ~unobserved_flag);
      break;
    case OperationKind::phase_arrive:
      same_generation();
      if (operation.units > barrier[PhaseWords::pending]) {
        return fail_at(FindingKind::arrival_count, slot, at);
      }
      add_bytes(barrier, operation.count);
      barrier[PhaseWords::pending] = static_cast<Word>(barrier[PhaseWords::pending] - operation.units);
      complete_if_done(barrier);
      break;
    case OperationKind::expect:
      same_generation();
      add_bytes(barrier, operation.count);
      complete_if_done(barrier);
      break;
    default:
      start_flight(state, slot, at);
  }
  ++state[slots_[slot].offset];
  enter_segment(state, slot);
}

inline void StateMachine::end_flight(Word* state, std::size_t slot, std::size_t flight) {
  const std::size_t at = step_of_flight(state, slot, flight);
  const Operation& operation = list_of(slot).steps[at].operation;
  set_flying(state, slot, flying(state, slot) & ~(std::uint64_t{1} << flight));
  Word* const barrier = phase(state, operation.barrier);
  if ((barrier[PhaseWords::flags] & open_flag) == 0) {
    return fail_at(FindingKind::barrier_not_open, slot, at);
  }
  expect_same_generation(generation_of_end_, slot, at, barrier[PhaseWords::completed]);
  barrier[PhaseWords::flags] |= copies_flag;
  if (operation.kind == OperationKind::copy_to_shared) {
    add_bytes(barrier, -operation.count);
  } else if (operation.units > barrier[PhaseWords::pending]) {
    return fail_at(FindingKind::arrival_count, slot, at);
  } else {
    barrier[PhaseWords::pending] = static_cast<Word>(barrier[PhaseWords::pending] - operation.units);
  }
  complete_if_done(barrier);
}

inline void StateMachine::complete_if_done(Word* barrier) {
  if (barrier[PhaseWords::pending] == 0 && bytes_of(barrier) == 0) {
    ++barrier[PhaseWords::completed];
    barrier[PhaseWords::pending] = barrier[PhaseWords::expected];
    if ((barrier[PhaseWords::flags] & copies_flag) != 0) {
      barrier[PhaseWords::flags] = static_cast<Word>((barrier[PhaseWords::flags] & ~copies_flag) | unobserved_flag);
    }
  }
}

inline void StateMachine::judge_end(const Word* state) {
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    const std::size_t at = position(state, slot);
    if (at < list_of(slot).steps.size()) {
      fail_at(FindingKind::deadlock, slot, at);
    }
  }
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    if (list_of(slot).leaves_copies) {
      fail(FindingKind::armed_at_exit, slot, -1);
    }
  }
  for (int i = 0; i < program_.named_barriers; ++i) {
    if (state[named_offset_ + static_cast<std::size_t>(i) * NamedWords::count + NamedWords::arrived] != 0 &&
        finding_.kind == FindingKind::none) {
      finding_ = {FindingKind::armed_at_exit, -1, i};
    }
  }
  for (std::size_t i = 0; i < program_.phase_barriers.size(); ++i) {
    const Word* const barrier = state + phase_offset_ + i * PhaseWords::count;
    const bool is_open = (barrier[PhaseWords::flags] & open_flag) != 0;
    if (((is_open && is_armed(barrier)) || (barrier[PhaseWords::flags] & unobserved_flag) != 0) &&
        finding_.kind == FindingKind::none) {
      finding_ = {FindingKind::armed_at_exit, -1, program_.named_barriers + static_cast<int>(i)};
    }
  }
}

/// What counts in one generation under one schedule and in another under another belongs to none.
inline void StateMachine::expect_same_generation(std::vector<int>& seen, std::size_t slot, std::size_t at, int now) {
  int& before = seen[first_position_[slots_[slot].list] + at];
  if (before >= 0 && before != now) {
    fail_at(FindingKind::recycled_barrier, slot, at);
  }
  before = now;
}

}  // namespace dma::host
