#pragma once

#include <dma/machine/host/instruction.hpp>
#include <dma/proof/clocks/vector_clock.hpp>
#include <dma/proof/record/program.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// The components of a program's clocks:
///
/// - the operations that each agent has done;
/// - the complete generations of each barrier;
/// - the complete copies of each agent. They complete at an unknown time, so only agents that waited for them know. Of
///   bulk stores there are those that have read, and those that have also written;
/// - the complete asynchronous reads of each agent, likewise;
/// - its complete products into tensor memory, and its loads and stores of it, likewise;
/// - of the agents' operations and of their cp.async, those that a proxy fence followed: of any agent that knew of
///   them;
/// - whether a thread of the CTA has made an atomic access of global memory;
/// - whether one has waited for the grids before.
///
/// Where arrivals order one CTA's shared memory alone, there are such components for each memory too, for what an agent
/// knows to have happened to it: after those that count what happened at all, those of each CTA's shared memory and
/// then those of global memory. Where lanes only shuffle, or arrivals are relaxed, there are those of all memory
/// together.
struct ClockComponents {
  int phases = 0;          ///< of the first phase barrier, behind those of the agents
  int generations = 0;     ///< of the first named barrier
  int first_async = 0;     ///< of the first agent with cp.async
  int end_of_async = 0;    ///< one behind the last
  std::vector<int> async;  ///< of each agent, -1 where it has no such operations
  std::vector<int> groups;
  std::vector<int> stored;
  std::vector<int> reading;
  std::vector<int> products;
  std::vector<int> loads;
  std::vector<int> tensor_stores;
  int first_of_tensor = 0;  ///< of the components of products, loads and stores
  int end_of_tensor = 0;
  int met = -1;     ///< -1 where the program has no atomics
  int grids = -1;   ///< -1 where no thread waits for them
  int fenced = -1;  ///< what an agent knows to be fenced of agent 0, then of the others; -1 where there is no fence
  int fenced_async = -1;
  int count = 0;              ///< of what happened at all
  int memories = 0;           ///< that have components of their own
  bool has_relaxed = false;   ///< arrivals at phase barriers, or waits, that order no accesses
  bool has_shuffles = false;  ///< or anything else that orders none

  explicit ClockComponents(const Program& program) {
    const std::size_t agents = program.agents.size();
    phases = whole_blocks(static_cast<int>(agents));
    generations = phases + static_cast<int>(program.phase_barriers.size());
    count = generations + program.named_barriers;
    met = program.atomics == 0 ? -1 : count++;
    groups = stored = reading = products = loads = tensor_stores = async = std::vector<int>(agents, -1);
    bool has_fences = false;
    bool orders_one_memory = false;
    // Products of a warpgroup say that its threads have begun them, and order nothing else, as shuffles; so do lanes
    // that do an operation together.
    has_shuffles = program.waits_for_warpgroups || !program.together.empty();
    for_each_operation(program, [&](std::size_t, const Operation& operation) {
      has_fences = has_fences || operation.kind == OperationKind::fence;
      orders_one_memory = orders_one_memory || operation.ordered == machine::Ordered::shared_memory_in_cluster ||
                          is_fence_of_shared(operation);
      has_relaxed = has_relaxed || operation.is_relaxed;
      has_shuffles = has_shuffles || operation.kind == OperationKind::shuffle ||
                     operation.kind == OperationKind::arrive_when_multiplied;
      need(grids, operation.kind == OperationKind::await_grids);
    });
    first_async = count = whole_blocks(count);
    for_each_operation(program, [&](std::size_t agent, const Operation& operation) {
      need(async[agent], operation.kind == OperationKind::copy_async);
    });
    end_of_async = count = whole_blocks(count);
    for_each_operation(program, [&](std::size_t agent, const Operation& operation) {
      const bool is_store = operation.kind == OperationKind::copy_to_global;
      need(groups[agent], is_store);
      need(stored[agent], is_store && operation.writes != 0);
      need(reading[agent], operation.kind == OperationKind::read_async);
    });
    first_of_tensor = count;
    for_each_operation(program, [&](std::size_t agent, const Operation& operation) {
      need(products[agent], operation.kind == OperationKind::multiply ||
                                operation.kind == OperationKind::copy_to_tensor ||
                                operation.kind == OperationKind::shift_tensor);
      need(loads[agent], operation.kind == OperationKind::load_tensor);
      need(tensor_stores[agent], operation.kind == OperationKind::store_tensor);
    });
    end_of_tensor = count;
    memories = orders_one_memory ? program.ctas + 1 : has_shuffles || has_relaxed ? all_together : 0;
    count = whole_blocks(count);
    if (has_fences) {
      fenced = count;
      fenced_async = fenced + phases;
      count = fenced_async + end_of_async - first_async;
    }
  }

