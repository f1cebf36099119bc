#pragma once

#include <dma/proof/clocks/atomic_order.hpp>
#include <dma/proof/clocks/clock_components.hpp>
#include <dma/proof/clocks/messages.hpp>
#include <dma/proof/clocks/tensor_pipeline.hpp>
#include <dma/proof/clocks/touched_cells.hpp>
#include <dma/proof/clocks/vector_clock.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/record/program.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// The state of a program's agents and barriers at one point of a schedule, and what each agent knows there.
class ClockedAgents {
 protected:
  explicit ClockedAgents(const Program& program)
      : program_(program),
        components_(program),
        cells_(program.cells),
        agents_(program.agents.size()),
        named_(static_cast<std::size_t>(program.named_barriers)),
        phases_(program.phase_barriers.size()),
        meetings_(program.together.size()),
        messages_(program.agents.size(), static_cast<std::size_t>(program.atomics)) {
    const VectorClock zero = components_.zero();
    for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
      agents_[agent].clock = zero;
      components_.raise(agents_[agent].clock, static_cast<int>(agent), 1);
    }
    for (Named& barrier : named_) {
      barrier.arrived_clock = zero;
    }
    for (std::size_t i = 0; i < phases_.size(); ++i) {
      Phase& barrier = phases_[i];
      barrier.arrived_clock = zero;
      barrier.completed_clock = zero;
      barrier.released_clock = zero;
      barrier.last_use.assign(agents_.size(), 0);
      barrier.expected = barrier.pending = program.phase_barriers[i];
      barrier.is_open = barrier.expected > 0;
    }
  }

  struct AgentState {
    VectorClock clock;
    std::size_t next = 0;
    bool is_blocked = false;
    bool has_met = false;  ///< the lanes that do its next operation together
    std::uint32_t async_copies = 0;
    std::uint32_t bulk_copies = 0;
    std::uint32_t async_reads = 0;
    std::vector<std::uint32_t> committed_async;  ///< cp.async up to the end of each group
    std::vector<std::uint32_t> committed;        ///< bulk copies up to the end of each group
    /// Asynchronous reads up to the end of each of their groups, and how far the agent had come with the last of them.
    std::vector<std::uint32_t> committed_reads;
    std::vector<std::uint32_t> begun_reads;
    std::uint32_t last_read = 0;
    std::uint32_t products = 0;
    std::uint32_t loads = 0;            ///< of tensor memory
    std::uint32_t complete_loads = 0;   ///< of these, that it has waited for
    std::uint32_t tensor_stores = 0;    ///< likewise
    std::uint32_t complete_stores = 0;  ///< of these, that it has waited for
    /// What its products, loads and stores follow of others', by a fence of its own: a part of its clock there.
    std::vector<std::uint32_t> fenced_tensor;
    Messages::Clock fenced_shared;  ///< at its last fence of shared memory, for arrivals that are relaxed
    Messages::Parts awaited;        ///< by waits that are relaxed, for a fence behind them
  };
  /// An operation that must be ordered before the completion of a phase.
  struct Mark {
    int agent;
    int operation;
    std::uint32_t epoch;
  };
  /// An arrival that may not complete its phase, and whether one of the phase is known to come after it.
  struct NeverLast {
    Mark mark;
    bool has_later;
  };
  struct Named {
    int expected = 0;
    int arrived = 0;
    std::uint32_t generation = 0;
    VectorClock arrived_clock;
    Messages::Parts arrived_parts;  ///< of arrivals that are relaxed: what fences before them release
    std::vector<int> waiting;
  };
  struct Meeting {
    VectorClock clock;
    std::vector<int> waiting;
  };
  struct Phase {
    bool is_open = false;
    int expected = 0;
    int pending = 0;
    int bytes = 0;
    std::uint32_t completed = 0;
    bool has_copies = false;    ///< that end later than their arrival, products among them
    bool awaits_bytes = false;  ///< or cp.async: copies that a thread has to know of at exit by the phase itself
    std::uint32_t completed_with_copies = 0;  ///< phases that were complete with the last one that had copies
    VectorClock arrived_clock;                ///< joined clocks of this phase's arrivals
    VectorClock completed_clock;              ///< and of the copies that complete in it
    VectorClock released_clock;               ///< that of the latest complete phase
    Messages::Parts arrived_parts;   ///< of this phase's arrivals that are relaxed: what fences before them release
    Messages::Parts released_parts;  ///< those of the latest complete phase
    std::vector<Mark> arrived;       ///< in this phase
    std::vector<Mark> arrived_before[2];  ///< in the latest complete phases, by parity
    bool had_copies[2] = {};
    std::vector<Mark> announced;
    std::vector<NeverLast> never_last;
    std::vector<Mark> passed;
    std::vector<int> waiting;
    std::vector<std::uint32_t> last_use;
    int opener = -1;
    std::uint32_t opened = 0;
    std::vector<Mark> fences;  ///< of its opening
    int closer = -1;
    std::uint32_t closed = 0;
  };

  [[nodiscard]] bool is_finished(std::size_t agent) const {
    return agents_[agent].next == program_.agents[agent].operations.size();
  }
  [[nodiscard]] const Operation& operation_of(int agent) const {
    const auto index = static_cast<std::size_t>(agent);
    return program_.agents[index].operations[agents_[index].next];
  }
  [[nodiscard]] VectorClock& clock_of(int agent) { return agents_[static_cast<std::size_t>(agent)].clock; }
  [[nodiscard]] std::uint32_t epoch_of(int agent) { return clock_of(agent)[static_cast<std::size_t>(agent)]; }
  [[nodiscard]] std::uint32_t known(int agent, int component) {
    return clock_of(agent)[static_cast<std::size_t>(component)];
  }
  /// Whether the agent knows of this value, for what is in one memory.
  [[nodiscard]] bool knows(int agent, int component, std::uint32_t value, int memory) {
    return known(agent, components_.in_memory(component, memory)) >= value;
  }
  [[nodiscard]] bool all_know(int component, std::uint32_t value, int memory) const {
    const auto in_memory = static_cast<std::size_t>(components_.in_memory(component, memory));
    return std::all_of(agents_.begin(), agents_.end(),
                       [&](const AgentState& state) { return state.clock[in_memory] >= value; });
  }
  void learn(int agent, int component, std::uint32_t value) { components_.raise(clock_of(agent), component, value); }
  void advance(int agent) {
    AgentState& state = agents_[static_cast<std::size_t>(agent)];
    components_.raise(state.clock, agent, epoch_of(agent) + 1);
    ++state.next;
    state.is_blocked = state.has_met = false;
  }
  void fail(FindingKind kind, int agent) {
    fail(kind, agent, static_cast<int>(agents_[static_cast<std::size_t>(agent)].next), -1, -1);
  }
  void fail(FindingKind kind, int agent, int operation, int other_agent, int other_operation) {
    if (finding_.kind == FindingKind::none) {
      finding_ = {kind, agent, operation, other_agent, other_operation};
    }
  }

  [[nodiscard]] int cta_of(int agent) const { return program_.agents[static_cast<std::size_t>(agent)].cta; }
  [[nodiscard]] int cluster_of(int agent) const { return cta_of(agent) / program_.cluster; }
  [[nodiscard]] Messages::Sender sender_at(int agent, Scope scope) const {
    return {cta_of(agent), cluster_of(agent), scope};
  }
  template <class Condition>
  [[nodiscard]] bool any_agent_of(int cta, const Condition& holds) const {
    bool any = false;
    for (int agent = 0; agent < static_cast<int>(agents_.size()) && !any; ++agent) {
      any = cta_of(agent) == cta && holds(agent);
    }
    return any;
  }
  [[nodiscard]] bool knows_complete(int agent, int barrier, std::uint32_t phases);
  /// Whether a proxy fence follows this value of a component, and the agent's bulk copies follow the fence.
  [[nodiscard]] bool is_fenced(int agent, int component, std::uint32_t value) {
    const int fenced = components_.fenced_part_of(component);
    return fenced >= 0 && known(agent, fenced) >= value;
  }
  [[nodiscard]] bool is_fenced(int agent, const TouchedCells::Touch& earlier);
  /// Whether an access of tensor memory follows an earlier one.
  void expect_tensor_order(int agent, const Operation& operation, const TouchedCells::Touch& earlier);
  [[nodiscard]] bool is_observed(int agent, const Operation& write, int memory);
  [[nodiscard]] int memory_of(int cell) const {
    return program_.memory_of_cells.empty() ? 0 : program_.memory_of_cells[static_cast<std::size_t>(cell)];
  }
  [[nodiscard]] bool is_global(int cell) const { return memory_of(cell) == Program::global; }
  /// The library's fence is one of shared memory (fence.proxy.async.shared::cta). A write of global memory that a bulk
  /// copy follows has none.
  [[nodiscard]] bool is_fenced_in_global(const TouchedCells::Touch& earlier, bool did_write) const {
    return !did_write || earlier.component >= static_cast<int>(agents_.size());
  }
  /// Whether the agent can go on with its next operation.
  [[nodiscard]] bool meets_lanes(int agent);
  void touch(int agent, const Operation& operation, int component, std::uint32_t value, bool by_bulk_copy);
  /// The operation uses other CTAs of the cluster until `component` has this value.
  void reach(int agent, const Operation& operation, int component, std::uint32_t value);
  /// A CTA is there as long as one of its threads runs: one has to end after each use of it.
  void expect_reached_ctas();

  const Program& program_;
  ClockComponents components_;
  TouchedCells cells_;
  std::vector<AgentState> agents_;
  std::vector<Named> named_;
  std::vector<Phase> phases_;
  std::vector<Meeting> meetings_;  ///< of lanes that do an operation together
  Messages messages_;
  /// The last use of a CTA that the clocks' component counts, by an agent of another one.
  struct Reach {
    std::uint32_t value;
    int operation;
  };
  std::map<std::tuple<int, int, int>, Reach> reaches_;  ///< by agent, component and CTA
  Finding finding_;
  AtomicOrder* order_ = nullptr;  ///< null where it is not asked for
};

