#pragma once

#include "host/proof/fuzz/agents.hpp"
#include "host/proof/fuzz/state.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fuzz {

/// What agents and copies can do next in a state, what comes of it, and which rule it breaks.
class Moves {
 public:
  explicit Moves(const Program& program)
      : made_(program),
        knows_elements_(program.knows_elements),
        generations_(static_cast<std::size_t>(made_.actions()), unknown) {}

  /// The rule that was broken first; empty where none was.
  [[nodiscard]] const std::string& fault() const { return fault_; }
  /// Whether a thread reads what is left in a slot that it has released. No interleaving says what it may find there.
  [[nodiscard]] bool reads_what_is_left() const { return reads_what_is_left_; }

 protected:
  [[nodiscard]] const Agent& agent_at(int agent) const { return made_.agents()[static_cast<std::size_t>(agent)]; }
  [[nodiscard]] int agent_count() const { return static_cast<int>(made_.agents().size()); }
  [[nodiscard]] const Copy& copy_at(int copy) const { return made_.copies()[static_cast<std::size_t>(copy)]; }
  [[nodiscard]] int copy_count() const { return static_cast<int>(made_.copies().size()); }
  [[nodiscard]] bool has_ended(const State& state, int agent) const {
    return state.at[agent] == agent_at(agent).actions.size();
  }
  [[nodiscard]] const Action& next_of(const State& state, int agent) const {
    return agent_at(agent).actions[state.at[agent]];
  }
  /// Whether it is between two actions, so that its accesses may be under way.
  [[nodiscard]] bool runs(const State& state, int agent) const {
    return !has_ended(state, agent) && (state.waiting >> agent_at(agent).warp & 1) == 0;
  }
  void fail(const std::string& why) { fault_ = fault_.empty() ? why : fault_; }
  /// @param step  what breaks the rule, or what follows the accesses that do
  void fail(const std::string& why, const Step& step) { fail(why + ": " + text_of(step)); }

  /// Whether the agent can do its next action. What several do together is the move of the first of them.
  [[nodiscard]] bool can_act(const State& state, int agent) const;
  void act(State& state, int agent);
  [[nodiscard]] bool can_end(const State& state, int copy) const;
  void end_copy(State& state, int copy);
  /// No agent can go on, and all copies have ended.
  void expect_end(const State& state);
  /// All agents have ended.
  void expect_ended_copies(const State& state);

 private:
  static constexpr int unknown = -1;

  [[nodiscard]] bool has_ended_all(const State& state, std::uint64_t copies, Progress least) const;
  [[nodiscard]] bool cta_has_ended(const State& state, int cta) const;
  /// Whether two agents take part in a collective step together.
  [[nodiscard]] bool are_together(int agent, int other, Op op) const;
  [[nodiscard]] bool have_met(const State& state, int agent) const;
  void access(State& state, int agent, const Action& action);
  void advance(State& state, int agent);
  /// Whether all lanes of the warp have made the arrival at a named barrier that the agent has made last: a warp
  /// arrives as one.
  [[nodiscard]] bool is_last_of_warp(const State& state, int agent) const;
  void act_on_named(State& state, int agent, const Action& action);
  void act_on_phase(State& state, int agent, const Action& action);
  void issue(State& state, int agent, const Action& action);
  void count_in(State& state, int agent, const Action& action, Phase& phase);
  void arrive(Phase& phase, int lanes, const Step& step);
  void complete_if_done(Phase& phase);
  /// An action belongs to the same generation in every interleaving.
  void expect_generation(const Action& action, int generation);
  void expect_there(const State& state, int cta, const Step& step);

  Agents made_;
  bool knows_elements_;
  std::vector<int> generations_;  ///< of each action
  std::string fault_;
  bool reads_what_is_left_ = false;
};

inline bool Moves::has_ended_all(const State& state, std::uint64_t copies, Progress least) const {
  for (int copy = 0; copies >> copy != 0; ++copy) {
    if ((copies >> copy & 1U) != 0 && state.progress(copy) < least) {
      return false;
    }
  }
  return true;
}

inline bool Moves::cta_has_ended(const State& state, int cta) const {
  for (int agent = 0; agent < agent_count(); ++agent) {
    if (agent_at(agent).cta == cta && !has_ended(state, agent)) {
      return false;
    }
  }
  return true;
}

inline bool Moves::are_together(int agent, int other, Op op) const {
  const Agent& mine = agent_at(agent);
  const Agent& theirs = agent_at(other);
  return op == Op::sync_cluster || (op == Op::sync_cta ? mine.cta == theirs.cta : mine.warp == theirs.warp);
}

inline bool Moves::have_met(const State& state, int agent) const {
  const Step& step = next_of(state, agent).step;
  for (int other = 0; other < agent_count(); ++other) {
    if (are_together(agent, other, step.op) && (other < agent || !runs(state, other) || next_of(state, other).ends ||
                                                next_of(state, other).step.op != step.op)) {
      return false;
    }
  }
  return true;
}

