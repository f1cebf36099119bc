#pragma once

#include <dma/host/emulation/memory/kernel_memory.hpp>
#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/machine/index3.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/record/byte_ranges.hpp>
#include <dma/proof/record/place_numbers.hpp>
#include <dma/proof/record/program.hpp>
#include <dma/proof/record/range_table.hpp>
#include <dma/proof/record/ring_use.hpp>
#include <dma/proof/record/seen_accesses.hpp>
#include <dma/proof/record/shared_contents.hpp>
#include <dma/proof/record/shared_layout.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

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

/// "element 3 of y", of bytes of global memory.
///
/// @param memory    names of arrays; null where none are known
/// @param accessed  tidy: where no array has the bytes, their place among these, which is the same in each process
[[nodiscard]] inline std::string name_of_global(const ByteRange& bytes, const host::detail::KernelMemory* memory,
                                                const ByteRanges& accessed) {
  const auto count = static_cast<std::size_t>(bytes.last - bytes.first);
  const std::string name =
      memory == nullptr ? "" : memory->name_of(static_cast<std::uintptr_t>(bytes.first - first_global), count);
  if (!name.empty()) {
    return name;
  }
  const auto behind = std::upper_bound(accessed.begin(), accessed.end(), bytes.first,
                                       [](long long byte, const ByteRange& range) { return byte < range.first; });
  const bool is_among = behind != accessed.begin() && bytes.first < std::prev(behind)->last;
  const long long first = is_among ? std::prev(behind)->first : bytes.first;
  return SharedLayout::numbers(bytes, first) +
         " of global memory (its array is not named; counted from the first byte "
         "that is accessed there)";
}

/// What the threads of a CTA did in one run, or of all CTAs of a cluster or a grid, one after another. Operations are
/// those of a program, except that `reads` and `writes` are numbers of range lists, and that named barriers have other
/// numbers: 24 for each CTA, those of clusters, and from `first_meeting` on the `__syncwarp` of each warp.
struct Recording {
  static constexpr int named_barriers = 24;  ///< of a CTA, eight of which are its warpgroups'
  static constexpr int most_ctas = 1024;     ///< that run together
  static constexpr int first_cluster_barrier = most_ctas * named_barriers;
  static constexpr int first_meeting = first_cluster_barrier + most_ctas;
  static constexpr int first_part = 1 << 20;  ///< from here on those of a part of a warp's lanes

  Index3 block;                           ///< of the CTA in the grid, the first one of a cluster
  Index3 blocks;                          ///< of the grid
  int ctas = 1;                           ///< that run together: of a cluster, or of the grid
  int cluster = 1;                        ///< CTAs of each cluster
  long long shared_pitch = first_global;  ///< bytes from the shared memory of one of them to that of the next
  std::vector<std::vector<Operation>> threads;
  std::vector<std::vector<bool>> answers;          ///< of each thread's polls
  std::vector<std::vector<std::uint64_t>> counts;  ///< what each thread read from counters of the grid
  std::vector<std::vector<std::uint64_t>> found;   ///< what was where each thread made an atomic access
  std::shared_ptr<RangeTable> ranges = std::make_shared<RangeTable>();
  std::shared_ptr<PlaceNumbers> numbers = std::make_shared<PlaceNumbers>();
  std::vector<Place> places{{}};
  // In a program that sees every access.
  std::optional<ContentsFault> contents_fault;
  std::vector<SeenInstruction> seen;
  std::vector<std::vector<GlobalAccess>> global;   ///< of each thread, in the order of its operations
  std::vector<std::vector<ApartOperation>> apart;  ///< of each thread: no other thread may see them
  bool shares_global = false;                      ///< threads access the same bytes of global memory, one with a write
  int atomics = 0;                                 ///< locations of atomic accesses
  std::vector<OrderedFences> ordered_fences;       ///< of an execution
  bool meets_ctas = false;                         ///< by an atomic access of global memory
  bool has_own_atomics = false;                    ///< not only the library's counters
  bool has_standard_atomics = false;               ///< whose scopes are not known
  std::size_t requests = 0;                        ///< for clusters that have not begun
  // Of a CTA of several that meets none of them by atomics.
  ByteRanges global_reads;
  ByteRanges global_writes;
  ByteRanges global_atomics;
  host::detail::PipelineLetters pipelines;
  SharedLayout layout;
  const host::detail::KernelMemory* memory = nullptr;  ///< for the names of arrays; null where none are known
  std::vector<RingUse> rings;
  std::size_t memory_bytes = 0;                ///< that it takes, without what runs of one CTA share
  bool repeats_earlier = false;                ///< the run did what an earlier one did, and nothing was written down
  int phase_barriers = 0;                      ///< one of each CTA in turn; not all may have been opened
  bool has_stores_of_warps = false;            ///< warps that store one value by one instruction count as one
  bool has_lanes_together = false;             ///< lanes of a warp count as together at an instruction on an mbarrier
  bool is_of_several = false;                  ///< grids in order: its operations have all global memory they access
  bool starts_early = false;                   ///< of such a grid: those before may not have ended
  bool awaits_grids = false;                   ///< a thread waits for them
  bool has_relaxed = false;                    ///< arrivals at phase barriers, or waits, that order nothing
  bool leaves_pending = false;                 ///< arrivals, and reads of bulk stores, may be pending at the end
  bool waits_for_warpgroups = false;           ///< threads wait for asynchronous reads of all of their warpgroup
  bool uses_tensor_memory = false;             ///< whose order a search does not follow
  bool may_poll = false;                       ///< the library polled; both results must be correct
  bool polls_by_itself = false;                ///< the kernel polled
  std::string error;                           ///< message of the exception that the run threw
  FindingKind error_kind = FindingKind::none;  ///< what that error is

