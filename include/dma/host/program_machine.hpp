#pragma once

#include <dma/host/finding.hpp>
#include <dma/host/program.hpp>
#include <dma/host/search_state.hpp>
#include <dma/host/segments.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace dma::host {

/// A program as a machine of states: what moves each state has, and what is wrong on the way.
///
/// A state is a row of words: where each agent is and which of its copies are under way, then the barriers. Agents with
/// the same list of operations stand side by side, so that a state in which two of them have changed places can be
/// written as one.
class ProgramMachine {
 public:
  using Word = StateStore::Word;
  using Move = StateStore::Move;

  explicit ProgramMachine(const Program& program);

  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] std::size_t slots() const { return slots_.size(); }
  [[nodiscard]] int agent_of(std::size_t slot) const { return slots_[slot].agent; }
  /// Whether a search of lists that long could end.
  [[nodiscard]] bool fits() const { return positions_ < most_positions; }

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
  /// Writes agents with the same list in an order of their own; `agents`, where given, goes along.
  void normalize(Word* state, std::vector<int>* agents) const;

  /// Whether a slot's agent has the same list as the one before and is in the same place.
  [[nodiscard]] bool has_twin(const Word* state, std::size_t slot) const {
    return slot > 0 && slots_[slot - 1].list == slots_[slot].list &&
           std::equal(state + slots_[slot].offset, state + slots_[slot].offset + slots_[slot].words,
                      state + slots_[slot - 1].offset);
  }
  [[nodiscard]] std::uint64_t flying(const Word* state, std::size_t slot) const {
    std::uint64_t mask = 0;
    if (slots_[slot].words > 1) {
      std::memcpy(&mask, state + slots_[slot].offset + 1, sizeof mask);
    }
    return mask;
  }
  /// The operation that a move does, or whose copy it ends, in its agent's list.
  [[nodiscard]] int operation_of(const Word* state, Move move) const {
    const std::size_t at = move.flight == StateStore::own_step ? position(state, move.agent)
                                                               : step_of_flight(state, move.agent, move.flight);
    return list_of(move.agent).steps[at].number;
  }

  [[nodiscard]] const Finding& finding() const { return finding_; }

 private:
  static constexpr std::size_t most_positions = 8192;
  static constexpr Word waiting_bit = 0x8000;
  static constexpr Word open_flag = 1, copies_flag = 2, unobserved_flag = 4;
  struct NamedWords {
    enum { arrived, expected, generation, count };
  };
  struct PhaseWords {
    enum { completed, expected, pending, flags, bytes_low, bytes_high, count };
  };

  struct Slot {
    int agent;             ///< of the program
    std::size_t list;      ///< of `lists_`
    std::size_t offset;    ///< of its words in a state
    std::size_t words;     ///< 1, and 4 where it starts copies that end by themselves
    std::size_t sort_end;  ///< one behind the last slot with the same list
  };

  [[nodiscard]] const SegmentedList& list_of(std::size_t slot) const { return lists_[slots_[slot].list]; }
  [[nodiscard]] std::size_t position(const Word* state, std::size_t slot) const {
    return state[slots_[slot].offset] & (waiting_bit - 1U);
  }
  [[nodiscard]] bool is_waiting(const Word* state, std::size_t slot) const {
    return (state[slots_[slot].offset] & waiting_bit) != 0;
  }
  [[nodiscard]] const Segment& segment_of(const Word* state, std::size_t slot) const {
    return list_of(slot).segments[position(state, slot)];
  }
  void set_flying(Word* state, std::size_t slot, std::uint64_t mask) const {
    std::memcpy(state + slots_[slot].offset + 1, &mask, sizeof mask);
  }
  /// The latest step that has started the copy of this number modulo 64.
  [[nodiscard]] std::size_t step_of_flight(const Word* state, std::size_t slot, std::size_t flight) const;
  [[nodiscard]] Word* named(Word* state, int barrier) const {
    return state + named_offset_ + static_cast<std::size_t>(barrier) * NamedWords::count;
  }
  [[nodiscard]] Word* phase(Word* state, int barrier) const {
    return state + phase_offset_ + static_cast<std::size_t>(barrier) * PhaseWords::count;
  }
  [[nodiscard]] static int bytes_of(const Word* barrier) {
    std::int32_t bytes = 0;
    std::memcpy(&bytes, barrier + PhaseWords::bytes_low, sizeof bytes);
    return bytes;
  }
  /// Whether a phase has begun: arrivals, bytes, or copies whose end nobody can have waited for.
  [[nodiscard]] static bool is_armed(const Word* barrier) {
    return barrier[PhaseWords::pending] != barrier[PhaseWords::expected] || bytes_of(barrier) != 0 ||
           (barrier[PhaseWords::flags] & copies_flag) != 0;
  }
  static void add_bytes(Word* barrier, int bytes) {
    const std::int32_t sum = bytes_of(barrier) + bytes;
    std::memcpy(barrier + PhaseWords::bytes_low, &sum, sizeof sum);
  }

  void fail(FindingKind kind, std::size_t slot, int operation) {
    if (finding_.kind == FindingKind::none) {
      finding_ = {kind, static_cast<int>(slot), operation};
    }
  }
  void fail_at(FindingKind kind, std::size_t slot, std::size_t at) { fail(kind, slot, list_of(slot).steps[at].number); }

  void meet(Word* state, std::size_t slot, std::size_t at);
  void change_phase(Word* state, std::size_t slot, std::size_t at);
  void end_flight(Word* state, std::size_t slot, std::size_t flight);
  static void complete_if_done(Word* barrier);
  void expect_same_generation(std::vector<int>& seen, std::size_t slot, std::size_t at, int now);
  void start_flight(Word* state, std::size_t slot, std::size_t at);
  void enter_segment(const Word* state, std::size_t slot);
  void meet_segment(const Segment& segment, const Segment& other, std::size_t slot, std::size_t at);
  void meet_own_flights(const Word* state, std::size_t slot);
  /// Calls `visit(step, at)` for each copy of a slot that is under way and that nobody can know to be over.
  template <class Visit>
  void for_each_flight(const Word* state, std::size_t slot, const Visit& visit) const;
  /// The first operation of the segment before step `at`, -1 where it has none.
  [[nodiscard]] int first_of_segment(std::size_t slot, std::size_t at) const {
    const auto& steps = list_of(slot).steps;
    const int first = at == 0 ? 0 : steps[at - 1].number + 1;
    const int behind = at == steps.size() ? list_of(slot).length : steps[at].number;
    return first < behind ? first : -1;
  }

  const Program& program_;
  std::vector<SegmentedList> lists_;
  std::vector<std::size_t> first_position_;  ///< of each list, in the tables below
  std::vector<Slot> slots_;
  std::size_t named_offset_ = 0;
  std::size_t phase_offset_ = 0;
  std::size_t width_ = 0;
  std::size_t positions_ = 0;            ///< of all lists
  std::vector<char> apart_;              ///< pairs of segments that were found not to meet
  std::vector<int> generation_of_step_;  ///< the one in which each step was seen to count, -1 before
  std::vector<int> generation_of_end_;   ///< and the copy that it starts
  Finding finding_;
};