/// Whether an access precedes the agent's bulk copies. A bulk copy's own accesses do when they are over. Those of the
/// generic proxy, a cp.async among them, do where a proxy fence is between the two on the path that orders them: a
/// fence of any thread of the CTA that is ordered after the access.
///
/// Source  Lustig, Cooksey, Giroux: Mixed-proxy extensions for the NVIDIA PTX memory consistency model (ISCA 2022),
///         proxy-preserved base causality order
inline bool ClockedAgents::is_fenced(int agent, const TouchedCells::Touch& earlier) {
  const bool is_generic = earlier.component < components_.phases ||
                          earlier.component == components_.async[static_cast<std::size_t>(earlier.agent)];
  return !is_generic || is_fenced(agent, earlier.component, earlier.value);
}

/// Whether an atomic write is before the agent's next operation, since something observes it that is.
inline bool ClockedAgents::is_observed(int agent, const Operation& write, int memory) {
  return write.kind == OperationKind::atomic && write.write > 0 &&
         messages_.is_observed(write.barrier, write.write,
                               [&](int other, std::uint32_t epoch) { return knows(agent, other, epoch, memory); });
}

/// What tensor cores do for an agent may come in its order. Of other accesses the agent knows that the earlier one is
/// complete: it has waited for its own loads and stores, or is ordered after another agent's fence behind them or after
/// the arrival of products; then a fence of its own orders what it does there, and freeing needs none.
///
/// Source  PTX ISA, "Memory Consistency Model for 5th generation of TensorCore operations"
inline void ClockedAgents::expect_tensor_order(int agent, const Operation& operation,
                                               const TouchedCells::Touch& earlier) {
  const AgentState& self = agents_[static_cast<std::size_t>(agent)];
  const std::vector<Operation>& operations = program_.agents[static_cast<std::size_t>(earlier.agent)].operations;
  const Operation& other = operations[static_cast<std::size_t>(earlier.operation)];
  if (agent == earlier.agent) {
    if (TensorPipeline::has_order(operations, static_cast<std::size_t>(earlier.operation), self.next) ||
        (other.kind == OperationKind::load_tensor && self.complete_loads >= earlier.value) ||
        (other.kind == OperationKind::store_tensor && self.complete_stores >= earlier.value)) {
      return;
    }
  }
  const int number = static_cast<int>(self.next);
  if (!knows(agent, earlier.component, earlier.value, cta_of(agent))) {
    return fail(FindingKind::unfinished_copy, agent, number, earlier.agent, earlier.operation);
  }
  const auto place = static_cast<std::size_t>(earlier.component - components_.first_of_tensor);
  const bool needs_fence = operation.kind != OperationKind::free_tensor;
  if (needs_fence && (self.fenced_tensor.empty() || self.fenced_tensor[place] < earlier.value)) {
    fail(FindingKind::missing_fence, agent, number, earlier.agent, earlier.operation);
  }
}

