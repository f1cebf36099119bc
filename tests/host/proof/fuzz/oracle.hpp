#pragma once

#include "host/proof/fuzz/agents.hpp"
#include "host/proof/fuzz/phase_moves.hpp"
#include "host/proof/fuzz/state.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace fuzz {

/// Says whether a program is right, by all of its interleavings: a search of the states that they can reach. An action
/// is done with the ordinary accesses before it, at the last moment that they can have; until then they are under way,
/// beside whatever other agents and copies do. A copy ends at any time.
class Oracle : private Moves {
 public:
  /// `too_large` also of a program about which interleavings say too little.
  enum class Answer { right, wrong, too_large };

  using Moves::fault;
  Oracle(const Program& program, std::size_t most_states)
      : Moves(program), program_(program), most_states_(most_states) {}

  [[nodiscard]] Answer answer() {
    for (const auto& steps : program_.steps) {
      if (const std::string why = divergence_of(steps, program_.warps); !why.empty()) {
        fail(why);
        return Answer::wrong;
      }
    }
    if (copy_count() > most_copies) {
      return Answer::too_large;
    }
    visit(State{});
    while (!open_.empty() && fault().empty() && seen_.size() <= most_states_) {
      const State state = open_.back();
      open_.pop_back();
      leave(state);
    }
    return !fault().empty()                                      ? Answer::wrong
           : seen_.size() > most_states_ || reads_what_is_left() ? Answer::too_large
                                                                 : Answer::right;
  }
  [[nodiscard]] std::size_t states() const { return seen_.size(); }

 private:
  void visit(const State& state) {
    if (seen_.insert(state).second) {
      open_.push_back(state);
    }
  }
  /// Goes on from a state by each of the moves that can be next.
  void leave(const State& state) {
    expect_no_conflict(state);
    bool any_moves = false;
    bool all_ended = true;
    for (int agent = 0; agent < agent_count() && fault().empty(); ++agent) {
      all_ended = all_ended && has_ended(state, agent);
      if (runs(state, agent) && can_act(state, agent)) {
        State next = state;
        act(next, agent);
        visit(next);
        any_moves = true;
      }
    }
    if (all_ended) {
      expect_ended_copies(state);
    }
    for (int copy = 0; copy < copy_count() && fault().empty(); ++copy) {
      if (can_end(state, copy)) {
        State next = state;
        end_copy(next, copy);
        visit(next);
        any_moves = true;
      }
    }
    if (!any_moves && fault().empty()) {
      expect_end(state);
    }
  }

  // What is under way at once.

  void expect_no_conflict(const State& state) {
    for (int agent = 0; agent < agent_count(); ++agent) {
      if (!runs(state, agent)) {
        continue;
      }
      const Action& mine = next_of(state, agent);
      if (mine.races_with_itself) {
        fail("a race", mine.step);
      }
      for (int other = agent + 1; other < agent_count(); ++other) {
        if (runs(state, other)) {
          expect_no_race(agent, mine, other, next_of(state, other));
        }
      }
      for (int copy = 0; copy < copy_count(); ++copy) {
        if (((mine.reads | mine.writes) & written_by(state, copy)) != 0 || (mine.writes & read_by(state, copy)) != 0) {
          fail("an access beside a copy", mine.step);
        }
      }
    }
    for (int copy = 0; copy < copy_count(); ++copy) {
      for (int other = 0; other < copy_count(); ++other) {
        if (other != copy && (written_by(state, copy) & (read_by(state, other) | written_by(state, other))) != 0) {
          fail("two copies at once");
        }
      }
    }
  }
  [[nodiscard]] Cells read_by(const State& state, int copy) const {
    return state.progress(copy) == Progress::reads ? copy_at(copy).reads : 0;
  }
  [[nodiscard]] Cells written_by(const State& state, int copy) const {
    const Progress progress = state.progress(copy);
    return progress == Progress::reads || progress == Progress::writes ? copy_at(copy).writes : 0;
  }
  void expect_no_race(int agent, const Action& mine, int other, const Action& theirs) {
    const Cells meet = (mine.writes & (theirs.reads | theirs.writes)) | (theirs.writes & (mine.reads | mine.writes));
    const bool is_read = (meet & (mine.reads | theirs.reads)) != 0;
    if (meet != 0 && (is_read || agent_at(agent).warp != agent_at(other).warp || !store_the_same(meet, mine, theirs))) {
      fail("a race", mine.step);
    }
  }
  /// Lanes of a warp that store one value by one instruction: it is stored, whichever is the last. Of several stores by
  /// an instruction the last of each lane counts.
  [[nodiscard]] static bool store_the_same(Cells cells, const Action& mine, const Action& theirs) {
    const std::vector<Access> mine_last = last_stores(cells, mine);
    const std::vector<Access> their_last = last_stores(cells, theirs);
    return std::all_of(mine_last.begin(), mine_last.end(), [&](const Access& a) {
      return std::all_of(their_last.begin(), their_last.end(), [&](const Access& b) {
        return (a.cells & b.cells) == 0 || (a.instruction == b.instruction && a.value == b.value);
      });
    });
  }
  [[nodiscard]] static std::vector<Access> last_stores(Cells cells, const Action& action) {
    std::vector<Access> last;
    for (const Access& access : action.accesses) {
      if (access.writes && (access.cells & cells) != 0) {
        std::erase_if(last, [&](const Access& other) { return other.instruction == access.instruction; });
        last.push_back(access);
      }
    }
    return last;
  }

  const Program& program_;
  std::size_t most_states_;
  std::vector<State> open_;
  std::unordered_set<State, HashOfState> seen_;
};

}  // namespace fuzz
