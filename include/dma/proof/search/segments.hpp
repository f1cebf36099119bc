#pragma once

#include <dma/proof/record/program.hpp>
#include <dma/proof/search/cell_mask.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// What an agent may be doing between two of its steps: any of its accesses there, and the copies that it has not
/// waited for.
struct Segment {
  CellMask reads, writes;              ///< of ordinary accesses
  CellMask early_reads, early_writes;  ///< of those, before the agent waits for its cp.async here
  CellMask copied_from, copied_to;     ///< by copies in flight that only the agent itself waits for
  CellMask read_in_bulk;               ///< of those, by bulk copies that begin here
  bool has_awaited = false;            ///< the agent waits for its cp.async here
  bool meets_own_copy = false;         ///< accesses what one of its own copies still moves

  explicit Segment(int cells)
      : reads(cells),
        writes(cells),
        early_reads(cells),
        early_writes(cells),
        copied_from(cells),
        copied_to(cells),
        read_in_bulk(cells) {}
};

/// An operation that changes which moves other agents have.
struct Step {
  Operation operation;
  int number = 0;            ///< in the agent's list
  CellMask read, written;    ///< by the copy that it starts, where that copy completes asynchronously
  int flight = -1;           ///< number of the asynchronous completion that it starts, -1 where it starts none
  int awaited_at = 1 << 30;  ///< the segment in which the agent itself waits for its cp.async
};

/// An agent's operations for a search: `segments[i]` is before `steps[i]`, the last segment after all steps.
class SegmentedList {
 public:
  std::vector<Step> steps;
  std::vector<Segment> segments;
  int flights = 0;
  int length = 0;              ///< of the agent's list
  bool leaves_copies = false;  ///< ends without a wait for some of its copies

  SegmentedList(const Program& program, const std::vector<Operation>& operations)
      : length(static_cast<int>(operations.size())), program_(program) {
    begin_segment();
    for (std::size_t i = 0; i < operations.size(); ++i) {
      take(operations[i], static_cast<int>(i));
    }
    leaves_copies = !untied_.empty() || !async_reads_.empty() ||
                    std::any_of(bulk_.begin(), bulk_.end(), [](const BulkStore& copy) { return copy.is_reading; });
  }

  /// Whether an operation changes which moves other agents have. Other operations belong to a segment.
  [[nodiscard]] static bool is_step(OperationKind kind) {
    switch (kind) {
      case OperationKind::access:
      case OperationKind::atomic:
      case OperationKind::fence_threads:
      case OperationKind::fence:
      case OperationKind::copy_async:
      case OperationKind::await_async:
      case OperationKind::commit_async:
      case OperationKind::await_async_groups:
      case OperationKind::copy_to_global:
      case OperationKind::commit_group:
      case OperationKind::await_groups:
      case OperationKind::await_group_reads:
      case OperationKind::read_async:
      case OperationKind::commit_reads:
      case OperationKind::await_reads:
        return false;
      default:
        return true;
    }
  }

 private:
  struct AsyncCopy {
    int writes;
    int group;
  };
  struct BulkStore {
    int reads;
    int writes;
    int group;
    bool is_reading = true;
  };
  struct AsyncRead {
    int reads;
    int group;
  };

  [[nodiscard]] CellMask mask(int set) const {
    CellMask result(program_.cells);
    result.add(program_.cell_sets[static_cast<std::size_t>(set)]);
    return result;
  }
  void begin_segment() {
    Segment segment(program_.cells);
    for (const AsyncCopy& copy : untied_) {
      segment.copied_to.add(program_.cell_sets[static_cast<std::size_t>(copy.writes)]);
    }
    for (const BulkStore& copy : bulk_) {
      if (copy.is_reading) {
        segment.copied_from.add(program_.cell_sets[static_cast<std::size_t>(copy.reads)]);
      }
      segment.copied_to.add(program_.cell_sets[static_cast<std::size_t>(copy.writes)]);
    }
    for (const AsyncRead& read : async_reads_) {
      segment.copied_from.add(program_.cell_sets[static_cast<std::size_t>(read.reads)]);
    }
    segments.push_back(segment);
  }
  /// Whether accesses to these cells conflict with the agent's copies that may be in flight.
  [[nodiscard]] bool meets_own(const CellMask& reads, const CellMask& writes) const {
    for (const AsyncCopy& copy : untied_) {
      if (mask(copy.writes).meets(reads) || mask(copy.writes).meets(writes)) {
        return true;
      }
    }
    const auto is_read = [&](const AsyncRead& read) { return mask(read.reads).meets(writes); };
    return std::any_of(async_reads_.begin(), async_reads_.end(), is_read) ||
           std::any_of(bulk_.begin(), bulk_.end(), [&](const BulkStore& copy) {
             const CellMask written = mask(copy.writes);
             return (copy.is_reading && mask(copy.reads).meets(writes)) || written.meets(reads) ||
                    written.meets(writes);
           });
  }
  /// The agent's groups are complete up to the last `pending` of them.
  void end_groups(int pending, bool only_reads) {
    for (BulkStore& copy : bulk_) {
      copy.is_reading = copy.is_reading && copy.group >= groups_ - pending;
    }
    std::erase_if(bulk_, [&](const BulkStore& copy) {
      return copy.group < groups_ - pending && (!only_reads || copy.writes == 0);
    });
  }

