#pragma once

#include <dma/proof/record/program.hpp>
#include <dma/proof/search/search_state.hpp>
#include <dma/proof/search/segments.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace dma::host {

/// What the words of a search's state say.
///
/// A state is a row of words: where each agent is and which of its copies are under way, then the barriers. Agents with
/// the same list of operations stand side by side, so that a state in which two of them have changed places can be
/// written as one.
class StateLayout {
 public:
  using Word = StateStore::Word;
  using Move = StateStore::Move;

  explicit StateLayout(const Program& program);

  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] std::size_t slots() const { return slots_.size(); }
  [[nodiscard]] int agent_of(std::size_t slot) const { return slots_[slot].agent; }
  /// Whether a search of lists that long could end.
  [[nodiscard]] bool fits() const { return positions_ < most_positions; }

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

 protected:
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
  std::vector<std::size_t> first_position_;  ///< of each list, among those of all
  std::vector<Slot> slots_;
  std::size_t named_offset_ = 0;
  std::size_t phase_offset_ = 0;
  std::size_t width_ = 0;
  std::size_t positions_ = 0;  ///< of all lists
};

inline StateLayout::StateLayout(const Program& program) : program_(program) {
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
  named_offset_ = width_;
  phase_offset_ = named_offset_ + static_cast<std::size_t>(program.named_barriers) * NamedWords::count;
  width_ = phase_offset_ + program.phase_barriers.size() * PhaseWords::count;
}

inline void StateLayout::normalize(Word* state, std::vector<int>* agents) const {
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

inline std::size_t StateLayout::step_of_flight(const Word* state, std::size_t slot, std::size_t flight) const {
  std::size_t at = position(state, slot);
  do {
    --at;
  } while (list_of(slot).steps[at].flight < 0 ||
           static_cast<std::size_t>(list_of(slot).steps[at].flight) % 64 != flight);
  return at;
}

template <class Visit>
void StateLayout::for_each_flight(const Word* state, std::size_t slot, const Visit& visit) const {
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

}  // namespace dma::host
