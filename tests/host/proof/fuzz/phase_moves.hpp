#pragma once

#include "host/proof/fuzz/agents.hpp"
#include "host/proof/fuzz/moves.hpp"
#include "host/proof/fuzz/state.hpp"

#include <cstdint>

/// The moves at mbarriers, of copies, and the end.
namespace fuzz {

inline void Moves::expect_there(const State& state, int cta, const Step& step) {
  if (cta_has_ended(state, cta)) {
    fail("a use of a CTA that has ended", step);
  }
}

inline void Moves::complete_if_done(Phase& phase) {
  if (phase.pending == 0 && phase.blocks == 0) {
    phase.pending = phase.expected;
    ++phase.completed;
    phase.peer_arrived_before = phase.peer_arrived;
    phase.peer_arrived = 0;
  }
}

inline void Moves::act_on_phase(State& state, int agent, const Action& action) {
  const Step& step = action.step;
  const int lanes = agent_at(agent).lanes();
  const bool is_at_peer = step.op == Op::arrive_at_peer || step.op == Op::send;
  const int cta = is_at_peer ? 1 - agent_at(agent).cta : agent_at(agent).cta;
  Phase& phase = state.phases[cta][step.barrier];
  if (step.op == Op::open) {
    if (phase.is_open != 0 || lanes > 1) {
      fail("opened twice", step);
    }
    phase = {};
    phase.is_open = phase.is_unfenced = 1;
    phase.expected = phase.pending = static_cast<std::uint8_t>(step.count);
    return;
  }
  if (phase.is_open == 0) {
    fail("not open", step);
  }
  if (is_at_peer) {
    expect_there(state, cta, step);
  }
  switch (step.op) {
    case Op::close:
      if (phase.pending != phase.expected || phase.blocks != 0 || lanes > 1) {
        fail("closed in a phase", step);
      }
      for (int copy = 0; copy < copy_count(); ++copy) {
        if (state.progress(copy) == Progress::reads && copy_at(copy).barrier == step.barrier &&
            copy_at(copy).cta == cta) {
          fail("closed with a copy in flight", step);
        }
      }
      phase = {};
      return;
    case Op::wait:
    case Op::wait_in_cluster:
      expect_generation(action, phase.completed);
      if (step.turn > state.turns[step.block]) {
        state.turns[step.block] = static_cast<std::uint8_t>(step.turn);
        state.written &= ~block_at(first_cell(cta, step.block));
      }
      if (step.op == Op::wait && phase.peer_arrived_before != 0) {
        fail("a wait at CTA scope for another CTA", step);
      }
      return;
    default:
      return count_in(state, agent, action, phase);
  }
}

inline void Moves::count_in(State& state, int agent, const Action& action, Phase& phase) {
  const Step& step = action.step;
  const int lanes = agent_at(agent).lanes();
  expect_generation(action, phase.completed);
  if (step.op == Op::expect) {
    phase.blocks = static_cast<std::int8_t>(phase.blocks + step.count * lanes);
  } else if (step.op == Op::arrive || step.op == Op::arrive_at_peer) {
    arrive(phase, lanes, step);
    phase.peer_arrived |= step.op == Op::arrive_at_peer ? 1 : 0;
  } else {
    if (step.op != Op::arrive_when_copied && phase.is_unfenced != 0) {
      fail("no fence behind the opening", step);
    }
    return issue(state, agent, action);
  }
  complete_if_done(phase);
}

inline void Moves::arrive(Phase& phase, int lanes, const Step& step) {
  if (lanes > phase.pending) {
    fail("too many arrivals", step);
  }
  phase.pending = static_cast<std::uint8_t>(phase.pending - lanes);
}

inline void Moves::issue(State& state, int agent, const Action& action) {
  const Step& step = action.step;
  const Copy& copy = copy_at(action.copy);
  const bool is_bulk = step.op == Op::load || step.op == Op::store || step.op == Op::send;
  if (step.op != Op::arrive_when_copied && agent_at(agent).lanes() > 1) {
    fail("several lanes copy the same", step);
  }
  if (is_bulk &&
      ((state.unfenced_writes & (copy.reads | copy.writes)) != 0 || (state.unfenced_reads & copy.writes) != 0)) {
    fail("no fence", step);
  }
  // Of 16 bytes that are written in part the rest is padding, where elements are not known: 0 and 1 are beside 2 and 3.
  const Cells needed = knows_elements_ ? all_shared : all_shared & other_elements;
  if ((copy.reads & needed & ~state.written) != 0) {
    fail("a copy of what was not written", step);
  }
  state.set_progress(action.copy, Progress::reads);
}

inline bool Moves::can_end(const State& state, int copy) const {
  const Progress progress = state.progress(copy);
  return progress == Progress::writes ||
         (progress == Progress::reads && has_ended_all(state, copy_at(copy).follows, Progress::ended));
}

inline void Moves::end_copy(State& state, int number) {
  const Copy& copy = copy_at(number);
  const Action& issuer = agent_at(copy.agent).actions[copy.action];
  state.written |= copy.writes;
  if (copy.op == Op::store && state.progress(number) == Progress::reads) {
    return state.set_progress(number, Progress::writes);
  }
  state.set_progress(number, Progress::ended);
  if (copy.op == Op::copy_async) {
    state.unfenced_writes |= copy.writes;
  }
  if (copy.op == Op::send && (cta_has_ended(state, 0) || cta_has_ended(state, 1))) {
    fail("a copy between CTAs of which one has ended", issuer.step);
  }
  if (copy.barrier >= 0) {
    Phase& phase = state.phases[copy.cta][copy.barrier];
    expect_generation(issuer, phase.completed);
    if (copy.op == Op::arrive_when_copied) {
      arrive(phase, agent_at(copy.agent).lanes(), issuer.step);
    } else {
      --phase.blocks;
    }
    complete_if_done(phase);
  }
}

inline void Moves::expect_end(const State& state) {
  for (int agent = 0; agent < agent_count(); ++agent) {
    if (!has_ended(state, agent)) {
      return fail("a deadlock", next_of(state, agent).step);
    }
  }
  for (int cta = 0; cta < 2; ++cta) {
    for (const Named& barrier : state.named[cta]) {
      if (barrier.arrived != 0) {
        fail("arrivals at a named barrier at the end");
      }
    }
    for (const Phase& phase : state.phases[cta]) {
      if (phase.pending != phase.expected || phase.blocks != 0) {
        fail("a phase that has begun at the end");
      }
    }
  }
}

/// Whether each copy that an ended program has in flight may end later: one that writes global memory.
inline void Moves::expect_ended_copies(const State& state) {
  for (int copy = 0; copy < copy_count(); ++copy) {
    if (state.progress(copy) == Progress::reads) {
      fail("a copy in flight at the end", agent_at(copy_at(copy).agent).actions[copy_at(copy).action].step);
    }
  }
}

}  // namespace fuzz