  void take(const Operation& operation, int number);
  void take_async(const Operation& operation, Segment& segment);
  void take_step(const Operation& operation, int number);

  const Program& program_;
  std::vector<AsyncCopy> untied_;  ///< that were not waited for, and that no arrival follows yet
  int async_groups_ = 0;
  std::vector<BulkStore> bulk_;  ///< that were not waited for
  int groups_ = 0;
  std::vector<AsyncRead> async_reads_;  ///< that were not waited for
  int read_groups_ = 0;
};

inline void SegmentedList::take(const Operation& operation, int number) {
  if (is_step(operation.kind)) {
    return take_step(operation, number);
  }
  Segment& segment = segments.back();
  const CellMask reads = mask(operation.reads);
  const CellMask writes = mask(operation.writes);
  switch (operation.kind) {
    case OperationKind::access:
    case OperationKind::atomic:
      segment.meets_own_copy = segment.meets_own_copy || meets_own(reads, writes);
      segment.reads.add(reads);
      segment.writes.add(writes);
      if (!segment.has_awaited) {
        segment.early_reads.add(reads);
        segment.early_writes.add(writes);
      }
      break;
    case OperationKind::fence_threads:
    case OperationKind::fence:
      break;
    case OperationKind::copy_async:
    case OperationKind::await_async:
    case OperationKind::commit_async:
    case OperationKind::await_async_groups:
      take_async(operation, segment);
      break;
    case OperationKind::copy_to_global:
      segment.meets_own_copy = segment.meets_own_copy || meets_own(reads, writes);
      segment.copied_from.add(reads);
      segment.copied_to.add(writes);
      segment.read_in_bulk.add(reads);
      bulk_.push_back({operation.reads, operation.writes, groups_});
      break;
    case OperationKind::commit_group:
      ++groups_;
      break;
    case OperationKind::read_async:
      segment.meets_own_copy = segment.meets_own_copy || meets_own(reads, writes);
      segment.copied_from.add(reads);
      segment.read_in_bulk.add(reads);
      async_reads_.push_back({operation.reads, read_groups_});
      break;
    case OperationKind::commit_reads:
      ++read_groups_;
      break;
    case OperationKind::await_reads:
      std::erase_if(async_reads_, [&](const AsyncRead& read) { return read.group < read_groups_ - operation.count; });
      break;
    default:
      end_groups(operation.count, operation.kind == OperationKind::await_group_reads);
  }
}

/// Of the agent's cp.async.
inline void SegmentedList::take_async(const Operation& operation, Segment& segment) {
  const CellMask reads = mask(operation.reads);
  const CellMask writes = mask(operation.writes);
  switch (operation.kind) {
    case OperationKind::copy_async:
      segment.meets_own_copy = segment.meets_own_copy || meets_own(reads, writes);
      segment.copied_to.add(writes);
      untied_.push_back({operation.writes, async_groups_});
      break;
    case OperationKind::commit_async:
      ++async_groups_;
      break;
    case OperationKind::await_async_groups:
      std::erase_if(untied_, [&](const AsyncCopy& copy) { return copy.group < async_groups_ - operation.count; });
      break;
    case OperationKind::await_async:
      untied_.clear();
      segment.has_awaited = true;
      for (Step& step : steps) {
        if (step.operation.kind == OperationKind::arrive_when_copied) {
          step.awaited_at = std::min(step.awaited_at, static_cast<int>(segments.size()) - 1);
        }
      }
      break;
    default:
      break;
  }
}

inline void SegmentedList::take_step(const Operation& operation, int number) {
  Step step{operation, number, CellMask(program_.cells), CellMask(program_.cells)};
  if (operation.kind == OperationKind::copy_to_shared) {
    step.read = mask(operation.reads);
    step.written = mask(operation.writes);
    step.flight = flights++;
    segments.back().meets_own_copy = segments.back().meets_own_copy || meets_own(step.read, step.written);
  } else if (operation.kind == OperationKind::arrive_when_copied) {
    for (const AsyncCopy& copy : untied_) {
      step.written.add(program_.cell_sets[static_cast<std::size_t>(copy.writes)]);
    }
    untied_.clear();
    step.flight = flights++;
  }
  steps.push_back(std::move(step));
  begin_segment();
}

}  // namespace dma::inline v0_1::proof::detail
