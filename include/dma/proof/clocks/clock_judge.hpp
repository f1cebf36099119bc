#pragma once

#include <dma/host/deadline.hpp>
#include <dma/proof/clocks/clocked_products.hpp>
#include <dma/proof/clocks/vector_clock.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/record/program.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Proves a program for all schedules at once, from one of them.
///
/// Runs the agents in one order, with a vector clock for each. Two operations that the clocks order are ordered under
/// every schedule, provided that each operation on a barrier belongs to the same generation under every schedule. That
/// holds where each operation follows the generation before its own, and each wait precedes the next generation.
///
/// Source  Sharma, Bauer, Aiken: Verification of Producer-Consumer Synchronization in GPU Programs (PLDI 2015),
///         extended to phase barriers, counted bytes, copies in flight and proxy fences
class ClockJudge : private ClockedProducts {
 public:
  explicit ClockJudge(const Program& program) : ClockedProducts(program) {}

  /// The first fault; its kind is `none` where there is none, and `out_of_time` where the deadline passed before.
  ///
  /// @param order  the order of the accesses, as far as the judge came, is added to it; may be null
  /// @param deadline  null: none
  [[nodiscard]] Finding judge(AtomicOrder* order = nullptr, const host::detail::Deadline* deadline = nullptr) {
    order_ = order;
    std::size_t steps = 0;
    bool any_ran = true;
    while (any_ran || pass_fences()) {
      any_ran = false;
      for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
        while (!is_finished(agent) && !agents_[agent].is_blocked) {
          any_ran = true;
          if (!meets_lanes(static_cast<int>(agent))) {
            break;
          }
          step(static_cast<int>(agent));
          if (finding_.kind != FindingKind::none) {
            return finding_;
          }
          if (++steps % 4096 == 0 && deadline != nullptr && deadline->has_passed()) {
            return {FindingKind::out_of_time};
          }
        }
      }
    }
    return judge_end();
  }

 private:
  void step(int agent);
  void copy(int agent, const Operation& operation);
  void access_atomically(int agent, const Operation& operation);
  void fence_threads(int agent, const Operation& operation);
  void arrive_named(int agent, const Operation& operation);
  void complete(Named& barrier, int index);
  [[nodiscard]] Finding judge_end();

  /// Lets agents go on that wait for each other's fences, without what these order: a read that acquires nothing is in
  /// a circle with them. False where there is none.
  bool pass_fences() {
    passes_fences_ = !fences_waiting_.empty();
    for (const std::size_t waiting : std::exchange(fences_waiting_, {})) {
      agents_[waiting].is_blocked = false;
    }
    return passes_fences_;
  }

  std::map<std::pair<std::size_t, std::size_t>, VectorClock> fences_;  ///< by agent and operation
  std::vector<std::size_t> fences_waiting_;                            ///< agents, each for a fence of another one
  bool passes_fences_ = false;
};

inline void ClockJudge::step(int agent) {
  const Operation& operation = operation_of(agent);
  if (operation.kind != OperationKind::copy_to_shared && operation.kind != OperationKind::arrive_when_multiplied) {
    reach(agent, operation, agent, epoch_of(agent));
  }
  switch (operation.kind) {
    case OperationKind::access:
      touch(agent, operation, agent, epoch_of(agent), false);
      break;
    case OperationKind::atomic:
      return access_atomically(agent, operation);
    case OperationKind::fence_threads:
      return fence_threads(agent, operation);
    case OperationKind::fence:
      fence(agent, operation);
      break;
    case OperationKind::sync:
    case OperationKind::shuffle:
    case OperationKind::arrive:
      return arrive_named(agent, operation);
    case OperationKind::wait:
      return wait_phase(agent, operation);
    case OperationKind::read_async:
    case OperationKind::commit_reads:
    case OperationKind::await_reads:
      return read_asynchronously(agent, operation);
    case OperationKind::await_grids:
      learn(agent, components_.grids, 1);
      break;
    case OperationKind::use_global:
      if (components_.grids < 0 || !knows(agent, components_.grids, 1, Program::global)) {
        fail(FindingKind::broken_contract, agent);
      }
      break;
    case OperationKind::open:
      open_phase(agent, operation);
      break;
    case OperationKind::close:
      close_phase(agent, operation);
      break;
    case OperationKind::phase_arrive:
    case OperationKind::expect:
    case OperationKind::copy_to_shared:
    case OperationKind::arrive_when_copied:
    case OperationKind::arrive_when_multiplied:
      arrive_phase(agent, operation);
      break;
    default:
      copy(agent, operation);
      break;
  }
  advance(agent);
}

