#pragma once

#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/machine/index3.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/record/byte_ranges.hpp>
#include <dma/proof/record/program.hpp>
#include <dma/proof/record/range_table.hpp>
#include <dma/proof/record/ring_use.hpp>
#include <dma/proof/record/seen_accesses.hpp>
#include <dma/proof/record/shared_contents.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dma::host {

/// Bytes of global memory that an operation accesses.
struct GlobalAccess {
  ByteRange bytes;
  int operation;  ///< of the thread; ~i for the i-th of `Recording::apart`
  bool writes;

  friend bool operator==(const GlobalAccess& left, const GlobalAccess& right) {
    return left.bytes == right.bytes && left.operation == right.operation && left.writes == right.writes;
  }
};
/// An operation that accesses global memory alone.
struct ApartOperation {
  std::size_t before;  ///< which operation of the thread
  Operation operation;
};

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
  std::vector<std::vector<GlobalAccess>> global;   ///< of each thread, in the order of its operations
  std::vector<std::vector<ApartOperation>> apart;  ///< of each thread: no other thread may see them
  bool shares_global = false;                      ///< threads access the same bytes of global memory, one with a write
  int atomics = 0;                                 ///< locations of atomic accesses
  bool meets_ctas = false;                         ///< by an atomic access of global memory
  // Of a CTA of several that meets none of them by atomics.
  ByteRanges global_reads;
  ByteRanges global_writes;
  ByteRanges global_atomics;
  PipelineLetters pipelines;
  std::vector<RingUse> rings;
  bool repeats_earlier = false;  ///< the run did what an earlier one did, and nothing was written down
  int phase_barriers = 0;
  bool may_poll = false;                       ///< the library polled; both results must be correct
  bool polls_by_itself = false;                ///< the kernel polled
  std::string error;                           ///< message of the exception that the run threw
  FindingKind error_kind = FindingKind::none;  ///< what that error is

  [[nodiscard]] static bool is_meeting(const Operation& operation) {
    return operation.kind == OperationKind::sync && operation.barrier >= first_meeting;
  }
  /// Whether the grid has no other CTA.
  [[nodiscard]] bool is_alone() const { return blocks.x == 1 && blocks.y == 1 && blocks.z == 1; }
  /// Whether what it did can be compared with a later run, operation by operation.
  [[nodiscard]] bool can_be_repeated() const {
    const auto is_empty = [](const auto& list) { return list.empty(); };
    return error.empty() && atomics == 0 && !shares_global && !polls_by_itself && !contents_fault &&
           std::all_of(answers.begin(), answers.end(), is_empty) && std::all_of(counts.begin(), counts.end(), is_empty);
  }
  [[nodiscard]] std::size_t operations() const {
    std::size_t count = 0;
    for (const auto& thread : threads) {
      count += thread.size();
    }
    return count;
  }
};

}  // namespace dma::host