  [[nodiscard]] VectorClock zero() const {
    return VectorClock(static_cast<std::size_t>(count) * static_cast<std::size_t>(1 + memories));
  }
  /// The component that counts the same in one memory.
  [[nodiscard]] int in_memory(int component, int memory) const {
    const bool is_last = memory == Program::global || memories == all_together;
    return memories == 0 ? component : component + count * (is_last ? memories : 1 + memory);
  }
  /// Raises a component to a value, in all memories.
  void raise(VectorClock& clock, int component, std::uint32_t value) const {
    for (int memory = 0; memory <= memories; ++memory) {
      clock.raise(static_cast<std::size_t>(component + count * memory), value);
    }
  }
  /// Of another agent's clock what happened, and of what happened to memories that of one.
  void join_in_memory(VectorClock& clock, const VectorClock& other, int memory) const {
    const auto block = static_cast<std::size_t>(count);
    const auto first = static_cast<std::size_t>(in_memory(0, memory));
    clock.raise(0, other, 0, block);
    clock.raise(first, other, first, block);
  }

  /// That an agent has come so far, without any order of its accesses.
  static void note(VectorClock& clock, int agent, std::uint32_t epoch) {
    clock.raise(static_cast<std::size_t>(agent), epoch);
  }
  /// Of another agent's clock what happened, without any order of accesses.
  void join_without_memory(VectorClock& clock, const VectorClock& other) const {
    clock.raise(0, other, 0, static_cast<std::size_t>(count));
  }
  /// All of another agent's clock, but for its own accesses, of which it says how far it has come.
  void join_without_accesses_of(int agent, VectorClock& clock, const VectorClock& its) const {
    VectorClock known = its;
    for (int memory = 1; memory <= memories; ++memory) {
      known.forget(static_cast<std::size_t>(agent + count * memory));
    }
    clock.join(known);
  }
  /// Whether something, and no order of accesses, tells an agent of this value.
  [[nodiscard]] bool knows_without_memory(const VectorClock& clock, int component, std::uint32_t value) const {
    return (memories == all_together || has_relaxed) && clock[static_cast<std::size_t>(component)] >= value;
  }

  /// Whether it counts products, loads or stores of tensor memory.
  [[nodiscard]] bool is_of_tensor(int component) const {
    return component >= first_of_tensor && component < end_of_tensor;
  }
  /// What of these a clock has.
  [[nodiscard]] std::vector<std::uint32_t> tensor_part_of(const VectorClock& clock) const {
    std::vector<std::uint32_t> part;
    for (int component = first_of_tensor; component < end_of_tensor; ++component) {
      part.push_back(clock[static_cast<std::size_t>(component + first_ordered())]);
    }
    return part;
  }
  /// What of this component an agent knows to be fenced, as a component; -1 where there is no fence.
  ///
  /// @pre It counts the operations of an agent, or its cp.async.
  [[nodiscard]] int fenced_part_of(int component) const {
    return fenced < 0 ? -1 : component < phases ? fenced + component : fenced_async + component - first_async;
  }
  /// All that this agent knows is fenced now, but what it knows without any order of accesses.
  void fence(VectorClock& clock) const {
    const auto ordered = static_cast<std::size_t>(first_ordered());
    clock.raise(static_cast<std::size_t>(fenced), clock, ordered, static_cast<std::size_t>(phases));
    clock.raise(static_cast<std::size_t>(fenced_async), clock, ordered + static_cast<std::size_t>(first_async),
                static_cast<std::size_t>(end_of_async - first_async));
  }

  [[nodiscard]] static bool is_fence_of_shared(const Operation& operation) {
    return operation.kind == OperationKind::fence && operation.count >= Operation::releases_shared;
  }

 private:
  static constexpr int all_together = 1;

  /// Those that are raised apart are blocks of their own.
  [[nodiscard]] static constexpr int whole_blocks(int components) {
    return static_cast<int>(VectorClock::blocks_of(static_cast<std::size_t>(components)) * VectorClock::block);
  }
  /// Of what an agent knows by an order of accesses, the first component.
  [[nodiscard]] int first_ordered() const { return memories == all_together ? count : 0; }
  void need(int& component, bool is_needed) { component = component < 0 && is_needed ? count++ : component; }
  template <class Visit>
  static void for_each_operation(const Program& program, const Visit& visit) {
    for (std::size_t agent = 0; agent < program.agents.size(); ++agent) {
      for (const Operation& operation : program.agents[agent].operations) {
        visit(agent, operation);
      }
    }
  }
};

}  // namespace dma::inline v0_1::proof::detail
