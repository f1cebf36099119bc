#pragma once

#include <dma/proof/record/cell_map.hpp>
#include <dma/proof/record/program.hpp>
#include <dma/proof/record/recording.hpp>

#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dma::host {

/// Makes a program of lists of operations: ranges become cells, and barriers get consecutive numbers.
///
/// @param lists  of threads or of warps
/// @param name   `std::string(index)`: the name of an agent
/// @param last   bytes from here on are left out
template <class Name>
[[nodiscard]] Program program_of(const Recording& recording, const std::vector<std::vector<Operation>>& lists,
                                 const Name& name, long long last = std::numeric_limits<long long>::max()) {
  Program program;
  program.places = recording.places;
  program.pipelines = recording.pipelines;
  program.phase_barriers.assign(static_cast<std::size_t>(recording.phase_barriers), 0);
  std::set<int> written;
  std::map<int, int> named;
  for (const auto& list : lists) {
    for (const Operation& operation : list) {
      if (operation.writes != 0) {
        written.insert(operation.writes);
      }
      if (operation.kind == OperationKind::sync || operation.kind == OperationKind::arrive) {
        named.try_emplace(operation.barrier, static_cast<int>(named.size()));
      }
    }
  }
  const CellMap cells(*recording.ranges, {written.begin(), written.end()}, last);
  program.cells = cells.count();
  program.atomics = recording.atomics;
  program.is_global = cells.is_global();
  program.named_barriers = static_cast<int>(named.size());
  std::vector<int> set_of_ranges(static_cast<std::size_t>(recording.ranges->size()), -1);
  std::map<std::vector<int>, int> sets{{{}, 0}};
  const auto set_of = [&](int ranges) {
    int& set = set_of_ranges[static_cast<std::size_t>(ranges)];
    if (set < 0) {
      const auto [place, is_new] =
          sets.try_emplace(cells.cells_of((*recording.ranges)[ranges]), static_cast<int>(program.cell_sets.size()));
      if (is_new) {
        program.cell_sets.push_back(place->first);
      }
      set = place->second;
    }
    return set;
  };
  for (std::size_t i = 0; i < lists.size(); ++i) {
    Agent agent{name(static_cast<int>(i)), lists[i]};
    for (Operation& operation : agent.operations) {
      operation.reads = set_of(operation.reads);
      operation.writes = set_of(operation.writes);
      if (operation.kind == OperationKind::sync || operation.kind == OperationKind::arrive) {
        operation.barrier = named.at(operation.barrier);
      }
    }
    program.agents.push_back(std::move(agent));
  }
  return program;
}

/// Makes an agent of each thread.
[[nodiscard]] inline Program program_of_threads(const Recording& recording) {
  return program_of(recording, recording.threads, [](int thread) { return "thread " + std::to_string(thread); });
}

}  // namespace dma::host
