#pragma once

#include <dma/host/emulation/line_of.hpp>
#include <dma/machine/index3.hpp>
#include <dma/machine/site.hpp>
#include <dma/proof/clocks/atomic_order.hpp>
#include <dma/proof/clocks/clock_judge.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/record/byte_ranges.hpp>
#include <dma/proof/record/recorded_program.hpp>
#include <dma/proof/record/recording.hpp>
#include <dma/proof/verdict.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// The grids of a stream, one after another, and the global memory that each accesses. A grid that starts early may run
/// beside the grids before: what its threads access before they know that these are complete conflicts with what these
/// access. That a grid before has triggered, or all of its CTAs have written, orders nothing.
///
/// Source  PTX ISA, griddepcontrol
///
/// Cost    the clocks of each CTA's threads once more, and a sort of the ranges
class GridsInOrder {
 public:
  void begin(std::string name, bool starts_early) {
    grids_.push_back({.name = std::move(name), .starts_early = starts_early});
    const std::size_t now = grids_.size() - 1;
    for (std::size_t before = 0; before < now; ++before) {
      grids_[now].finds_complete.push_back(!starts_early || is_in(grids_[now - 1].finds_complete, before));
    }
  }
  /// @param recording  of a CTA or a cluster of the grid that began last, or of all of it
  void add(const Recording& recording) {
    Grid& grid = grids_.back();
    grid.waits = grid.waits || recording.awaits_grids;
    memory_ = recording.memory;
    const Program program = program_of_threads(recording);
    AtomicOrder order;
    static_cast<void>(ClockJudge(program).judge(&order));
    for (const AtomicOrder::Access& access : order.accesses()) {
      const Operation& operation =
          recording.threads[static_cast<std::size_t>(access.agent)].at(static_cast<std::size_t>(access.operation));
      const bool is_early = grid.starts_early && !access.knows_grids;
      const bool is_atomic = operation.is_atomic() || operation.adds;
      for (const bool writes : {false, true}) {
        if (writes ? !access.writes : !access.reads) {
          continue;
        }
        for (const ByteRange& bytes : (*recording.ranges)[writes ? operation.writes : operation.reads]) {
          if (is_global(bytes)) {
            grid.accesses.push_back({bytes, writes, is_atomic && (writes || operation.is_atomic()), is_early,
                                     recording.block, access.agent, instruction_of(recording, operation, bytes, writes),
                                     recording.places[static_cast<std::size_t>(operation.place)].caller});
          }
        }
      }
    }
  }
  /// Whether the grid that began last conflicts with one before it.
  [[nodiscard]] Verdict judge() {
    for (Grid& grid : grids_) {
      sort(grid.accesses);
    }
    const std::size_t now = grids_.size() - 1;
    for (std::size_t before = now; before-- > 0;) {
      const bool begins_after = is_in(grids_[now].finds_complete, before);
      const bool waits_for_it = begins_after || before + 1 == now || is_complete_behind(now - 1, before);
      if (!begins_after) {
        Verdict verdict = judge(grids_[now], grids_[before], waits_for_it);
        if (!verdict.is_proved()) {
          return verdict;
        }
      }
    }
    return {};
  }

 private:
  struct Access {
    ByteRange bytes;
    bool writes;
    bool is_atomic;
    bool is_early;  ///< the thread does not know that the grids before are complete
    Index3 block;
    int thread;
    const void* instruction;
    machine::SourceLocation caller;
  };
  struct Grid {
    std::string name;
    bool starts_early;
    bool waits = false;                     ///< a thread waits for the grid before, so that it ends after that one
    std::vector<bool> finds_complete = {};  ///< grids before that are when it begins
    std::vector<Access> accesses = {};
  };

