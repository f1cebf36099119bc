#pragma once

#include <dma/machine/scope.hpp>
#include <dma/proof/clocks/clocked_agents.hpp>
#include <dma/proof/clocks/messages.hpp>
#include <dma/proof/clocks/vector_clock.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/record/program.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// What operations on phase barriers do to the agents' clocks, and the rules for them.
class ClockedPhases : protected ClockedAgents {
 protected:
  using ClockedAgents::ClockedAgents;

  void open_phase(int agent, const Operation& operation);
  /// Between proxies.
  void fence(int agent, const Operation& operation);
  /// An arrival, an expectation of bytes, or the start of a copy that completes on the barrier.
  void arrive_phase(int agent, const Operation& operation);
  void wait_phase(int agent, const Operation& operation);
  /// A fence between threads acquires what waits before it have waited for that are relaxed.
  void acquire_awaited(int agent, Scope scope);
  void close_phase(int agent, const Operation& operation);
  /// An arrival at a named barrier, which counts already.
  void arrive_at(Named& barrier, int agent, const Operation& arrival);
  /// A thread that waited goes on.
  void pass(const Named& barrier, int agent);

 private:
  [[nodiscard]] bool is_opening_fenced(int agent, const Phase& barrier);
  void fence_shared(int agent, const Operation& operation);
  void use_phase(int agent, const Operation& operation);
  void count_in_phase(int agent, const Operation& operation);
  void pass_wait(int agent, const Operation& operation);
  void expect_scope(int agent, const Operation& wait);
  [[nodiscard]] Messages::Sender sender_of(int agent, const Phase& barrier) const;
  void join_arrival(VectorClock& clock, int agent, const Operation& arrival);
  void arrive(int agent, const Operation& arrival);
  void complete_if_done(int index);
};

inline void ClockedPhases::open_phase(int agent, const Operation& operation) {
  Phase& barrier = phases_[static_cast<std::size_t>(operation.barrier)];
  if (barrier.is_open || (barrier.closer >= 0 && known(agent, barrier.closer) < barrier.closed)) {
    fail(FindingKind::barrier_not_open, agent);
  }
  barrier.is_open = true;
  barrier.expected = barrier.pending = operation.count;
  barrier.opener = agent;
  barrier.opened = epoch_of(agent);
  barrier.fences.clear();
  barrier.last_use[static_cast<std::size_t>(agent)] = epoch_of(agent);
}

/// For what the agent knows of, or for the opening of barriers alone.
///
/// Source  PTX ISA, "fence.mbarrier_init"
inline void ClockedPhases::fence(int agent, const Operation& operation) {
  if (ClockComponents::is_fence_of_shared(operation)) {
    return fence_shared(agent, operation);
  }
  if (operation.count != Operation::of_openings) {
    return components_.fence(clock_of(agent));
  }
  for (Phase& barrier : phases_) {
    if (barrier.is_open && barrier.opener >= 0 && known(agent, barrier.opener) >= barrier.opened) {
      barrier.fences.push_back(
          {agent, static_cast<int>(agents_[static_cast<std::size_t>(agent)].next), epoch_of(agent)});
    }
  }
}
/// Between threads, for arrivals and waits that are relaxed.
///
/// Source  PTX ISA, fence (.sync_restrict)
inline void ClockedPhases::fence_shared(int agent, const Operation& operation) {
  AgentState& self = agents_[static_cast<std::size_t>(agent)];
  if (operation.count == Operation::releases_shared) {
    self.fenced_shared = std::make_shared<const VectorClock>(self.clock);
    return;
  }
  Messages::join_all(self.awaited, sender_at(agent, Scope::cluster), [&](const VectorClock& sent) {
    for (int cta = 0; cta < program_.ctas; ++cta) {
      components_.join_in_memory(self.clock, sent, cta);
    }
  });
}
inline void ClockedPhases::acquire_awaited(int agent, Scope scope) {
  AgentState& self = agents_[static_cast<std::size_t>(agent)];
  Messages::join_all(self.awaited, sender_at(agent, scope), [&](const VectorClock& sent) { self.clock.join(sent); });
}
/// Whether a fence of any kind is between the opening of a barrier and what the agent does next.
inline bool ClockedPhases::is_opening_fenced(int agent, const Phase& barrier) {
  return is_fenced(agent, barrier.opener, barrier.opened) ||
         std::any_of(barrier.fences.begin(), barrier.fences.end(),
                     [&](const Mark& fence) { return known(agent, fence.agent) >= fence.epoch; });
}

/// Fails unless the barrier is open here under every schedule.
inline void ClockedPhases::use_phase(int agent, const Operation& operation) {
  Phase& barrier = phases_[static_cast<std::size_t>(operation.barrier)];
  if (!barrier.is_open ||
      (barrier.opener >= 0 && !knows(agent, barrier.opener, barrier.opened, cta_of(barrier.opener)))) {
    return fail(FindingKind::barrier_not_open, agent);
  }
  barrier.last_use[static_cast<std::size_t>(agent)] = epoch_of(agent);
}