inline ProgramMachine::ProgramMachine(const Program& program) : program_(program) {
  const auto same = [&](std::size_t a, std::size_t b) {
    const auto& left = program.agents[a].operations;
    const auto& right = program.agents[b].operations;
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](const Operation& x, const Operation& y) { return x.meaning() == y.meaning(); });
  };
  std::vector<std::size_t> models;  // of each list, the first agent that has it
  std::vector<std::size_t> list_of_agent;
  for (std::size_t agent = 0; agent < program.agents.size(); ++agent) {
    const auto model =
        std::find_if(models.begin(), models.end(), [&](std::size_t other) { return same(other, agent); });
    list_of_agent.push_back(static_cast<std::size_t>(model - models.begin()));
    if (model == models.end()) {
      models.push_back(agent);
      lists_.emplace_back(program, program.agents[agent].operations);
    }
  }
  for (std::size_t list = 0; list < lists_.size(); ++list) {
    first_position_.push_back(positions_);
    positions_ += lists_[list].segments.size();
    const std::size_t begin = slots_.size();
    for (std::size_t agent = 0; agent < program.agents.size(); ++agent) {
      if (list_of_agent[agent] == list) {
        const std::size_t words = lists_[list].flights > 0 ? 5 : 1;
        slots_.push_back({static_cast<int>(agent), list, width_, words, 0});
        width_ += words;
      }
    }
    for (std::size_t slot = begin; slot < slots_.size(); ++slot) {
      slots_[slot].sort_end = slots_.size();
    }
  }
  apart_.assign(fits() ? positions_ * positions_ : 0, 0);
  generation_of_step_.assign(positions_, -1);
  generation_of_end_.assign(positions_, -1);
  named_offset_ = width_;
  phase_offset_ = named_offset_ + static_cast<std::size_t>(program.named_barriers) * NamedWords::count;
  width_ = phase_offset_ + program.phase_barriers.size() * PhaseWords::count;
}

