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
/// - the last operation of each agent before its latest fence;
/// - the complete copies of each agent. They complete at an unknown time, so only agents that waited for them know.
struct ClockComponents {
  int phases = 0;          ///< of the first phase barrier
  int generations = 0;     ///< of the first named barrier
  std::vector<int> fence;  ///< of each agent, -1 where it has no such operations
  std::vector<int> async;
  std::vector<int> groups;
  int count = 0;

  explicit ClockComponents(const Program& program) {
    const std::size_t agents = program.agents.size();
    phases = static_cast<int>(agents);
    generations = phases + static_cast<int>(program.phase_barriers.size());
    count = generations + program.named_barriers;
    fence.assign(agents, -1);
    async.assign(agents, -1);
    groups.assign(agents, -1);
    for (std::size_t agent = 0; agent < agents; ++agent) {
      for (const Operation& operation : program.agents[agent].operations) {
        int* const component = operation.kind == OperationKind::fence            ? &fence[agent]
                               : operation.kind == OperationKind::copy_async     ? &async[agent]
                               : operation.kind == OperationKind::copy_to_global ? &groups[agent]
                                                                                 : nullptr;
        if (component != nullptr && *component < 0) {
          *component = count++;
        }
      }
    }
  }
};

}  // namespace dma::host
