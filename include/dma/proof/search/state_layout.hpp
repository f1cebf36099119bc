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

namespace dma::inline v0_1::proof::detail {

/// The words of a search's state.
///
/// A state is a row of words: for each agent its position and its copies in flight, then the barriers. Agents with
/// equal lists of operations have neighbouring indices, so that two states that differ by an exchange of them can be
/// written as one.
class StateLayout {
 public:
  using Word = StateStore::Word;
  using Move = StateStore::Move;

  explicit StateLayout(const Program& program);

  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] std::size_t agent_count() const { return agents_.size(); }
  [[nodiscard]] int agent_of(std::size_t index) const { return agents_[index].agent; }
  /// Whether a search of lists of this length can be expected to finish.
  [[nodiscard]] bool fits() const { return positions_ < most_positions; }

  /// Sorts agents with equal lists by their words; reorders `agents`, where given, in the same way.
  void normalize(Word* state, std::vector<int>* agents) const;

  /// Whether an agent has the same list and the same words as the agent before it.
  [[nodiscard]] bool has_twin(const Word* state, std::size_t index) const {
    return index > 0 && agents_[index - 1].list == agents_[index].list &&
           std::equal(state + agents_[index].offset, state + agents_[index].offset + agents_[index].words,
                      state + agents_[index - 1].offset);
  }
  [[nodiscard]] std::uint64_t flying(const Word* state, std::size_t index) const {
    std::uint64_t mask = 0;
    if (agents_[index].words > 1) {
      std::memcpy(&mask, state + agents_[index].offset + 1, sizeof mask);
    }
    return mask;
  }
  /// The operation that a move does, or whose copy it completes, in its agent's list.
  [[nodiscard]] int operation_of(const Word* state, Move move) const {
    const std::size_t at = move.flight == StateStore::own_step ? position(state, move.index)
                                                               : step_of_flight(state, move.index, move.flight);
    return list_of(move.index).steps[at].number;
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

  struct AgentWords {
    int agent;             ///< of the program
    std::size_t list;      ///< of `lists_`
    std::size_t offset;    ///< of its words in a state
    std::size_t words;     ///< 1, and 4 more where it starts copies that complete asynchronously
    std::size_t sort_end;  ///< one behind the last index with the same list
  };

  [[nodiscard]] const SegmentedList& list_of(std::size_t index) const { return lists_[agents_[index].list]; }
  [[nodiscard]] std::size_t position(const Word* state, std::size_t index) const {
    return state[agents_[index].offset] & (waiting_bit - 1U);
  }
  [[nodiscard]] bool is_waiting(const Word* state, std::size_t index) const {
    return (state[agents_[index].offset] & waiting_bit) != 0;
  }
  [[nodiscard]] const Segment& segment_of(const Word* state, std::size_t index) const {
    return list_of(index).segments[position(state, index)];
  }
  void set_flying(Word* state, std::size_t index, std::uint64_t mask) const {
    std::memcpy(state + agents_[index].offset + 1, &mask, sizeof mask);
  }
  /// The latest step that has started the copy of this number modulo 64.
  [[nodiscard]] std::size_t step_of_flight(const Word* state, std::size_t index, std::size_t flight) const;
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
  /// Whether a phase has begun: it has arrivals, bytes or copies that no wait can have covered.
  [[nodiscard]] static bool is_armed(const Word* barrier) {
    return barrier[PhaseWords::pending] != barrier[PhaseWords::expected] || bytes_of(barrier) != 0 ||
           (barrier[PhaseWords::flags] & copies_flag) != 0;
  }
  static void add_bytes(Word* barrier, int bytes) {
    const std::int32_t sum = bytes_of(barrier) + bytes;
    std::memcpy(barrier + PhaseWords::bytes_low, &sum, sizeof sum);
  }

  /// Calls `visit(step, at)` for each copy of an agent that may be in flight as far as agents know.
  template <class Visit>
  void for_each_flight(const Word* state, std::size_t index, const Visit& visit) const;
  /// The first operation of the segment before step `at`, -1 where it has none.
  [[nodiscard]] int first_of_segment(std::size_t index, std::size_t at) const {
    const auto& steps = list_of(index).steps;
    const int first = at == 0 ? 0 : steps[at - 1].number + 1;
    const int behind = at == steps.size() ? list_of(index).length : steps[at].number;
    return first < behind ? first : -1;
  }

  const Program& program_;
  std::vector<SegmentedList> lists_;
  std::vector<std::size_t> first_position_;  ///< of each list, among those of all
  std::vector<AgentWords> agents_;
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
    const std::size_t begin = agents_.size();
    for (std::size_t agent = 0; agent < program.agents.size(); ++agent) {
      if (list_of_agent[agent] == list) {
        const std::size_t words = lists_[list].flights > 0 ? 5 : 1;
        agents_.push_back({static_cast<int>(agent), list, width_, words, 0});
        width_ += words;
      }
    }
    for (std::size_t index = begin; index < agents_.size(); ++index) {
      agents_[index].sort_end = agents_.size();
    }
  }
  named_offset_ = width_;
  phase_offset_ = named_offset_ + static_cast<std::size_t>(program.named_barriers) * NamedWords::count;
  width_ = phase_offset_ + program.phase_barriers.size() * PhaseWords::count;
}

inline void StateLayout::normalize(Word* state, std::vector<int>* agents) const {
  for (std::size_t begin = 0; begin < agents_.size(); begin = agents_[begin].sort_end) {
    const std::size_t words = agents_[begin].words;
    // An insertion sort: few agents, and only those that moved are out of order.
    for (std::size_t i = begin + 1; i < agents_[begin].sort_end; ++i) {
      for (std::size_t j = i; j > begin; --j) {
        Word* const left = state + agents_[j - 1].offset;
        Word* const right = state + agents_[j].offset;
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

inline std::size_t StateLayout::step_of_flight(const Word* state, std::size_t index, std::size_t flight) const {
  std::size_t at = position(state, index);
  do {
    --at;
  } while (list_of(index).steps[at].flight < 0 ||
           static_cast<std::size_t>(list_of(index).steps[at].flight) % 64 != flight);
  return at;
}

template <class Visit>
void StateLayout::for_each_flight(const Word* state, std::size_t index, const Visit& visit) const {
  const std::uint64_t flights = flying(state, index);
  if (flights == 0) {
    return;
  }
  const std::size_t now = position(state, index);
  // An arrival that has completed implies that all earlier cp.async of its agent are complete.
  bool may_be_copying = true;
  std::size_t found = 0;
  for (std::size_t at = now; at-- > 0 && found < 64;) {
    const Step& step = list_of(index).steps[at];
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

}  // namespace dma::inline v0_1::proof::detail