inline void ProgramMachine::begin(Word* state) {
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

inline void ProgramMachine::make(Word* state, Move move) {
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

inline void ProgramMachine::meet(Word* state, std::size_t slot, std::size_t at) {
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

inline void ProgramMachine::change_phase(Word* state, std::size_t slot, std::size_t at) {
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

inline void ProgramMachine::end_flight(Word* state, std::size_t slot, std::size_t flight) {
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

inline void ProgramMachine::complete_if_done(Word* barrier) {
  if (barrier[PhaseWords::pending] == 0 && bytes_of(barrier) == 0) {
    ++barrier[PhaseWords::completed];
    barrier[PhaseWords::pending] = barrier[PhaseWords::expected];
    if ((barrier[PhaseWords::flags] & copies_flag) != 0) {
      barrier[PhaseWords::flags] = static_cast<Word>((barrier[PhaseWords::flags] & ~copies_flag) | unobserved_flag);
    }
  }
}

/// What counts in one generation under one schedule and in another under another belongs to none.
inline void ProgramMachine::expect_same_generation(std::vector<int>& seen, std::size_t slot, std::size_t at, int now) {
  int& before = seen[first_position_[slots_[slot].list] + at];
  if (before >= 0 && before != now) {
    fail_at(FindingKind::recycled_barrier, slot, at);
  }
  before = now;
}

inline std::size_t ProgramMachine::step_of_flight(const Word* state, std::size_t slot, std::size_t flight) const {
  std::size_t at = position(state, slot);
  do {
    --at;
  } while (list_of(slot).steps[at].flight < 0 ||
           static_cast<std::size_t>(list_of(slot).steps[at].flight) % 64 != flight);
  return at;
}

template <class Visit>
void ProgramMachine::for_each_flight(const Word* state, std::size_t slot, const Visit& visit) const {
  const std::uint64_t flights = flying(state, slot);
  if (flights == 0) {
    return;
  }
  const std::size_t now = position(state, slot);
  // An arrival that has come says that all earlier cp.async of its agent are over.
  bool may_be_copying = true;
  std::size_t found = 0;
  for (std::size_t at = now; at-- > 0 && found < 64;) {
    const Step& step = list_of(slot).steps[at];
    if (step.flight < 0) {
      continue;
    }
    ++found;
    const bool is_flying = (flights >> (step.flight % 64) & 1U) != 0;
    if (step.operation.kind == OperationKind::arrive_when_copied) {
      may_be_copying = may_be_copying && is_flying;
      if (may_be_copying && step.awaited_at >= static_cast<int>(now)) {
        visit(step, at);
      }
    } else if (is_flying) {
      visit(step, at);
    }
  }
}

inline void ProgramMachine::start_flight(Word* state, std::size_t slot, std::size_t at) {
  const Step& step = list_of(slot).steps[at];
  const std::uint64_t bit = std::uint64_t{1} << (step.flight % 64);
  if ((flying(state, slot) & bit) != 0) {
    return fail_at(FindingKind::too_many_states, slot, at);
  }
  if (step.operation.kind == OperationKind::copy_to_shared) {
    if (step.lacks_own_fence) {
      fail_at(FindingKind::missing_fence, slot, at);
    }
    for (std::size_t other = 0; other < slots_.size(); ++other) {
      const Segment& segment = segment_of(state, other);
      if (other != slot) {
        if (segment.unfenced.meets(step.to_be_fenced) ||
            (program_.reads_need_fence && segment.unfenced_reads.meets(step.written))) {
          fail_at(FindingKind::missing_fence, slot, at);
        }
        if (segment.reads.meets(step.written) || segment.writes.meets(step.written)) {
          fail_at(FindingKind::race, slot, at);
        }
        if (segment.copied_from.meets(step.written) || segment.copied_to.meets(step.written)) {
          fail_at(FindingKind::unfinished_copy, slot, at);
        }
      }
      for_each_flight(state, other, [&](const Step& flight, std::size_t) {
        if (flight.written.meets(step.written)) {
          fail_at(FindingKind::unfinished_copy, slot, at);
        }
      });
    }
  }
  set_flying(state, slot, flying(state, slot) | bit);
}

/// An agent begins a segment: whatever others may be doing now, or their copies, may come before or after it.
inline void ProgramMachine::enter_segment(const Word* state, std::size_t slot) {
  const std::size_t at = position(state, slot);
  const Segment& segment = list_of(slot).segments[at];
  if (segment.meets_own_copy) {
    fail(FindingKind::unfinished_copy, slot, first_of_segment(slot, at));
  }
  if (segment.lacks_own_fence) {
    fail(FindingKind::missing_fence, slot, first_of_segment(slot, at));
  }
  for (std::size_t other = 0; other < slots_.size(); ++other) {
    if (other == slot) {
      continue;
    }
    if (char& are_apart = apart_[(first_position_[slots_[slot].list] + at) * positions_ +
                                 first_position_[slots_[other].list] + position(state, other)];
        are_apart == 0) {
      meet_segment(segment, segment_of(state, other), slot, at);
      are_apart = finding_.kind == FindingKind::none ? 1 : 0;
    }
    if ((flying(state, other) | flying(state, slot)) == 0) {
      continue;
    }
    const auto meet_flight = [&](const Segment& accesses, const Step& flight) {
      if (accesses.reads.meets(flight.written) || accesses.writes.meets(flight.written) ||
          accesses.copied_from.meets(flight.written) || accesses.copied_to.meets(flight.written)) {
        fail(FindingKind::unfinished_copy, slot, first_of_segment(slot, at));
      }
    };
    for_each_flight(state, other, [&](const Step& flight, std::size_t) { meet_flight(segment, flight); });
    for_each_flight(state, slot,
                    [&](const Step& flight, std::size_t) { meet_flight(segment_of(state, other), flight); });
  }
  meet_own_flights(state, slot);
}

inline void ProgramMachine::meet_segment(const Segment& segment, const Segment& other, std::size_t slot,
                                         std::size_t at) {
  const auto meets = [](const CellMask& reads, const CellMask& writes, const CellMask& other_reads,
                        const CellMask& other_writes) {
    return writes.meets(other_writes) || writes.meets(other_reads) || reads.meets(other_writes);
  };
  const int operation = first_of_segment(slot, at);
  if (meets(segment.reads, segment.writes, other.reads, other.writes)) {
    fail(FindingKind::race, slot, operation);
  }
  if (meets(segment.copied_from, segment.copied_to, other.reads, other.writes) ||
      meets(segment.reads, segment.writes, other.copied_from, other.copied_to) ||
      meets(segment.copied_from, segment.copied_to, other.copied_from, other.copied_to)) {
    fail(FindingKind::unfinished_copy, slot, operation);
  }
  if (segment.read_in_bulk.meets(other.unfenced)) {
    fail(FindingKind::missing_fence, slot, operation);
  }
}

inline void ProgramMachine::meet_own_flights(const Word* state, std::size_t slot) {
  const std::size_t at = position(state, slot);
  const Segment& segment = list_of(slot).segments[at];
  for_each_flight(state, slot, [&](const Step& flight, std::size_t) {
    const bool is_tied = flight.operation.kind == OperationKind::arrive_when_copied;
    const bool is_awaited_here = is_tied && segment.has_awaited;
    const CellMask& reads = is_awaited_here ? segment.early_reads : segment.reads;
    const CellMask& writes = is_awaited_here ? segment.early_writes : segment.writes;
    if (reads.meets(flight.written) || writes.meets(flight.written) || segment.read_in_bulk.meets(flight.written) ||
        segment.copied_to.meets(flight.written)) {
      fail(FindingKind::unfinished_copy, slot, first_of_segment(slot, at));
    }
  });
}

inline void ProgramMachine::judge_end(const Word* state) {
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

inline void ProgramMachine::normalize(Word* state, std::vector<int>* agents) const {
  for (std::size_t begin = 0; begin < slots_.size(); begin = slots_[begin].sort_end) {
    const std::size_t words = slots_[begin].words;
    // Few, and nearly in order: only those that moved are out of place.
    for (std::size_t i = begin + 1; i < slots_[begin].sort_end; ++i) {
      for (std::size_t j = i; j > begin; --j) {
        Word* const left = state + slots_[j - 1].offset;
        Word* const right = state + slots_[j].offset;
        if (!std::lexicographical_compare(right, right + words, left, left + words)) {
          break;
        }
        std::swap_ranges(left, left + words, right);
        if (agents != nullptr) {
          std::swap((*agents)[j - 1], (*agents)[j]);
        }
      }
    }
  }
}

}  // namespace dma::host
