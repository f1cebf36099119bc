#pragma once

#include <dma/proof/clocks/clocked_agents.hpp>
#include <dma/proof/clocks/vector_clock.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/record/program.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dma::host {

/// Proves a program for all schedules at once, from one of them.
///
/// Runs the agents in any one order with a vector clock each. What it finds ordered is ordered under every schedule, as
/// long as each operation on a barrier belongs to the same generation under every schedule; and that holds where, in
/// this one, each comes after the generation before its own and waits come before the next.
///
/// Source  Sharma, Bauer, Aiken: Verification of Producer-Consumer Synchronization in GPU Programs (PLDI 2015),
///         extended to phase barriers, counted bytes, copies under way and proxy fences
class ClockJudge : private ClockedAgents {
 public:
  explicit ClockJudge(const Program& program) : ClockedAgents(program) {}

  /// The first thing that is wrong, of kind `none` where nothing is.
  [[nodiscard]] Finding judge() {
    bool any_ran = true;
    while (any_ran) {
      any_ran = false;
      for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
        while (!is_finished(agent) && !agents_[agent].is_blocked) {
          step(static_cast<int>(agent));
          any_ran = true;
          if (finding_.kind != FindingKind::none) {
            return finding_;
          }
        }
      }
    }
    return judge_end();
  }

 private:
  void step(int agent);
  void arrive_named(int agent, const Operation& operation);
  void complete(Named& barrier, int index);
  void use_phase(int agent, const Operation& operation);
  void count_in_phase(int agent, const Operation& operation);
  void arrive_phase(int agent, const Operation& operation);
  void wait_phase(int agent, const Operation& operation);
  void pass_wait(int agent, const Operation& operation);
  void complete_if_done(int index);
  void close_phase(int agent, const Operation& operation);
  [[nodiscard]] Finding judge_end();
};

inline void ClockJudge::step(int agent) {
  const Operation& operation = operation_of(agent);
  AgentState& state = agents_[static_cast<std::size_t>(agent)];
  const auto index = static_cast<std::size_t>(agent);
  switch (operation.kind) {
    case OperationKind::access:
      touch(agent, operation, agent, epoch_of(agent), false);
      break;
    case OperationKind::fence:
      learn(agent, components_.fence[index], epoch_of(agent));
      break;
    case OperationKind::sync:
    case OperationKind::arrive:
      return arrive_named(agent, operation);
    case OperationKind::wait:
      return wait_phase(agent, operation);
    case OperationKind::copy_async:
      touch(agent, operation, components_.async[index], ++state.async_copies, false);
      break;
    case OperationKind::await_async:
      if (components_.async[index] >= 0) {
        learn(agent, components_.async[index], state.async_copies);
      }
      break;
    case OperationKind::copy_to_global:
      touch(agent, operation, components_.groups[index], ++state.bulk_copies, true);
      break;
    case OperationKind::commit_group:
      state.committed.push_back(state.bulk_copies);
      break;
    case OperationKind::await_groups: {
      const auto pending = static_cast<std::size_t>(operation.count);
      if (components_.groups[index] >= 0 && state.committed.size() > pending) {
        learn(agent, components_.groups[index], state.committed[state.committed.size() - pending - 1]);
      }
      break;
    }
    case OperationKind::open: {
      Phase& barrier = phases_[static_cast<std::size_t>(operation.barrier)];
      if (barrier.is_open || (barrier.closer >= 0 && known(agent, barrier.closer) < barrier.closed)) {
        fail(FindingKind::barrier_not_open, agent);
      }
      barrier.is_open = true;
      barrier.expected = barrier.pending = operation.count;
      barrier.opener = agent;
      barrier.opened = epoch_of(agent);
      barrier.last_use[index] = epoch_of(agent);
      break;
    }
    case OperationKind::close:
      close_phase(agent, operation);
      break;
    case OperationKind::phase_arrive:
    case OperationKind::expect:
    case OperationKind::copy_to_shared:
    case OperationKind::arrive_when_copied:
      arrive_phase(agent, operation);
      break;
  }
  advance(agent);
}

inline void ClockJudge::arrive_named(int agent, const Operation& operation) {
  Named& barrier = named_[static_cast<std::size_t>(operation.barrier)];
  const int component = components_.generations + operation.barrier;
  if (known(agent, component) < barrier.generation) {
    return fail(FindingKind::recycled_barrier, agent);
  }
  if (barrier.arrived == 0) {
    barrier.expected = operation.count;
  }
  if (barrier.expected != operation.count || barrier.arrived + operation.units > barrier.expected) {
    return fail(FindingKind::arrival_count, agent);
  }
  barrier.arrived += operation.units;
  join(barrier.arrived_clock, clock_of(agent));
  if (operation.kind == OperationKind::sync) {
    agents_[static_cast<std::size_t>(agent)].is_blocked = true;
    barrier.waiting.push_back(agent);
  }
  if (barrier.arrived == barrier.expected && barrier.waiting.empty()) {
    return fail(FindingKind::nobody_waits, agent);
  }
  if (operation.kind == OperationKind::arrive) {
    advance(agent);
  }
  if (barrier.arrived == barrier.expected) {
    complete(barrier, operation.barrier);
  }
}