/// @param value  of `component` in the clocks of agents that know that the access is over
inline void ClockedAgents::touch(int agent, const Operation& operation, int component, std::uint32_t value,
                                 bool by_bulk_copy) {
  const int number = static_cast<int>(agents_[static_cast<std::size_t>(agent)].next);
  const auto check = [&](const TouchedCells::Touch& earlier, int cell, bool did_write, bool writes) {
    if (operation.is_of_tensor_memory() && components_.is_of_tensor(earlier.component)) {
      return expect_tensor_order(agent, operation, earlier);
    }
    if (!knows(agent, earlier.component, earlier.value, memory_of(cell))) {
      const Operation& other = program_.agents[static_cast<std::size_t>(earlier.agent)]
                                   .operations[static_cast<std::size_t>(earlier.operation)];
      const bool are_atomic = operation.is_atomic() && other.is_atomic();
      const bool are_one_store =
          did_write && writes && program_.is_one_store && program_.is_one_store(agent, operation, earlier.agent, other);
      if (are_atomic || are_one_store) {
        return;
      }
      if (!by_bulk_copy && did_write && is_observed(agent, other, memory_of(cell))) {
        if (writes) {
          messages_.overwrite(other.barrier, other.write);
        }
        return;
      }
      if (finding_.kind == FindingKind::none) {
        fail(earlier.component < static_cast<int>(agents_.size()) ? FindingKind::race : FindingKind::unfinished_copy,
             agent, number, earlier.agent, earlier.operation);
        const bool met = components_.knows_without_memory(clock_of(agent), earlier.component, earlier.value);
        finding_.met_by_shuffle = met && !components_.has_relaxed;
        finding_.met_by_relaxed = met && !components_.has_shuffles;
      }
    } else if (by_bulk_copy &&
               !(is_global(cell) ? is_fenced_in_global(earlier, did_write) : is_fenced(agent, earlier))) {
      fail(FindingKind::missing_fence, agent, number, earlier.agent, earlier.operation);
    }
  };
  if (order_ != nullptr && component >= 0) {
    order_->touch({.agent = agent,
                   .operation = number,
                   .reads = component != components_.stored[static_cast<std::size_t>(agent)],
                   .writes = component != components_.groups[static_cast<std::size_t>(agent)],
                   .component = components_.in_memory(component, Program::global),
                   .value = value,
                   .follows = components_.met >= 0 && knows(agent, components_.met, 1, Program::global),
                   .knows_grids = components_.grids >= 0 && knows(agent, components_.grids, 1, Program::global)});
  }
  using Kind = TouchedCells::Kind;
  const Kind kind = operation.kind == OperationKind::atomic ? Kind::atomic
                    : operation.adds                        ? Kind::added
                                                            : Kind::ordinary;
  cells_.touch(program_.cell_sets[static_cast<std::size_t>(operation.reads)],
               program_.cell_sets[static_cast<std::size_t>(operation.writes)], {component, value, agent, number}, kind,
               check, [&](const TouchedCells::Touch& touch, int cell) {
                 return all_know(touch.component, touch.value, memory_of(cell));
               });
}

