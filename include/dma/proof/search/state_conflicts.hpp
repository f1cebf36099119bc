#pragma once

#include <dma/proof/finding.hpp>
#include <dma/proof/record/program.hpp>
#include <dma/proof/search/cell_mask.hpp>
#include <dma/proof/search/segments.hpp>
#include <dma/proof/search/state_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dma::host {

/// Finds accesses and copies of different agents that conflict.
class StateConflicts : public StateLayout {
 public:
  explicit StateConflicts(const Program& program)
      : StateLayout(program), apart_(fits() ? positions_ * positions_ : 0, 0) {}

  [[nodiscard]] const Finding& finding() const { return finding_; }

 protected:
  void fail(FindingKind kind, std::size_t index, int operation) {
    if (finding_.kind == FindingKind::none) {
      finding_ = {kind, static_cast<int>(index), operation};
    }
  }
  void fail_at(FindingKind kind, std::size_t index, std::size_t at) {
    fail(kind, index, list_of(index).steps[at].number);
  }

  void enter_segment(const Word* state, std::size_t index);
  void start_flight(Word* state, std::size_t index, std::size_t at);

  Finding finding_;

 private:
  void meet_segment(const Segment& segment, const Segment& other, std::size_t index, std::size_t at);
  void meet_own_flights(const Word* state, std::size_t index);

  std::vector<char> apart_;  ///< pairs of segments that are known not to conflict
};

inline void StateConflicts::start_flight(Word* state, std::size_t index, std::size_t at) {
  const Step& step = list_of(index).steps[at];
  const std::uint64_t bit = std::uint64_t{1} << (step.flight % 64);
  if ((flying(state, index) & bit) != 0) {
    return fail_at(FindingKind::too_many_states, index, at);
  }
  if (step.operation.kind == OperationKind::copy_to_shared) {
    if (step.lacks_own_fence) {
      fail_at(FindingKind::missing_fence, index, at);
    }
    for (std::size_t other = 0; other < agents_.size(); ++other) {
      const Segment& segment = segment_of(state, other);
      if (other != index) {
        if (segment.unfenced.meets(step.to_be_fenced) || segment.unfenced_reads.meets(step.written)) {
          fail_at(FindingKind::missing_fence, index, at);
        }
        if (segment.reads.meets(step.written) || segment.writes.meets(step.written) ||
            segment.writes.meets(step.read)) {
          fail_at(FindingKind::race, index, at);
        }
        if (segment.copied_from.meets(step.written) || segment.copied_to.meets(step.written) ||
            segment.copied_to.meets(step.read)) {
          fail_at(FindingKind::unfinished_copy, index, at);
        }
      }
      for_each_flight(state, other, [&](const Step& flight, std::size_t) {
        if (flight.written.meets(step.written) || flight.written.meets(step.read) || flight.read.meets(step.written)) {
          fail_at(FindingKind::unfinished_copy, index, at);
        }
      });
    }
  }
  set_flying(state, index, flying(state, index) | bit);
}

/// An agent begins a segment. What other agents and their copies may be doing now is not ordered with it.
inline void StateConflicts::enter_segment(const Word* state, std::size_t index) {
  const std::size_t at = position(state, index);
  const Segment& segment = list_of(index).segments[at];
  if (segment.meets_own_copy) {
    fail(FindingKind::unfinished_copy, index, first_of_segment(index, at));
  }
  if (segment.lacks_own_fence) {
    fail(FindingKind::missing_fence, index, first_of_segment(index, at));
  }
  for (std::size_t other = 0; other < agents_.size(); ++other) {
    if (other == index) {
      continue;
    }
    if (char& are_apart = apart_[(first_position_[agents_[index].list] + at) * positions_ +
                                 first_position_[agents_[other].list] + position(state, other)];
        are_apart == 0) {
      meet_segment(segment, segment_of(state, other), index, at);
      are_apart = finding_.kind == FindingKind::none ? 1 : 0;
    }
    if ((flying(state, other) | flying(state, index)) == 0) {
      continue;
    }
    const auto meet_flight = [&](const Segment& accesses, const Step& flight) {
      if (accesses.reads.meets(flight.written) || accesses.writes.meets(flight.written) ||
          accesses.copied_from.meets(flight.written) || accesses.copied_to.meets(flight.written) ||
          accesses.writes.meets(flight.read) || accesses.copied_to.meets(flight.read)) {
        fail(FindingKind::unfinished_copy, index, first_of_segment(index, at));
      }
    };
    for_each_flight(state, other, [&](const Step& flight, std::size_t) { meet_flight(segment, flight); });
    for_each_flight(state, index,
                    [&](const Step& flight, std::size_t) { meet_flight(segment_of(state, other), flight); });
  }
  meet_own_flights(state, index);
}

inline void StateConflicts::meet_segment(const Segment& segment, const Segment& other, std::size_t index,
                                         std::size_t at) {
  const auto meets = [](const CellMask& reads, const CellMask& writes, const CellMask& other_reads,
                        const CellMask& other_writes) {
    return writes.meets(other_writes) || writes.meets(other_reads) || reads.meets(other_writes);
  };
  const int operation = first_of_segment(index, at);
  if (meets(segment.reads, segment.writes, other.reads, other.writes)) {
    fail(FindingKind::race, index, operation);
  }
  if (meets(segment.copied_from, segment.copied_to, other.reads, other.writes) ||
      meets(segment.reads, segment.writes, other.copied_from, other.copied_to) ||
      meets(segment.copied_from, segment.copied_to, other.copied_from, other.copied_to)) {
    fail(FindingKind::unfinished_copy, index, operation);
  }
  if (segment.read_in_bulk.meets(other.unfenced) || segment.written_in_bulk.meets(other.unfenced) ||
      segment.written_in_bulk.meets(other.unfenced_reads)) {
    fail(FindingKind::missing_fence, index, operation);
  }
}

inline void StateConflicts::meet_own_flights(const Word* state, std::size_t index) {
  const std::size_t at = position(state, index);
  const Segment& segment = list_of(index).segments[at];
  for_each_flight(state, index, [&](const Step& flight, std::size_t) {
    const bool is_tied = flight.operation.kind == OperationKind::arrive_when_copied;
    const bool is_awaited_here = is_tied && segment.has_awaited;
    const CellMask& reads = is_awaited_here ? segment.early_reads : segment.reads;
    const CellMask& writes = is_awaited_here ? segment.early_writes : segment.writes;
    if (reads.meets(flight.written) || writes.meets(flight.written) || segment.read_in_bulk.meets(flight.written) ||
        segment.copied_to.meets(flight.written) || writes.meets(flight.read) || segment.copied_to.meets(flight.read)) {
      fail(FindingKind::unfinished_copy, index, first_of_segment(index, at));
    }
  });
}

}  // namespace dma::host