  [[nodiscard]] static bool is_meeting(const Operation& operation) {
    return operation.kind == OperationKind::sync && operation.barrier >= first_meeting &&
           operation.barrier < first_part;
  }
  /// Whether `ctas` are all of a grid, of several clusters or of none.
  [[nodiscard]] bool is_grid() const { return ctas != cluster; }
  /// Whether a thread did more than read.
  [[nodiscard]] bool does_something() const {
    const auto does = [](const Operation& operation) {
      return operation.kind != OperationKind::access || operation.writes != 0;
    };
    const auto any_does = [&](const auto& operations) {
      return std::any_of(operations.begin(), operations.end(), does);
    };
    const auto any_writes = [](const auto& accesses) {
      return std::any_of(accesses.begin(), accesses.end(), [](const GlobalAccess& access) { return access.writes; });
    };
    return has_atomics() || std::any_of(threads.begin(), threads.end(), any_does) ||
           std::any_of(global.begin(), global.end(), any_writes);
  }
  /// Whether it used atomics of its own, or counters of the grid.
  [[nodiscard]] bool has_atomics() const {
    return atomics != 0 || std::any_of(counts.begin(), counts.end(), [](const auto& read) { return !read.empty(); });
  }
  /// The same, but for responses to its requests, each of which is a count.
  [[nodiscard]] bool has_other_atomics() const {
    std::size_t read = 0;
    for (const auto& of_thread : counts) {
      read += of_thread.size();
    }
    return atomics != 0 || read > requests;
  }
  /// Whether the grid has no other CTA, or cluster.
  [[nodiscard]] bool is_alone() const { return is_grid() || (blocks.x == ctas && blocks.y == 1 && blocks.z == 1); }
  [[nodiscard]] int cta_of_thread(int thread) const { return thread / (static_cast<int>(threads.size()) / ctas); }
  [[nodiscard]] std::string name_of_thread(int thread) const {
    const int threads_of_cta = static_cast<int>(threads.size()) / ctas;
    return "thread " + std::to_string(thread % threads_of_cta) + of_cta(thread / threads_of_cta);
  }
  /// "bytes 16 to 31 of slot 1 of pipeline A", "element 3 of y".
  [[nodiscard]] std::string name_of(const ByteRange& bytes, host::detail::PipelineLetters& letters) const {
    if (is_global(bytes)) {
      return name_of_global(bytes, memory, all_global());
    }
    const long long cta = bytes.first / shared_pitch;
    return layout.text_of(bytes, cta * shared_pitch, letters) + of_cta(static_cast<int>(cta));
  }
  /// " of CTA 1 of the cluster", nothing where there is no other.
  [[nodiscard]] std::string of_cta(int cta) const {
    return ctas == 1 ? "" : " of CTA " + std::to_string(cta) + (is_grid() ? "" : " of the cluster");
  }
  /// The bytes of global memory that it accesses, tidy.
  [[nodiscard]] ByteRanges all_global() const {
    ByteRanges all;
    for (const auto& accesses : global) {
      for (const GlobalAccess& access : accesses) {
        all.push_back(access.bytes);
      }
    }
    return tidy(std::move(all));
  }
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

}  // namespace dma::inline v0_1::proof::detail
