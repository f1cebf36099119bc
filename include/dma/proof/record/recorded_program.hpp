#pragma once

#include <dma/host/compiled.hpp>
#include <dma/proof/record/cell_map.hpp>
#include <dma/proof/record/lanes_together.hpp>
#include <dma/proof/record/one_store.hpp>
#include <dma/proof/record/program.hpp>
#include <dma/proof/record/recording.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Which CTAs of a cluster an operation needs to be there.
class ReachedCtas {
 public:
  explicit ReachedCtas(const Recording& recording) : recording_(recording) {
    for (int list = 0; recording.cluster > 1 && list < recording.ranges->size(); ++list) {
      unsigned ctas = 0;
      for (const ByteRange& range : (*recording.ranges)[list]) {
        if (range.first >= 0 && !is_global(range)) {
          for (long long cta = range.first / recording.shared_pitch; cta * recording.shared_pitch < range.last; ++cta) {
            ctas |= 1U << cta % recording.cluster;
          }
        }
      }
      of_lists_.push_back(ctas);
    }
  }
  /// As bits by rank. 0 where it needs no other CTA than its own, which is there until it has ended; but a copy may
  /// read on.
  [[nodiscard]] std::uint16_t by(const Operation& operation, int own) const {
    if (of_lists_.empty()) {
      return 0;
    }
    const bool is_of_phase = operation.kind == OperationKind::phase_arrive ||
                             operation.kind == OperationKind::copy_to_shared ||
                             operation.kind == OperationKind::arrive_when_multiplied;
    const unsigned ctas = of_list(operation.reads) | of_list(operation.writes) |
                          (is_of_phase ? 1U << operation.barrier % recording_.cluster : 0U);
    const unsigned others = ctas & ~(1U << own % recording_.cluster);
    return static_cast<std::uint16_t>(operation.kind == OperationKind::copy_to_shared && others != 0 ? ctas : others);
  }

 private:
  [[nodiscard]] unsigned of_list(int list) const { return of_lists_[static_cast<std::size_t>(list)]; }

  const Recording& recording_;
  std::vector<unsigned> of_lists_;  ///< of ranges; empty for a CTA without a cluster
};

/// The sets of cells of a program, each once, by lists of ranges.
class CellSets {
 public:
  CellSets(const RangeTable& ranges, const CellMap& cells, Program& program)
      : ranges_(ranges),
        cells_(cells),
        program_(program),
        set_of_ranges_(static_cast<std::size_t>(ranges.size()), -1) {}

  /// The number of the set of this list's cells, in the program from now on.
  [[nodiscard]] int of(int list) {
    int& set = set_of_ranges_[static_cast<std::size_t>(list)];
    if (set < 0) {
      const auto [place, is_new] =
          sets_.try_emplace(cells_.cells_of(ranges_[list]), static_cast<int>(program_.cell_sets.size()));
      if (is_new) {
        program_.cell_sets.push_back(place->first);
      }
      set = place->second;
    }
    return set;
  }

 private:
  const RangeTable& ranges_;
  const CellMap& cells_;
  Program& program_;
  std::vector<int> set_of_ranges_;  ///< -1 for a list whose set is not known
  std::map<std::vector<int>, int> sets_{{{}, 0}};
};

/// Makes a program of lists of operations: ranges become cells, and barriers get consecutive numbers.
///
/// @param lists  of threads or of warps
/// @param name   `std::string(index)`: the name of an agent
/// @param last   bytes from here on are left out
template <class Name>
[[nodiscard]] Program program_of(const Recording& recording, const std::vector<std::vector<Operation>>& lists,
                                 const Name& name, long long last = std::numeric_limits<long long>::max()) {
  Program program;
  program.ctas = recording.ctas;
  program.cluster = recording.cluster;
  program.places = recording.places;
  program.pipelines = recording.pipelines;
  program.phase_barriers.assign(static_cast<std::size_t>(recording.phase_barriers), 0);
  std::set<int> written;
  std::map<std::pair<int, bool>, int> named;  // A warp's lanes synchronize and shuffle at two barriers.
  for (const auto& list : lists) {
    for (const Operation& operation : list) {
      if (operation.writes != 0) {
        written.insert(operation.writes);
      }
      if (operation.is_named()) {
        named.try_emplace({operation.barrier, operation.kind == OperationKind::shuffle},
                          static_cast<int>(named.size()));
      }
    }
  }
  const CellMap cells(*recording.ranges, {written.begin(), written.end()}, recording.shared_pitch, last);
  program.cells = cells.count();
  program.atomics = recording.atomics;
  program.memory_of_cells = cells.memories();
  program.named_barriers = static_cast<int>(named.size());
  CellSets sets(*recording.ranges, cells, program);
  std::vector<Memory> memory_of_ranges(static_cast<std::size_t>(recording.ranges->size()), Memory::none);
  const auto memory_of = [&](int ranges) {
    Memory& memory = memory_of_ranges[static_cast<std::size_t>(ranges)];
    if (ranges != 0 && memory == Memory::none) {
      memory = recording.layout.memory_of((*recording.ranges)[ranges]);
    }
    return memory;
  };
  const ReachedCtas reached(recording);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    Agent agent{name(static_cast<int>(i)), lists[i],
                static_cast<int>(i * static_cast<std::size_t>(recording.ctas) / lists.size())};
    for (Operation& operation : agent.operations) {
      operation.ctas = reached.by(operation, agent.cta);
      operation.memory = memory_of(operation.reads) | memory_of(operation.writes);
      operation.reads = sets.of(operation.reads);
      operation.writes = sets.of(operation.writes);
      if (operation.is_named()) {
        operation.barrier = named.at({operation.barrier, operation.kind == OperationKind::shuffle});
      }
    }
    program.agents.push_back(std::move(agent));
  }
  return program;
}

/// Makes an agent of each thread.
///
/// @pre The recording exists as long as the program.
[[nodiscard]] inline Program program_of_threads(const Recording& recording) {
  Program program =
      program_of(recording, recording.threads, [&](int thread) { return recording.name_of_thread(thread); });
  program.ordered_fences = recording.ordered_fences;
  program.leaves_pending = recording.leaves_pending;
  program.waits_for_warpgroups = recording.waits_for_warpgroups;
  if (recording.has_lanes_together) {
    put_lanes_together(program);
  }
  if constexpr (sees_every_access) {
    program.is_one_store = OneStore(recording);
  }
  return program;
}

}  // namespace dma::inline v0_1::proof::detail