inline void ClockJudge::complete(Named& barrier, int index) {
  ++barrier.generation;
  barrier.arrived = 0;
  barrier.arrived_clock[static_cast<std::size_t>(components_.generations + index)] = barrier.generation;
  for (const int agent : barrier.waiting) {
    join(clock_of(agent), barrier.arrived_clock);
    advance(agent);
  }
  barrier.waiting.clear();
  std::fill(barrier.arrived_clock.begin(), barrier.arrived_clock.end(), 0);
}

/// The barrier is open under every schedule, and not closed yet.
inline void ClockJudge::use_phase(int agent, const Operation& operation) {
  Phase& barrier = phases_[static_cast<std::size_t>(operation.barrier)];
  if (!barrier.is_open || (barrier.opener >= 0 && known(agent, barrier.opener) < barrier.opened)) {
    return fail(FindingKind::barrier_not_open, agent);
  }
  barrier.last_use[static_cast<std::size_t>(agent)] = epoch_of(agent);
}

/// An operation that counts in the phase that is open now has to come after the one before it under every schedule.
inline void ClockJudge::count_in_phase(int agent, const Operation& operation) {
  use_phase(agent, operation);
  if (!knows_complete(agent, operation.barrier, phases_[static_cast<std::size_t>(operation.barrier)].completed)) {
    fail(FindingKind::recycled_barrier, agent);
  }
}

inline void ClockJudge::arrive_phase(int agent, const Operation& operation) {
  count_in_phase(agent, operation);
  Phase& barrier = phases_[static_cast<std::size_t>(operation.barrier)];
  const auto index = static_cast<std::size_t>(agent);
  const int number = static_cast<int>(agents_[index].next);
  if (operation.kind == OperationKind::copy_to_shared) {
    const int fence = barrier.opener < 0 ? -1 : components_.fence[static_cast<std::size_t>(barrier.opener)];
    if (barrier.opener >= 0 && (fence < 0 || known(agent, fence) < barrier.opened)) {
      fail(FindingKind::missing_fence, agent);
    }
    touch(agent, operation, components_.phases + operation.barrier, barrier.completed + 1, true);
    barrier.bytes -= operation.count;
  } else if (operation.kind != OperationKind::arrive_when_copied) {
    barrier.bytes += operation.count;
    if (operation.count != 0) {
      barrier.announced.push_back({agent, number, epoch_of(agent)});
    }
  }
  join(barrier.completed_clock, clock_of(agent));
  barrier.has_copies = barrier.has_copies || operation.kind == OperationKind::copy_to_shared ||
                       operation.kind == OperationKind::arrive_when_copied;
  if (operation.kind == OperationKind::phase_arrive || operation.kind == OperationKind::arrive_when_copied) {
    if (operation.units > barrier.pending) {
      return fail(FindingKind::arrival_count, agent);
    }
    barrier.pending -= operation.units;
    barrier.arrived.push_back({agent, number, epoch_of(agent)});
    join(barrier.arrived_clock, clock_of(agent));
    if (operation.kind == OperationKind::arrive_when_copied && components_.async[index] >= 0) {
      auto& copied = barrier.completed_clock[static_cast<std::size_t>(components_.async[index])];
      copied = std::max(copied, agents_[index].async_copies);
    }
  }
  complete_if_done(operation.barrier);
}