inline bool Moves::can_act(const State& state, int agent) const {
  const Action& action = next_of(state, agent);
  if (action.ends) {
    return true;
  }
  if (meets(action.step.op)) {
    return have_met(state, agent);
  }
  if (action.step.op == Op::wait || action.step.op == Op::wait_in_cluster) {
    const Phase& phase = state.phases[agent_at(agent).cta][action.step.barrier];
    return phase.is_open == 0 || (phase.completed & 1) != action.step.count;
  }
  return has_ended_all(state, action.awaits, Progress::ended) &&
         has_ended_all(state, action.awaits_reads, Progress::writes);
}

inline void Moves::act(State& state, int agent) {
  const Action& action = next_of(state, agent);
  if (action.ends || !meets(action.step.op)) {
    access(state, agent, action);
  } else {
    for (int other = agent; other < agent_count(); ++other) {
      if (are_together(agent, other, action.step.op)) {
        access(state, other, next_of(state, other));
      }
    }
  }
  if (action.ends) {
    return advance(state, agent);
  }
  switch (action.step.op) {
    case Op::sync_warp:
    case Op::sync_cta:
    case Op::sync_cluster:
      for (int other = agent_count() - 1; other >= agent; --other) {
        if (are_together(agent, other, action.step.op)) {
          advance(state, other);
        }
      }
      return;
    case Op::sync_named:
    case Op::arrive_named:
      return act_on_named(state, agent, action);
    case Op::fence:
      state.unfenced_reads = 0;
      state.unfenced_writes &= ~all_shared;  // The library has no fence for global memory.
      for (auto& phases : state.phases) {
        for (Phase& phase : phases) {
          phase.is_unfenced = 0;
        }
      }
      break;
    case Op::copy_async:
    case Op::store:
      issue(state, agent, action);
      break;
    case Op::await_async:
    case Op::await_groups:
    case Op::await_reads:
      break;
    default:
      act_on_phase(state, agent, action);
      break;
  }
  advance(state, agent);
}

inline void Moves::access(State& state, int agent, const Action& action) {
  for (const Access& access : action.accesses) {
    const Cells shared = access.cells & all_shared;
    for (int cta = 0; cta < 2; ++cta) {
      if ((shared & shared_of(cta)) != 0 && cta != agent_at(agent).cta && cta_has_ended(state, cta)) {
        fail("an access to a CTA that has ended", action.step);
      }
    }
    if (access.writes) {
      state.written |= access.cells;
      state.unfenced_writes |= access.cells;
    } else {
      state.unfenced_reads |= shared;
      if ((shared & ~state.written) != 0 && access.is_held) {
        fail("a read of what was not written", action.step);
      }
      reads_what_is_left_ = reads_what_is_left_ || ((shared & ~state.written) != 0 && !access.is_held);
    }
  }
}

inline void Moves::advance(State& state, int agent) { ++state.at[agent]; }

inline bool Moves::is_last_of_warp(const State& state, int agent) const {
  const auto arrivals = [&](int of) {
    const auto& actions = agent_at(of).actions;
    return std::count_if(actions.begin(), actions.begin() + state.at[of],
                         [](const Action& action) { return !action.ends && action.step.op == Op::arrive_named; });
  };
  for (int other = 0; other < agent_count(); ++other) {
    if (agent_at(other).warp == agent_at(agent).warp && arrivals(other) < arrivals(agent)) {
      return false;
    }
  }
  return true;
}

inline void Moves::expect_generation(const Action& action, int generation) {
  int& known = generations_[static_cast<std::size_t>(action.number)];
  if (known != unknown && known != generation) {
    fail("in several generations", action.step);
  }
  known = generation;
}

inline void Moves::act_on_named(State& state, int agent, const Action& action) {
  const Step& step = action.step;
  const int cta = agent_at(agent).cta;
  if (step.op == Op::arrive_named) {
    advance(state, agent);
    if (!is_last_of_warp(state, agent)) {
      return;
    }
  }
  Named& barrier = state.named[cta][step.barrier];
  expect_generation(action, barrier.generation);
  if (barrier.arrived == 0) {
    barrier.expected = static_cast<std::uint8_t>(step.count);
  } else if (barrier.expected != step.count) {
    fail("another number of threads", step);
  }
  ++barrier.arrived;
  const auto advance_warp = [&](int warp) {
    for (int other = 0; other < agent_count(); ++other) {
      if (agent_at(other).warp == warp) {
        advance(state, other);
      }
    }
  };
  if (step.op == Op::sync_named) {
    state.waiting = static_cast<std::uint8_t>(state.waiting | 1 << agent_at(agent).warp);
  }
  if (barrier.arrived == barrier.expected) {
    int released = 0;
    for (int other = 0; other < agent_count(); ++other) {
      const Agent& waiter = agent_at(other);
      if ((state.waiting >> waiter.warp & 1) != 0 && waiter.cta == cta &&
          next_of(state, other).step.barrier == step.barrier) {
        state.waiting = static_cast<std::uint8_t>(state.waiting & ~(1 << waiter.warp));
        advance_warp(waiter.warp);
        ++released;
      }
    }
    if (released == 0) {
      fail("a generation without a waiter", step);
    }
    barrier.arrived = barrier.expected = 0;
    ++barrier.generation;
  }
}

}  // namespace fuzz
