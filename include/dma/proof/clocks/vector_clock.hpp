#pragma once

#include <dma/proof/record/program.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dma::host {

/// What an agent knows to have happened: one number for each component.
using VectorClock = std::vector<std::uint32_t>;

inline void join(VectorClock& clock, const VectorClock& other) {
  for (std::size_t i = 0; i < clock.size(); ++i) {
    clock[i] = std::max(clock[i], other[i]);
  }
}

/// The components of a program's clocks:
///
/// - the operations that each agent has done;
/// - the complete generations of each barrier;
/// - the last operation of each agent before its latest fence, and its cp.async that were complete there;
/// - the complete copies of each agent. They complete at an unknown time, so only agents that waited for them know. Of
///   bulk stores there are those that have read, and those that have also written;
/// - whether a thread of the CTA has made an atomic access of global memory.
struct ClockComponents {
  int phases = 0;          ///< of the first phase barrier
  int generations = 0;     ///< of the first named barrier
  std::vector<int> fence;  ///< of each agent, -1 where it has no such operations
  std::vector<int> async_fence;
  std::vector<int> async;
  std::vector<int> groups;
  std::vector<int> stored;
  int met = -1;  ///< -1 where the program has no atomics
  int count = 0;

  explicit ClockComponents(const Program& program) {
    const std::size_t agents = program.agents.size();
    phases = static_cast<int>(agents);
    generations = phases + static_cast<int>(program.phase_barriers.size());
    count = generations + program.named_barriers;
    met = program.atomics == 0 ? -1 : count++;
    fence.assign(agents, -1);
    async_fence = async = groups = stored = fence;
    const auto need = [&](int& component) { component = component < 0 ? count++ : component; };
    for (std::size_t agent = 0; agent < agents; ++agent) {
      for (const Operation& operation : program.agents[agent].operations) {
        if (operation.kind == OperationKind::fence) {
          need(fence[agent]);
        } else if (operation.kind == OperationKind::copy_async) {
          need(async[agent]);
        } else if (operation.kind == OperationKind::copy_to_global) {
          need(groups[agent]);
          if (operation.writes != 0) {
            need(stored[agent]);
          }
        }
      }
      if (fence[agent] >= 0 && async[agent] >= 0) {
        need(async_fence[agent]);
      }
    }
  }
};

}  // namespace dma::host