/// Lanes that do an operation together: each knows that the others are at it, and so, what it takes to be true, that
/// they have done it once it has. That orders none of their accesses.
inline bool ClockedAgents::meets_lanes(int agent) {
  AgentState& self = agents_[static_cast<std::size_t>(agent)];
  const int together = operation_of(agent).together;
  if (together < 0 || self.has_met) {
    return true;
  }
  Meeting& meeting = meetings_[static_cast<std::size_t>(together)];
  meeting.clock.join(self.clock);
  meeting.waiting.push_back(agent);
  self.is_blocked = true;
  if (meeting.waiting.size() == static_cast<std::size_t>(program_.together[static_cast<std::size_t>(together)])) {
    for (const int lane : meeting.waiting) {
      AgentState& state = agents_[static_cast<std::size_t>(lane)];
      components_.join_without_memory(state.clock, meeting.clock);
      state.has_met = true;
      state.is_blocked = false;
    }
  }
  return self.has_met;
}

inline void ClockedAgents::reach(int agent, const Operation& operation, int component, std::uint32_t value) {
  for (int rank = 0; operation.ctas >> rank != 0; ++rank) {
    if ((operation.ctas >> rank & 1) != 0) {
      const int cta = cluster_of(agent) * program_.cluster + rank;
      reaches_[{agent, component, cta}] = {value, static_cast<int>(agents_[static_cast<std::size_t>(agent)].next)};
    }
  }
}
inline void ClockedAgents::expect_reached_ctas() {
  for (const auto& [key, reach] : reaches_) {
    const auto& [agent, component, cta] = key;
    if (!any_agent_of(
            cta, [&, counted = component, value = reach.value](int other) { return known(other, counted) >= value; })) {
      fail(FindingKind::ended_cta, agent, reach.operation, -1, -1);
    }
  }
}

/// Whether `phases` phases are complete whenever the agent gets here. The agent knows it from a wait, its own or one
/// that it is ordered after, or from all arrivals of the last of these phases.
inline bool ClockedAgents::knows_complete(int agent, int barrier, std::uint32_t phases) {
  if (known(agent, components_.phases + barrier) >= phases) {
    return true;
  }
  const Phase& state = phases_[static_cast<std::size_t>(barrier)];
  const std::size_t parity = (phases - 1) & 1U;
  if (phases + 1 < state.completed || state.had_copies[parity]) {
    return false;
  }
  const auto& marks = state.arrived_before[parity];
  return std::all_of(marks.begin(), marks.end(),
                     [&](const Mark& mark) { return known(agent, mark.agent) >= mark.epoch; });
}

}  // namespace dma::inline v0_1::proof::detail