/// Of an agent's cp.async and bulk stores, or of tensor memory.
inline void ClockJudge::copy(int agent, const Operation& operation) {
  AgentState& state = agents_[static_cast<std::size_t>(agent)];
  const auto index = static_cast<std::size_t>(agent);
  switch (operation.kind) {
    case OperationKind::copy_async:
      touch(agent, operation, components_.async[index], ++state.async_copies, false);
      break;
    case OperationKind::await_async:
      if (components_.async[index] >= 0) {
        learn(agent, components_.async[index], state.async_copies);
      }
      break;
    case OperationKind::commit_async:
      state.committed_async.push_back(state.async_copies);
      break;
    case OperationKind::await_async_groups: {
      const auto pending = static_cast<std::size_t>(operation.count);
      if (components_.async[index] >= 0 && state.committed_async.size() > pending) {
        learn(agent, components_.async[index], state.committed_async[state.committed_async.size() - pending - 1]);
      }
      break;
    }
    case OperationKind::copy_to_global:
      ++state.bulk_copies;
      touch(agent, {.kind = operation.kind, .reads = operation.reads}, components_.groups[index], state.bulk_copies,
            true);
      touch(agent,
            {.kind = operation.kind,
             .writes = operation.writes,
             .adds = operation.adds,
             .seen_first = operation.seen_first,
             .seen_last = operation.seen_last},
            components_.stored[index], state.bulk_copies, true);
      break;
    case OperationKind::commit_group:
      state.committed.push_back(state.bulk_copies);
      break;
    case OperationKind::await_groups:
    case OperationKind::await_group_reads: {
      const auto pending = static_cast<std::size_t>(operation.count);
      if (components_.groups[index] >= 0 && state.committed.size() > pending) {
        const std::uint32_t complete = state.committed[state.committed.size() - pending - 1];
        learn(agent, components_.groups[index], complete);
        if (operation.kind == OperationKind::await_groups && components_.stored[index] >= 0) {
          learn(agent, components_.stored[index], complete);
        }
      }
      break;
    }
    default:
      use_tensor_memory(agent, operation);
      break;
  }
}

