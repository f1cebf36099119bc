#pragma once

#include <dma/proof/record/program.hpp>

#include <cstddef>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Says of a program of threads which lanes of a warp wait, or arrive, at phase barriers together: those that are at
/// one place of the source for the same time. No rule of the machine says that they do it at once; a warp whose lanes
/// have not diverged does.
inline void put_lanes_together(Program& program) {
  using Kind = OperationKind;
  std::map<std::tuple<std::size_t, int, Kind, int>, std::vector<Operation*>> lanes;
  for (std::size_t agent = 0; agent < program.agents.size(); ++agent) {
    std::map<std::pair<int, Kind>, int> times;
    for (Operation& operation : program.agents[agent].operations) {
      if (operation.kind == Kind::phase_arrive || operation.kind == Kind::wait) {
        const int time = times[{operation.place, operation.kind}]++;
        lanes[{agent / 32, operation.place, operation.kind, time}].push_back(&operation);
      }
    }
  }
  for (const auto& [key, operations] : lanes) {
    if (operations.size() > 1) {
      for (Operation* const operation : operations) {
        operation->together = static_cast<int>(program.together.size());
      }
      program.together.push_back(static_cast<int>(operations.size()));
    }
  }
}

}  // namespace dma::inline v0_1::proof::detail
