#pragma once

#include <dma/proof/clocks/clocked_phases.hpp>
#include <dma/proof/clocks/vector_clock.hpp>
#include <dma/proof/record/program.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// What products of tensor cores do to the agents' clocks: their asynchronous reads, and tensor memory.
class ClockedProducts : protected ClockedPhases {
 protected:
  using ClockedPhases::ClockedPhases;

  void read_asynchronously(int agent, const Operation& operation);
  void use_tensor_memory(int agent, const Operation& operation);

 private:
  void await_reads(int agent, const Operation& operation);
  /// @param component  -1 where the agent has none such
  void learn_complete(int agent, int component, std::uint32_t complete) {
    if (component >= 0) {
      learn(agent, component, complete);
    }
  }

  std::vector<std::size_t> reads_waiting_;  ///< agents, each for the products of its warpgroup
};

/// Of an agent's asynchronous reads.
inline void ClockedProducts::read_asynchronously(int agent, const Operation& operation) {
  AgentState& state = agents_[static_cast<std::size_t>(agent)];
  const auto index = static_cast<std::size_t>(agent);
  switch (operation.kind) {
    case OperationKind::read_async:
      touch(agent, operation, components_.reading[index], ++state.async_reads, true);
      state.last_read = epoch_of(agent);
      break;
    case OperationKind::commit_reads:
      state.committed_reads.push_back(state.async_reads);
      state.begun_reads.push_back(state.last_read);
      for (const std::size_t waiting : std::exchange(reads_waiting_, {})) {
        agents_[waiting].is_blocked = false;
      }
      break;
    default:
      return await_reads(agent, operation);
  }
  advance(agent);
}
/// A group of a warpgroup's reads is complete when all its threads have begun them, and it is over for all of them. A
/// wait tells how far they have come, and orders nothing else that they have done.
///
/// Source  PTX ISA, "wgmma.commit_group", "wgmma.wait_group"
inline void ClockedProducts::await_reads(int agent, const Operation& operation) {
  const auto self = static_cast<std::size_t>(agent);
  const auto pending = static_cast<std::size_t>(operation.count);
  const std::size_t committed = agents_[self].committed_reads.size();
  const std::size_t groups = committed > pending ? committed - pending : 0;
  const std::size_t in_cta = self % (agents_.size() / static_cast<std::size_t>(program_.ctas));
  const std::size_t first = program_.waits_for_warpgroups ? self - in_cta % Program::warpgroup : self;
  const std::size_t end =
      program_.waits_for_warpgroups ? std::min(first + Program::warpgroup, agents_.size()) : self + 1;
  const auto begin = agents_.begin();
  if (std::any_of(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(end),
                  [&](const AgentState& state) { return state.committed_reads.size() < groups; })) {
    agents_[self].is_blocked = true;
    return reads_waiting_.push_back(self);
  }
  for (std::size_t reader = first; reader < end && groups != 0; ++reader) {
    if (components_.reading[reader] >= 0) {
      learn(agent, components_.reading[reader], agents_[reader].committed_reads[groups - 1]);
      ClockComponents::note(clock_of(agent), static_cast<int>(reader), agents_[reader].begun_reads[groups - 1]);
    }
  }
  advance(agent);
}

/// An agent's loads and stores are told to others by its fence before a synchronization; what others did is before its
/// products, loads and stores by its fence after one.
inline void ClockedProducts::use_tensor_memory(int agent, const Operation& operation) {
  AgentState& state = agents_[static_cast<std::size_t>(agent)];
  const auto index = static_cast<std::size_t>(agent);
  switch (operation.kind) {
    case OperationKind::multiply:
    case OperationKind::copy_to_tensor:
    case OperationKind::shift_tensor:
      touch(agent, operation, components_.products[index], ++state.products, true);
      break;
    case OperationKind::load_tensor:
      touch(agent, operation, components_.loads[index], ++state.loads, false);
      break;
    case OperationKind::await_loads:
      state.complete_loads = state.loads;
      break;
    case OperationKind::store_tensor:
      touch(agent, operation, components_.tensor_stores[index], ++state.tensor_stores, false);
      break;
    case OperationKind::await_stores:
      state.complete_stores = state.tensor_stores;
      break;
    case OperationKind::free_tensor:
      touch(agent, operation, agent, epoch_of(agent), false);
      break;
    default:
      if (operation.count != 0) {
        state.fenced_tensor = components_.tensor_part_of(state.clock);
      } else {
        learn_complete(agent, components_.loads[index], state.complete_loads);
        learn_complete(agent, components_.tensor_stores[index], state.complete_stores);
      }
      break;
  }
}

}  // namespace dma::inline v0_1::proof::detail