/// An acquire is ordered after what the write that it reads carries. In another order of the threads it reads another
/// one: where the kernel does other things then, it is refused.
inline void ClockJudge::access_atomically(int agent, const Operation& operation) {
  if (!messages_.is_made(operation.barrier, operation.from)) {
    agents_[static_cast<std::size_t>(agent)].is_blocked = true;
    return messages_.wait(operation.barrier, agent);
  }
  const Messages::Sender self = sender_at(agent, operation.scope);
  const bool acquires = (operation.count & 1) != 0;
  const bool releases = (operation.count & 2) != 0;
  if (operation.from >= 0 && (operation.count & Operation::unread) == 0) {
    messages_.read(agent, operation.barrier, operation.from, self, acquires,
                   [&](const VectorClock& sent) { clock_of(agent).join(sent); });
  }
  const bool meets_ctas = has(operation.memory, Memory::global);
  if (meets_ctas) {
    learn(agent, components_.met, 1);
  }
  touch(agent, operation, agent, epoch_of(agent), false);
  if (order_ != nullptr && meets_ctas) {
    order_->meet(clock_of(agent));
  }
  messages_.observe(operation.barrier, operation.from, self, {agent, epoch_of(agent), operation.write});
  if (operation.write > 0) {
    messages_.write(agent, operation.barrier, operation.write, operation.from, self, releases, clock_of(agent));
    for (const int waiting : messages_.take_waiting(operation.barrier)) {
      agents_[static_cast<std::size_t>(waiting)].is_blocked = false;
    }
  }
  advance(agent);
}
inline void ClockJudge::fence_threads(int agent, const Operation& operation) {
  const auto self = static_cast<std::size_t>(agent);
  const std::pair<std::size_t, std::size_t> fence{self, agents_[self].next};
  for (const OrderedFences& both : program_.ordered_fences) {
    if (fence != std::pair{both.last_agent, both.last}) {
      continue;
    }
    const auto first = fences_.find({both.first_agent, both.first});
    if (first == fences_.end() && passes_fences_) {
      continue;
    }
    if (first == fences_.end()) {
      agents_[self].is_blocked = true;
      fences_waiting_.push_back(self);
      return;
    }
    clock_of(agent).join(first->second);
  }
  if ((operation.count & 1) != 0) {
    acquire_awaited(agent, operation.scope);
  }
  messages_.fence(
      agent, sender_at(agent, operation.scope), (operation.count & 1) != 0, (operation.count & 2) != 0,
      [&](const VectorClock& sent) { clock_of(agent).join(sent); },
      [&]() -> const VectorClock& { return clock_of(agent); });
  if (!program_.ordered_fences.empty()) {
    fences_.emplace(fence, clock_of(agent));
    for (const std::size_t waiting : std::exchange(fences_waiting_, {})) {
      agents_[waiting].is_blocked = false;
    }
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
  arrive_at(barrier, agent, operation);
  if (operation.kind != OperationKind::arrive) {
    agents_[static_cast<std::size_t>(agent)].is_blocked = true;
    barrier.waiting.push_back(agent);
  }
  if (barrier.arrived == barrier.expected && barrier.waiting.empty()) {
    return fail(FindingKind::no_waiter, agent);
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
  components_.raise(barrier.arrived_clock, components_.generations + index, barrier.generation);
  for (const int agent : barrier.waiting) {
    if (operation_of(agent).kind == OperationKind::shuffle) {
      components_.join_without_memory(clock_of(agent), barrier.arrived_clock);
      learn(agent, components_.generations + index, barrier.generation);
    } else {
      pass(barrier, agent);
    }
    advance(agent);
  }
  barrier.waiting.clear();
  barrier.arrived_clock.clear();
}

inline Finding ClockJudge::judge_end() {
  for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
    if (!is_finished(agent)) {
      fail(FindingKind::deadlock, static_cast<int>(agent));
    }
  }
  expect_reached_ctas();
  const auto is_known = [&](int component, std::uint32_t value) {
    return std::any_of(agents_.begin(), agents_.end(), [&](const AgentState& state) {
      return state.clock[static_cast<std::size_t>(component)] >= value;
    });
  };
  for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
    const int async = components_.async[agent];
    const int groups = components_.groups[agent];
    const int reading = components_.reading[agent];
    const int products = components_.products[agent];
    if ((async >= 0 && !is_known(async, agents_[agent].async_copies)) ||
        (groups >= 0 && !program_.leaves_pending &&
         known(static_cast<int>(agent), groups) < agents_[agent].bulk_copies) ||
        (reading >= 0 && known(static_cast<int>(agent), reading) < agents_[agent].async_reads) ||
        (products >= 0 && !is_known(products, agents_[agent].products)) ||
        agents_[agent].complete_loads < agents_[agent].loads) {
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
    const bool has_arrivals = barrier.pending != barrier.expected && !program_.leaves_pending;
    if ((barrier.is_open && (has_arrivals || barrier.bytes != 0 || barrier.has_copies)) ||
        !is_known(components_.phases + static_cast<int>(i), barrier.completed_with_copies)) {
      fail(FindingKind::armed_at_exit, -1, static_cast<int>(named_.size() + i), -1, -1);
    }
  }
  return finding_;
}

}  // namespace dma::inline v0_1::proof::detail
