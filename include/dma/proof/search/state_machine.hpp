#pragma once

#include <dma/proof/finding.hpp>
#include <dma/proof/record/program.hpp>
#include <dma/proof/search/state_fences.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// A program as a state machine: the moves of each state, and the faults on the way.
class StateMachine : public StateFences {
 public:
  explicit StateMachine(const Program& program)
      : StateFences(program), generation_of_step_(positions_, -1), generation_of_end_(positions_, -1) {}

  void begin(Word* state);
  /// Whether an agent can do its next step.
  [[nodiscard]] bool can_step(const Word* state, std::size_t index) const {
    const auto& steps = list_of(index).steps;
    const std::size_t at = state[agents_[index].offset];
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
  /// Looks for faults in a state without moves.
  void judge_end(const Word* state);

 private:
  void meet(Word* state, std::size_t index, std::size_t at);
  void change_phase(Word* state, std::size_t index, std::size_t at);
  void end_flight(Word* state, std::size_t index, std::size_t flight);
  static void arrive(Word* barrier, const Operation& arrival);
  [[nodiscard]] static bool is_done(const Word* barrier) {
    return barrier[PhaseWords::pending] == 0 && bytes_of(barrier) == 0;
  }
  static void complete_if_done(Word* barrier);
  void expect_same_generation(std::vector<int>& seen, std::size_t index, std::size_t at, int now);

  std::vector<int> generation_of_step_;  ///< that each step was seen to count in, -1 before
  std::vector<int> generation_of_end_;   ///< and the completion of the copy that it starts
};

inline void StateMachine::begin(Word* state) {
  std::fill_n(state, width_, Word{0});
  for (std::size_t i = 0; i < program_.phase_barriers.size(); ++i) {
    Word* const barrier = phase(state, static_cast<int>(i));
    barrier[PhaseWords::expected] = barrier[PhaseWords::pending] = static_cast<Word>(program_.phase_barriers[i]);
    barrier[PhaseWords::flags] = program_.phase_barriers[i] > 0 ? open_flag : 0;
  }
  for (std::size_t index = 0; index < agents_.size(); ++index) {
    enter_segment(state, index);
  }
}

inline void StateMachine::make(Word* state, Move move) {
  const std::size_t index = move.index;
  if (move.flight != StateStore::own_step) {
    return end_flight(state, index, move.flight);
  }
  const std::size_t at = position(state, index);
  const OperationKind kind = list_of(index).steps[at].operation.kind;
  if (kind == OperationKind::sync || kind == OperationKind::arrive) {
    meet(state, index, at);
  } else {
    change_phase(state, index, at);
  }
}

inline void StateMachine::meet(Word* state, std::size_t index, std::size_t at) {
  const Operation& operation = list_of(index).steps[at].operation;
  Word* const barrier = named(state, operation.barrier);
  expect_same_generation(generation_of_step_, index, at, barrier[NamedWords::generation]);
  if (barrier[NamedWords::arrived] == 0) {
    barrier[NamedWords::expected] = static_cast<Word>(operation.count);
  }
  if (barrier[NamedWords::expected] != operation.count ||
      barrier[NamedWords::arrived] + operation.units > barrier[NamedWords::expected]) {
    return fail_at(FindingKind::arrival_count, index, at);
  }
  barrier[NamedWords::arrived] = static_cast<Word>(barrier[NamedWords::arrived] + operation.units);
  if (operation.kind == OperationKind::sync) {
    state[agents_[index].offset] |= waiting_bit;
  } else {
    ++state[agents_[index].offset];
  }
  if (barrier[NamedWords::arrived] == barrier[NamedWords::expected]) {
    barrier[NamedWords::arrived] = barrier[NamedWords::expected] = 0;
    ++barrier[NamedWords::generation];
    std::vector<std::size_t> released;
    for (std::size_t other = 0; other < agents_.size(); ++other) {
      if (is_waiting(state, other) &&
          list_of(other).steps[position(state, other)].operation.barrier == operation.barrier) {
        state[agents_[other].offset] = static_cast<Word>(position(state, other) + 1);
        released.push_back(other);
      }
    }
    if (released.empty()) {
      fail_at(FindingKind::no_waiter, index, at);
    }
    for (const std::size_t other : released) {
      enter_segment(state, other);
    }
  }
  if (operation.kind == OperationKind::arrive) {
    enter_segment(state, index);
  }
}

inline void StateMachine::change_phase(Word* state, std::size_t index, std::size_t at) {
  const Step& step = list_of(index).steps[at];
  const Operation& operation = step.operation;
  Word* const barrier = phase(state, operation.barrier);
  if (((barrier[PhaseWords::flags] & open_flag) != 0) == (operation.kind == OperationKind::open)) {
    return fail_at(FindingKind::barrier_not_open, index, at);
  }
  const auto same_generation = [&] {
    expect_same_generation(generation_of_step_, index, at, barrier[PhaseWords::completed]);
  };
  switch (operation.kind) {
    case OperationKind::open:
      barrier[PhaseWords::expected] = barrier[PhaseWords::pending] = static_cast<Word>(operation.count);
      barrier[PhaseWords::flags] |= open_flag;
      break;
    case OperationKind::close:
      if (is_armed(barrier)) {
        fail_at(FindingKind::armed_at_exit, index, at);
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
        return fail_at(FindingKind::arrival_count, index, at);
      }
      arrive(barrier, operation);
      if (operation.is_never_last && is_done(barrier)) {
        return fail_at(FindingKind::arrival_count, index, at);
      }
      complete_if_done(barrier);
      break;
    case OperationKind::expect:
      same_generation();
      add_bytes(barrier, operation.count);
      complete_if_done(barrier);
      break;
    default:
      start_flight(state, index, at);
  }
  ++state[agents_[index].offset];
  enter_segment(state, index);
}

inline void StateMachine::end_flight(Word* state, std::size_t index, std::size_t flight) {
  const std::size_t at = step_of_flight(state, index, flight);
  const Operation& operation = list_of(index).steps[at].operation;
  set_flying(state, index, flying(state, index) & ~(std::uint64_t{1} << flight));
  Word* const barrier = phase(state, operation.barrier);
  if ((barrier[PhaseWords::flags] & open_flag) == 0) {
    return fail_at(FindingKind::barrier_not_open, index, at);
  }
  expect_same_generation(generation_of_end_, index, at, barrier[PhaseWords::completed]);
  barrier[PhaseWords::flags] |= copies_flag;
  if (operation.kind == OperationKind::copy_to_shared) {
    add_bytes(barrier, -operation.count);
  } else if (operation.units > barrier[PhaseWords::pending]) {
    return fail_at(FindingKind::arrival_count, index, at);
  } else {
    barrier[PhaseWords::pending] = static_cast<Word>(barrier[PhaseWords::pending] - operation.units);
  }
  complete_if_done(barrier);
}

inline void StateMachine::arrive(Word* barrier, const Operation& arrival) {
  add_bytes(barrier, arrival.count);
  barrier[PhaseWords::pending] = static_cast<Word>(barrier[PhaseWords::pending] - arrival.units);
  if (arrival.drops) {
    barrier[PhaseWords::expected] = static_cast<Word>(barrier[PhaseWords::expected] - arrival.units);
  }
}

inline void StateMachine::complete_if_done(Word* barrier) {
  if (is_done(barrier)) {
    ++barrier[PhaseWords::completed];
    barrier[PhaseWords::pending] = barrier[PhaseWords::expected];
    if ((barrier[PhaseWords::flags] & copies_flag) != 0) {
      barrier[PhaseWords::flags] = static_cast<Word>((barrier[PhaseWords::flags] & ~copies_flag) | unobserved_flag);
    }
  }
}

inline void StateMachine::judge_end(const Word* state) {
  for (std::size_t index = 0; index < agents_.size(); ++index) {
    const std::size_t at = position(state, index);
    if (at < list_of(index).steps.size()) {
      fail_at(FindingKind::deadlock, index, at);
    }
  }
  for (std::size_t index = 0; index < agents_.size(); ++index) {
    if (list_of(index).leaves_copies) {
      fail(FindingKind::armed_at_exit, index, -1);
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

/// An operation must count in the same generation under every schedule.
inline void StateMachine::expect_same_generation(std::vector<int>& seen, std::size_t index, std::size_t at, int now) {
  int& before = seen[first_position_[agents_[index].list] + at];
  if (before >= 0 && before != now) {
    fail_at(FindingKind::recycled_barrier, index, at);
  }
  before = now;
}

}  // namespace dma::inline v0_1::proof::detail
