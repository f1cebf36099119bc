#pragma once

#include <dma/proof/finding.hpp>
#include <dma/proof/record/program.hpp>
#include <dma/proof/search/cell_mask.hpp>
#include <dma/proof/search/segments.hpp>
#include <dma/proof/search/state_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Finds accesses and copies of different agents that conflict.
class StateConflicts : public StateLayout {
 public:
  explicit StateConflicts(const Program& program)
      : StateLayout(program), together_(fits() ? positions_ * positions_ : 0, 0) {}

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

  /// Where two positions, each of one list, are among all such pairs.
  [[nodiscard]] std::size_t pair(std::size_t list, std::size_t at, std::size_t other_list, std::size_t other_at) const {
    return (first_position_[list] + at) * positions_ + first_position_[other_list] + other_at;
  }

  Finding finding_;
  /// Pairs of positions that two agents had at one time; their segments do not conflict.
  std::vector<char> together_;
  /// Pairs of an arrival that waits for cp.async, which may be in flight, and the position of another agent meanwhile,
  /// or of their own. Empty where no fence needs them.
  std::vector<char> copying_beside_others_;
  std::vector<char> copying_beside_own_;

 private:
  void note_copying(std::vector<char>& beside, std::size_t index, const Step& flight, std::size_t flight_at,
                    std::size_t other, std::size_t other_at) {
    if (!beside.empty() && flight.operation.kind == OperationKind::arrive_when_copied) {
      beside[pair(agents_[index].list, flight_at, agents_[other].list, other_at)] = 1;
    }
  }
  void meet_segment(const Segment& segment, const Segment& other, std::size_t index, std::size_t at);
  void meet_own_flights(const Word* state, std::size_t index);
};

inline void StateConflicts::start_flight(Word* state, std::size_t index, std::size_t at) {
  const Step& step = list_of(index).steps[at];
  const std::uint64_t bit = std::uint64_t{1} << (step.flight % 64);
  if ((flying(state, index) & bit) != 0) {
    return fail_at(FindingKind::too_many_states, index, at);
  }
  if (step.operation.kind == OperationKind::copy_to_shared) {
    for (std::size_t other = 0; other < agents_.size(); ++other) {
      const Segment& segment = segment_of(state, other);
      if (other != index) {
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
  for (std::size_t other = 0; other < agents_.size(); ++other) {
    if (other == index) {
      continue;
    }
    const std::size_t other_at = position(state, other);
    if (char& were_met = together_[pair(agents_[index].list, at, agents_[other].list, other_at)]; were_met == 0) {
      meet_segment(segment, segment_of(state, other), index, at);
      were_met = together_[pair(agents_[other].list, other_at, agents_[index].list, at)] =
          finding_.kind == FindingKind::none ? 1 : 0;
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
    for_each_flight(state, other, [&](const Step& flight, std::size_t flight_at) {
      meet_flight(segment, flight);
      note_copying(copying_beside_others_, other, flight, flight_at, index, at);
    });
    for_each_flight(state, index, [&](const Step& flight, std::size_t flight_at) {
      meet_flight(segment_of(state, other), flight);
      note_copying(copying_beside_others_, index, flight, flight_at, other, other_at);
    });
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
}

inline void StateConflicts::meet_own_flights(const Word* state, std::size_t index) {
  const std::size_t at = position(state, index);
  const Segment& segment = list_of(index).segments[at];
  for_each_flight(state, index, [&](const Step& flight, std::size_t flight_at) {
    note_copying(copying_beside_own_, index, flight, flight_at, index, at);
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

}  // namespace dma::inline v0_1::proof::detail