/// An operation that counts in the current phase must follow the previous phase under every schedule.
inline void ClockedPhases::count_in_phase(int agent, const Operation& operation) {
  use_phase(agent, operation);
  if (!knows_complete(agent, operation.barrier, phases_[static_cast<std::size_t>(operation.barrier)].completed)) {
    fail(FindingKind::recycled_barrier, agent);
  }
}

/// What an arrival releases. That of products follows what the thread knew of when they began, as the copies that have
/// filled their operands, and orders none of its own accesses. One that is relaxed says how far its thread has come,
/// and so do, where there is one, an expectation of bytes and the start of a copy.
///
/// Source  PTX ISA, fence (.sync_restrict)
inline void ClockedPhases::join_arrival(VectorClock& clock, int agent, const Operation& arrival) {
  const bool arrives = arrival.is_named() || arrival.kind == OperationKind::phase_arrive ||
                       arrival.kind == OperationKind::arrive_when_copied;
  if (arrival.kind == OperationKind::arrive_when_multiplied) {
    components_.join_without_accesses_of(agent, clock, clock_of(agent));
  } else if (arrival.is_relaxed || (components_.has_relaxed && !arrives)) {
    components_.join_without_memory(clock, clock_of(agent));
    if (const Messages::Clock& fenced = agents_[static_cast<std::size_t>(agent)].fenced_shared; arrives && fenced) {
      components_.join_in_memory(clock, *fenced, cta_of(agent));
    }
  } else if (arrival.ordered == machine::Ordered::shared_memory_in_cluster) {
    components_.join_in_memory(clock, clock_of(agent), cta_of(agent));
  } else {
    clock.join(clock_of(agent));
  }
}

inline void ClockedPhases::arrive_at(Named& barrier, int agent, const Operation& arrival) {
  if (barrier.arrived == arrival.units) {
    barrier.arrived_parts.clear();
  }
  join_arrival(barrier.arrived_clock, agent, arrival);
  if (arrival.is_relaxed) {
    Messages::add_all(barrier.arrived_parts, messages_.fenced(agent));
  }
}
inline void ClockedPhases::pass(const Named& barrier, int agent) {
  clock_of(agent).join(barrier.arrived_clock);
  Messages::join_all(barrier.arrived_parts, sender_at(agent, Scope::cluster),
                     [&](const VectorClock& sent) { clock_of(agent).join(sent); });
}

inline void ClockedPhases::arrive_phase(int agent, const Operation& operation) {
  count_in_phase(agent, operation);
  Phase& barrier = phases_[static_cast<std::size_t>(operation.barrier)];
  const auto index = static_cast<std::size_t>(agent);
  const int number = static_cast<int>(agents_[index].next);
  if (operation.kind == OperationKind::copy_to_shared) {
    if (!operation.is_generic && barrier.opener >= 0 && !is_opening_fenced(agent, barrier)) {
      fail(FindingKind::missing_fence, agent);
    }
    reach(agent, operation, components_.phases + operation.barrier, barrier.completed + 1);
    touch(agent, operation, components_.phases + operation.barrier, barrier.completed + 1, !operation.is_generic);
    barrier.bytes -= operation.count;
  } else if (operation.kind == OperationKind::arrive_when_multiplied) {
    // Arrivals of products may come in another order than they were asked for.
    reach(agent, operation, components_.phases + operation.barrier, barrier.completed + 1);
  } else if (operation.kind != OperationKind::arrive_when_copied) {
    barrier.bytes += operation.count;
    if (operation.count > 0) {
      barrier.announced.push_back({agent, number, epoch_of(agent)});
    }
  }
  for (NeverLast& arrival : barrier.never_last) {
    const bool may_complete = operation.kind != OperationKind::expect || operation.count < 0;
    arrival.has_later = arrival.has_later || (may_complete && known(agent, arrival.mark.agent) >= arrival.mark.epoch);
  }
  join_arrival(barrier.completed_clock, agent, operation);
  barrier.awaits_bytes = barrier.awaits_bytes || operation.kind == OperationKind::copy_to_shared ||
                         operation.kind == OperationKind::arrive_when_copied;
  barrier.has_copies =
      barrier.has_copies || barrier.awaits_bytes || operation.kind == OperationKind::arrive_when_multiplied;
  if (operation.kind == OperationKind::phase_arrive || operation.kind == OperationKind::arrive_when_copied ||
      operation.kind == OperationKind::arrive_when_multiplied) {
    if (operation.units > barrier.pending) {
      return fail(FindingKind::arrival_count, agent);
    }
    arrive(agent, operation);
  }
  if (operation.is_relaxed) {
    Messages::add_all(barrier.arrived_parts, messages_.fenced(agent));
  }
  complete_if_done(operation.barrier);
}