inline void ClockJudge::complete_if_done(int index) {
  Phase& barrier = phases_[static_cast<std::size_t>(index)];
  if (barrier.pending != 0 || barrier.bytes != 0) {
    return;
  }
  for (const Mark& mark : barrier.announced) {
    if (barrier.arrived_clock[static_cast<std::size_t>(mark.agent)] < mark.epoch) {
      fail(FindingKind::recycled_barrier, mark.agent, mark.operation, -1, -1);
    }
  }
  for (const Mark& mark : barrier.passed) {
    if (barrier.completed_clock[static_cast<std::size_t>(mark.agent)] < mark.epoch) {
      fail(FindingKind::recycled_barrier, mark.agent, mark.operation, -1, -1);
    }
  }
  barrier.announced.clear();
  barrier.passed.clear();
  barrier.arrived_before[barrier.completed & 1U].swap(barrier.arrived);
  barrier.had_copies[barrier.completed & 1U] = barrier.has_copies;
  barrier.arrived.clear();
  ++barrier.completed;
  barrier.pending = barrier.expected;
  if (barrier.has_copies) {
    barrier.completed_with_copies = barrier.completed;
  }
  barrier.has_copies = false;
  barrier.released_clock.swap(barrier.completed_clock);
  barrier.released_clock[static_cast<std::size_t>(components_.phases + index)] = barrier.completed;
  std::fill(barrier.completed_clock.begin(), barrier.completed_clock.end(), 0);
  std::fill(barrier.arrived_clock.begin(), barrier.arrived_clock.end(), 0);
  std::vector<int> still_waiting;
  for (const int agent : std::exchange(barrier.waiting, {})) {
    const Operation& wait = operation_of(agent);
    if ((barrier.completed & 1U) != static_cast<unsigned>(wait.count)) {
      pass_wait(agent, wait);
    } else {
      still_waiting.push_back(agent);
    }
  }
  barrier.waiting = std::move(still_waiting);
}

inline void ClockJudge::wait_phase(int agent, const Operation& operation) {
  use_phase(agent, operation);
  Phase& barrier = phases_[static_cast<std::size_t>(operation.barrier)];
  if ((barrier.completed & 1U) != static_cast<unsigned>(operation.count)) {
    pass_wait(agent, operation);
  } else {
    agents_[static_cast<std::size_t>(agent)].is_blocked = true;
    barrier.waiting.push_back(agent);
  }
}

inline void ClockJudge::pass_wait(int agent, const Operation& operation) {
  Phase& barrier = phases_[static_cast<std::size_t>(operation.barrier)];
  // With two phases more to come than it knows of, it could take the one before last for the one it needs.
  if (barrier.completed > 1 && !knows_complete(agent, operation.barrier, barrier.completed - 1)) {
    fail(FindingKind::recycled_barrier, agent);
  }
  barrier.passed.push_back({agent, static_cast<int>(agents_[static_cast<std::size_t>(agent)].next), epoch_of(agent)});
  join(clock_of(agent), barrier.released_clock);
  advance(agent);
}

inline void ClockJudge::close_phase(int agent, const Operation& operation) {
  use_phase(agent, operation);
  Phase& barrier = phases_[static_cast<std::size_t>(operation.barrier)];
  if (barrier.pending != barrier.expected || barrier.bytes != 0 || barrier.has_copies ||
      !knows_complete(agent, operation.barrier, barrier.completed)) {
    fail(FindingKind::armed_at_exit, agent);
  }
  for (std::size_t user = 0; user < agents_.size(); ++user) {
    if (known(agent, static_cast<int>(user)) < barrier.last_use[user]) {
      fail(FindingKind::barrier_not_open, agent, static_cast<int>(agents_[static_cast<std::size_t>(agent)].next),
           static_cast<int>(user), -1);
    }
  }
  barrier.is_open = false;
  barrier.closer = agent;
  barrier.closed = epoch_of(agent);
}

inline Finding ClockJudge::judge_end() {
  for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
    if (!is_finished(agent)) {
      fail(FindingKind::deadlock, static_cast<int>(agent));
    }
  }
  const auto somebody_knows = [&](int component, std::uint32_t value) {
    return std::any_of(agents_.begin(), agents_.end(), [&](const AgentState& state) {
      return state.clock[static_cast<std::size_t>(component)] >= value;
    });
  };
  for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
    const int async = components_.async[agent];
    const int groups = components_.groups[agent];
    if ((async >= 0 && !somebody_knows(async, agents_[agent].async_copies)) ||
        (groups >= 0 && known(static_cast<int>(agent), groups) < agents_[agent].bulk_copies)) {
      fail(FindingKind::armed_at_exit, static_cast<int>(agent), -1, -1, -1);
    }
  }
  for (std::size_t i = 0; i < named_.size(); ++i) {
    if (named_[i].arrived != 0) {
      fail(FindingKind::armed_at_exit, -1, static_cast<int>(i), -1, -1);
    }
  }
  for (std::size_t i = 0; i < phases_.size(); ++i) {
    const Phase& barrier = phases_[i];
    if ((barrier.is_open && (barrier.pending != barrier.expected || barrier.bytes != 0 || barrier.has_copies)) ||
        !somebody_knows(components_.phases + static_cast<int>(i), barrier.completed_with_copies)) {
      fail(FindingKind::armed_at_exit, -1, static_cast<int>(named_.size() + i), -1, -1);
    }
  }
  return finding_;
}

}  // namespace dma::host