  /// By their bytes. Runs of one CTA, and threads, that do the same count once.
  static void sort(std::vector<Access>& accesses) {
    const auto key = [](const Access& access) {
      return std::tuple(access.bytes.first, access.bytes.last, access.writes, access.is_atomic, access.is_early);
    };
    std::vector<std::size_t> order(accesses.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
      return std::pair(key(accesses[left]), left) < std::pair(key(accesses[right]), right);
    });
    std::vector<Access> sorted;
    for (const std::size_t access : order) {
      if (sorted.empty() || key(sorted.back()) != key(accesses[access])) {
        sorted.push_back(std::move(accesses[access]));
      }
    }
    accesses = std::move(sorted);
  }
  [[nodiscard]] static bool is_in(const std::vector<bool>& grids, std::size_t grid) {
    return grid < grids.size() && grids[grid];
  }
  /// Whether `before` is complete when `grid` is.
  [[nodiscard]] bool is_complete_behind(std::size_t grid, std::size_t before) const {
    return is_in(grids_[grid].finds_complete, before) ||
           (grids_[grid].waits && (before + 1 == grid || (grid > 0 && is_complete_behind(grid - 1, before))));
  }
  [[nodiscard]] static const void* instruction_of(const Recording& recording, const Operation& operation,
                                                  const ByteRange& bytes, bool writes) {
    for (int i = operation.seen_first; i < operation.seen_last; ++i) {
      const SeenInstruction& seen = recording.seen[static_cast<std::size_t>(i)];
      if (seen.writes == writes && seen.hull.first < bytes.last && bytes.first < seen.hull.last) {
        return seen.address;
      }
    }
    return nullptr;
  }

  /// @pre The accesses of both are sorted.
  [[nodiscard]] Verdict judge(const Grid& now, const Grid& before, bool waits_for_it) const {
    // The bytes that are accessed up to each access of the grid before, so that a search ends.
    std::vector<long long> ends;
    for (const Access& access : before.accesses) {
      ends.push_back(ends.empty() ? access.bytes.last : std::max(ends.back(), access.bytes.last));
    }
    for (const Access& access : now.accesses) {
      if (waits_for_it && !access.is_early) {
        continue;
      }
      const auto behind = std::lower_bound(before.accesses.begin(), before.accesses.end(), access.bytes.last,
                                           [](const Access& other, long long end) { return other.bytes.first < end; });
      for (auto i = static_cast<std::size_t>(behind - before.accesses.begin()); i-- > 0;) {
        if (ends[i] <= access.bytes.first) {
          break;
        }
        const Access& other = before.accesses[i];
        const bool overlap = access.bytes.first < other.bytes.last;
        if (overlap && (access.writes || other.writes) && !(access.is_atomic && other.is_atomic)) {
          return verdict_of(now, access, before, other);
        }
      }
    }
    return {};
  }
  [[nodiscard]] static std::string text_of(const Grid& grid, const Access& access) {
    return "thread " + std::to_string(access.thread) + " of block (" + std::to_string(access.block.x) + ", " +
           std::to_string(access.block.y) + ", " + std::to_string(access.block.z) + ") of " + grid.name +
           verbs[access.writes ? 1 : 0] + host::detail::line_of(access.instruction, access.caller);
  }
  [[nodiscard]] Verdict verdict_of(const Grid& now, const Access& access, const Grid& before,
                                   const Access& other) const {
    const ByteRange common{std::max(access.bytes.first, other.bytes.first),
                           std::min(access.bytes.last, other.bytes.last)};
    const std::string reason = access.is_early
                                   ? ", and does not know that the grids before are complete; let it call "
                                     "cta.grid_dependency_wait() before (griddepcontrol.wait), or synchronize with a "
                                     "thread that has"
                                   : ", which the grid between them does not wait for; let a thread of it call "
                                     "cta.grid_dependency_wait() (griddepcontrol.wait)";
    return {.kind = FindingKind::race,
            .message = "race between grids: " + text_of(now, access) + " " + name_of_global(common, memory_, {common}) +
                       ", while " + text_of(before, other) + " it" + reason};
  }

  static constexpr std::array verbs{" reads", " writes"};

  const host::detail::KernelMemory* memory_ = nullptr;
  std::vector<Grid> grids_;
};

}  // namespace dma::inline v0_1::proof::detail
