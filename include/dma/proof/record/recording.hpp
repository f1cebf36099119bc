#pragma once

#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/machine/index3.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/record/byte_ranges.hpp>
#include <dma/proof/record/program.hpp>
#include <dma/proof/record/ring_use.hpp>
#include <dma/proof/record/seen_accesses.hpp>
#include <dma/proof/record/shared_contents.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dma::host {

/// What the threads of a CTA did in one run. Operations are those of a program, except that `reads` and `writes` are
/// numbers of range lists, and that named barriers from `first_meeting` on are the `__syncwarp` of each warp.
struct Recording {
  static constexpr int first_meeting = 16;  ///< after the 16 named barriers of a CTA

  Index3 block;   ///< of the CTA in the grid
  Index3 blocks;  ///< of the grid
  std::vector<std::vector<Operation>> threads;
  std::vector<std::vector<bool>> answers;          ///< of each thread's polls
  std::vector<std::vector<std::uint64_t>> counts;  ///< what each thread read from counters of the grid
  std::shared_ptr<RangeTable> ranges = std::make_shared<RangeTable>();
  std::vector<Place> places{{}};
  // In a program that sees every access.
  std::optional<ContentsFault> contents_fault;
  std::vector<SeenInstruction> seen;
  int atomics = 0;          ///< locations of atomic accesses
  bool meets_ctas = false;  ///< by an atomic access of global memory
  ByteRanges global_reads;  ///< global memory that the CTA reads and does not write; empty where it meets others
  PipelineLetters pipelines;
  std::vector<RingUse> rings;
  int phase_barriers = 0;
  bool may_poll = false;                       ///< the library polled; both results must be correct
  bool polls_by_itself = false;                ///< the kernel polled
  std::string error;                           ///< message of the exception that the run threw
  FindingKind error_kind = FindingKind::none;  ///< what that error is

  [[nodiscard]] static bool is_meeting(const Operation& operation) {
    return operation.kind == OperationKind::sync && operation.barrier >= first_meeting;
  }
  [[nodiscard]] std::size_t operations() const {
    std::size_t count = 0;
    for (const auto& thread : threads) {
      count += thread.size();
    }
    return count;
  }
};

/// The first thread and the first of its operations in which two runs differ; {-1, -1} where the runs are equal.
[[nodiscard]] inline std::pair<int, int> first_difference(const Recording& left, const Recording& right) {
  for (std::size_t thread = 0; thread < left.threads.size(); ++thread) {
    const auto& mine = left.threads[thread];
    const auto& other = right.threads[thread];
    const auto place = std::mismatch(mine.begin(), mine.end(), other.begin(), other.end(),
                                     [&](const Operation& a, const Operation& b) {
                                       return a.kind == b.kind && a.barrier == b.barrier && a.count == b.count &&
                                              (*left.ranges)[a.reads] == (*right.ranges)[b.reads] &&
                                              (*left.ranges)[a.writes] == (*right.ranges)[b.writes];
                                     });
    if (place.first != mine.end() || place.second != other.end()) {
      return {static_cast<int>(thread), static_cast<int>(place.first - mine.begin())};
    }
  }
  return {-1, -1};
}

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