inline void ClockedPhases::arrive(int agent, const Operation& arrival) {
  Phase& barrier = phases_[static_cast<std::size_t>(arrival.barrier)];
  const auto index = static_cast<std::size_t>(agent);
  const Mark mark{agent, static_cast<int>(agents_[index].next), epoch_of(agent)};
  barrier.pending -= arrival.units;
  barrier.expected -= arrival.drops ? arrival.units : 0;
  barrier.arrived.push_back(mark);
  if (arrival.is_never_last) {
    barrier.never_last.push_back({mark, false});
  }
  join_arrival(barrier.arrived_clock, agent, arrival);
  if (arrival.kind == OperationKind::arrive_when_copied && components_.async[index] >= 0) {
    components_.raise(barrier.completed_clock, components_.async[index], agents_[index].async_copies);
  }
  if (arrival.kind == OperationKind::arrive_when_multiplied && components_.products[index] >= 0) {
    components_.raise(barrier.completed_clock, components_.products[index], agents_[index].products);
  }
}

inline void ClockedPhases::complete_if_done(int index) {
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
  for (const NeverLast& arrival : barrier.never_last) {
    if (!arrival.has_later) {
      fail(FindingKind::arrival_count, arrival.mark.agent, arrival.mark.operation, -1, -1);
    }
  }
  barrier.announced.clear();
  barrier.never_last.clear();
  barrier.passed.clear();
  barrier.arrived_before[barrier.completed & 1U].swap(barrier.arrived);
  barrier.had_copies[barrier.completed & 1U] = barrier.has_copies;
  barrier.arrived.clear();
  ++barrier.completed;
  barrier.pending = barrier.expected;
  if (barrier.awaits_bytes) {
    barrier.completed_with_copies = barrier.completed;
  }
  barrier.has_copies = barrier.awaits_bytes = false;
  std::swap(barrier.released_clock, barrier.completed_clock);
  barrier.released_parts.swap(barrier.arrived_parts);
  barrier.arrived_parts.clear();
  components_.raise(barrier.released_clock, components_.phases + index, barrier.completed);
  barrier.completed_clock.clear();
  barrier.arrived_clock.clear();
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

inline void ClockedPhases::wait_phase(int agent, const Operation& operation) {
  use_phase(agent, operation);
  Phase& barrier = phases_[static_cast<std::size_t>(operation.barrier)];
  if ((barrier.completed & 1U) != static_cast<unsigned>(operation.count)) {
    pass_wait(agent, operation);
  } else {
    agents_[static_cast<std::size_t>(agent)].is_blocked = true;
    barrier.waiting.push_back(agent);
  }
}

/// An order between CTAs needs cluster scope on both sides. Bulk copies have it.
///
/// Source  PTX ISA, "Morally strong operations"
inline void ClockedPhases::expect_scope(int agent, const Operation& wait) {
  const Phase& barrier = phases_[static_cast<std::size_t>(wait.barrier)];
  for (const Mark& mark : barrier.arrived_before[(barrier.completed - 1) & 1U]) {
    const Operation& arrival =
        program_.agents[static_cast<std::size_t>(mark.agent)].operations[static_cast<std::size_t>(mark.operation)];
    if (cta_of(mark.agent) != cta_of(agent) && !(arrival.crosses_ctas() && wait.crosses_ctas())) {
      fail(FindingKind::narrow_scope, agent, static_cast<int>(agents_[static_cast<std::size_t>(agent)].next),
           mark.agent, mark.operation);
    }
  }
}

/// For whom the latest complete phase releases what its arrivals have: all of the cluster, or a CTA alone.
inline Messages::Sender ClockedPhases::sender_of(int agent, const Phase& barrier) const {
  const auto& marks = barrier.arrived_before[(barrier.completed - 1) & 1U];
  const bool is_of_one_cta =
      std::all_of(marks.begin(), marks.end(), [&](const Mark& mark) { return cta_of(mark.agent) == cta_of(agent); });
  return {is_of_one_cta ? cta_of(agent) : -1, cluster_of(agent), Scope::cluster};
}

inline void ClockedPhases::pass_wait(int agent, const Operation& operation) {
  Phase& barrier = phases_[static_cast<std::size_t>(operation.barrier)];
  if (program_.ctas > 1) {
    expect_scope(agent, operation);
  }
  // A waiter that may be two phases late could mistake an older phase of equal parity for the current one.
  if (barrier.completed > 1 && !knows_complete(agent, operation.barrier, barrier.completed - 1)) {
    fail(FindingKind::recycled_barrier, agent);
  }
  barrier.passed.push_back({agent, static_cast<int>(agents_[static_cast<std::size_t>(agent)].next), epoch_of(agent)});
  const Scope scope = operation.crosses_ctas() ? Scope::cluster : Scope::cta;
  if (!operation.is_relaxed) {
    clock_of(agent).join(barrier.released_clock);
    Messages::join_all(barrier.released_parts, sender_at(agent, scope),
                       [&](const VectorClock& sent) { clock_of(agent).join(sent); });
  } else {
    components_.join_without_memory(clock_of(agent), barrier.released_clock);
    Messages::Parts& awaited = agents_[static_cast<std::size_t>(agent)].awaited;
    Messages::add(awaited, {sender_of(agent, barrier), std::make_shared<const VectorClock>(barrier.released_clock)});
    Messages::add_all(awaited, barrier.released_parts);
  }
  advance(agent);
}

inline void ClockedPhases::close_phase(int agent, const Operation& operation) {
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

}  // namespace dma::inline v0_1::proof::detail
