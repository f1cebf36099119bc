#pragma once

#include <dma/proof/record/program.hpp>
#include <dma/proof/record/recorded_program.hpp>
#include <dma/proof/record/recording.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Makes one agent of each warp, so that a search has fewer agents.
///
/// An operation that all lanes of a warp do becomes one operation of 32 threads. Operations of single lanes, such as
/// arrivals and copies, keep their place. Between two synchronizations of the warp its lanes count as converged. That
/// would hide a missing synchronization of the warp, so some warps are refused: those where one lane arrives after a
/// wait, or beside accesses of other lanes, and the warp does not synchronize in between: a shuffle does not count.
/// Waits for other grids are left out, since a search does not judge global memory.
/// `prove` judges it thread by thread.
class WarpFolder {
 public:
  explicit WarpFolder(const Recording& recording) : recording_(recording) {}

  /// Nothing where the lanes of a warp diverge.
  [[nodiscard]] std::optional<Program> fold() {
    std::vector<std::vector<Operation>> warps;
    for (std::size_t first = 0; first < recording_.threads.size(); first += 32) {
      std::vector<Operation> warp;
      if (!fold_warp(first, std::min(first + 32, recording_.threads.size()), warp)) {
        return std::nullopt;
      }
      warps.push_back(std::move(warp));
    }
    return program_of(
        recording_, warps, [](int warp) { return "warp " + std::to_string(warp); }, first_global);
  }

 private:
  using List = std::vector<Operation>;
  using Lists = std::vector<List>;

  /// Whether other agents can observe the operation. Such operations are merged only where all lanes do the same.
  [[nodiscard]] static bool is_visible(const Operation& operation) {
    switch (operation.kind) {
      case OperationKind::access:
      case OperationKind::fence_threads:
      case OperationKind::fence:
      case OperationKind::copy_async:
      case OperationKind::await_async:
      case OperationKind::await_groups:
      case OperationKind::await_group_reads:
        return false;
      default:
        return true;
    }
  }
  [[nodiscard]] static bool is_arrival(const Operation& operation) {
    return operation.kind == OperationKind::arrive || operation.kind == OperationKind::phase_arrive ||
           operation.kind == OperationKind::expect;
  }
  [[nodiscard]] static bool touches(const Operation& operation) {
    return operation.reads != 0 || operation.writes != 0 || operation.kind == OperationKind::fence;
  }
  [[nodiscard]] static bool waits(const Operation& operation) {
    return operation.kind == OperationKind::wait || operation.kind == OperationKind::sync;
  }
  [[nodiscard]] static bool are_alike(const Operation& left, const Operation& right) {
    return left.kind == right.kind && left.barrier == right.barrier && left.drops == right.drops &&
           left.is_never_last == right.is_never_last &&
           (left.count == right.count || left.kind == OperationKind::copy_to_shared);
  }

  [[nodiscard]] bool fold_warp(std::size_t first, std::size_t last, List& warp) {
    std::vector<Lists> segments(last - first);  // of each lane, between synchronizations of the warp
    for (std::size_t lane = first; lane < last; ++lane) {
      segments[lane - first].emplace_back();
      for (const Operation& operation : recording_.threads[lane]) {
        if (Recording::is_meeting(operation)) {
          segments[lane - first].emplace_back();
        } else if (operation.is_searched()) {
          segments[lane - first].back().push_back(operation);
          segments[lane - first].back().back().lanes = 1U << (lane - first);
        }
      }
    }
    unfenced_.assign(last - first, false);
    copying_ = unawaited_ = stores_ = unfenced_;
    const std::size_t count = segments.front().size();
    for (std::size_t segment = 0; segment < count; ++segment) {
      Lists lanes;
      for (Lists& lane : segments) {
        if (lane.size() != count) {
          return false;
        }
        lanes.push_back(std::move(lane[segment]));
      }
      if (!fold_segment(lanes, warp)) {
        return false;
      }
    }
    return true;
  }

  /// Folds the lanes' operations up to the first that all of them do, then that one, and so on.
  [[nodiscard]] bool fold_segment(const Lists& lanes, List& warp) {
    synchronize();
    const auto visible = [](const List& list) { return std::count_if(list.begin(), list.end(), is_visible); };
    const List& shortest = *std::min_element(lanes.begin(), lanes.end(), [&](const List& left, const List& right) {
      return visible(left) < visible(right);
    });
    std::vector<std::size_t> next(lanes.size(), 0);
    bool any_waited = false;
    for (std::size_t at = 0; at <= shortest.size(); ++at) {
      const Operation* const common = at == shortest.size() ? nullptr : &shortest[at];
      if (common != nullptr && !is_visible(*common)) {
        continue;
      }
      Lists gap;
      Operation merged{OperationKind::access};
      for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        List before;
        while (next[lane] < lanes[lane].size() && (common == nullptr || !are_alike(lanes[lane][next[lane]], *common))) {
          before.push_back(lanes[lane][next[lane]++]);
        }
        gap.push_back(std::move(before));
        if (common != nullptr) {
          if (next[lane] == lanes[lane].size()) {
            return false;
          }
          const Operation& own = lanes[lane][next[lane]++];
          merged = lane == 0 ? own : merge(merged, own);
        }
      }
      if (!fold_gap(gap, any_waited, warp)) {
        return false;
      }
      if (common != nullptr) {
        if (common->kind == OperationKind::arrive_when_copied) {
          copying_.assign(copying_.size(), false);
        }
        if (merged.kind == OperationKind::sync) {
          synchronize();
        }
        any_waited = any_waited || merged.kind == OperationKind::wait || merged.kind == OperationKind::sync;
        warp.push_back(merged);
      }
    }
    return true;
  }

  /// A later fence of one lane serves for what all have accessed.
  void synchronize() { unfenced_ = unawaited_; }

  [[nodiscard]] Operation merge(Operation left, const Operation& right) {
    left.reads = unite(left.reads, right.reads);
    left.writes = unite(left.writes, right.writes);
    left.lanes |= right.lanes;
    const bool counts_threads =
        left.kind == OperationKind::sync || is_arrival(left) || left.kind == OperationKind::arrive_when_copied;
    left.units += counts_threads ? right.units : 0;
    if (left.kind == OperationKind::phase_arrive || left.kind == OperationKind::expect ||
        left.kind == OperationKind::copy_to_shared) {
      left.count += right.count;
    }
    return left;
  }
  [[nodiscard]] int unite(int left, int right) {
    if (left == right || right == 0) {
      return left;
    }
    ByteRanges both = (*recording_.ranges)[left];
    const ByteRanges& other = (*recording_.ranges)[right];
    both.insert(both.end(), other.begin(), other.end());
    return recording_.ranges->number_of(std::move(both));
  }

  /// Folds what lanes do between two operations that all of them do, in this order:
  ///
  /// - observable operations that single lanes begin with, such as one lane's arrival for the warp;
  /// - lanes that only access memory and copy;
  /// - the other lanes.
  [[nodiscard]] bool fold_gap(const Lists& gap, bool any_waited, List& warp) {
    const std::size_t begin = warp.size();
    std::vector<std::size_t> led(gap.size(), 0);
    std::size_t touching = 0;
    for (std::size_t lane = 0; lane < gap.size(); ++lane) {
      const List& list = gap[lane];
      for (; led[lane] < list.size() && is_visible(list[led[lane]]) && !touches(list[led[lane]]); ++led[lane]) {
        if (waits(list[led[lane]]) || (is_arrival(list[led[lane]]) && any_waited)) {
          return false;
        }
        warp.push_back(list[led[lane]]);
      }
      touching += std::any_of(list.begin(), list.end(), touches) ? 1 : 0;
    }
    const std::size_t behind_leaders = warp.size();
    for (const bool is_special : {false, true}) {
      for (std::size_t lane = 0; lane < gap.size(); ++lane) {
        const List rest(gap[lane].begin() + static_cast<std::ptrdiff_t>(led[lane]), gap[lane].end());
        if (std::any_of(rest.begin(), rest.end(), is_visible) != is_special) {
          continue;
        }
        note_lane(lane, rest);
        if (!is_special) {
          std::size_t at = behind_leaders;
          for (const Operation& operation : rest) {
            at = awaits_nothing(lane, operation) ? at : put_in(operation, at, warp);
          }
        } else if (std::any_of(rest.begin(), rest.end(), waits)) {
          return false;
        } else if (const bool touches_itself = std::any_of(gap[lane].begin(), gap[lane].end(), touches);
                   std::any_of(rest.begin(), rest.end(), is_arrival) &&
                   (any_waited || touching > (touches_itself ? 1U : 0U))) {
          return false;
        } else {
          warp.insert(warp.end(), rest.begin(), rest.end());
        }
      }
    }
    // A fence counts for the warp only where each lane has it that needs it since the last synchronization of the
    // lanes; a wait for copies, where each lane has it that has copies.
    const auto leave_out = [&](OperationKind kind, const std::vector<bool>& lanes) {
      if (std::find(lanes.begin(), lanes.end(), true) != lanes.end()) {
        warp.erase(std::remove_if(warp.begin() + static_cast<std::ptrdiff_t>(begin), warp.end(),
                                  [&](const Operation& operation) { return operation.kind == kind; }),
                   warp.end());
      }
    };
    leave_out(OperationKind::fence, unfenced_);
    leave_out(OperationKind::await_async, copying_);
    return true;
  }
  /// A lane without bulk stores waits for none.
  [[nodiscard]] bool awaits_nothing(std::size_t lane, const Operation& operation) const {
    return (operation.kind == OperationKind::await_groups || operation.kind == OperationKind::await_group_reads) &&
           !stores_[lane];
  }

  /// Merges an operation with one of its kind from `at` on, or appends it. Returns the position behind it.
  [[nodiscard]] std::size_t put_in(const Operation& operation, std::size_t at, List& warp) {
    for (std::size_t i = at; i < warp.size(); ++i) {
      if (warp[i].kind == operation.kind && warp[i].count == operation.count) {
        const int units = warp[i].units;
        warp[i] = merge(warp[i], operation);
        warp[i].units = units;
        return i + 1;
      }
    }
    warp.push_back(operation);
    return warp.size();
  }

  void note_lane(std::size_t lane, const List& list) {
    for (const Operation& operation : list) {
      if (operation.kind == OperationKind::copy_async) {
        copying_[lane] = unawaited_[lane] = unfenced_[lane] = true;
      } else if (operation.kind == OperationKind::await_async) {
        copying_[lane] = unawaited_[lane] = false;
      } else if (operation.kind == OperationKind::copy_to_global) {
        stores_[lane] = true;
      } else if (operation.kind == OperationKind::access && operation.writes != 0) {
        unfenced_[lane] = true;
      } else if (operation.kind == OperationKind::fence) {
        unfenced_[lane] = unawaited_[lane];
      }
    }
  }

  const Recording& recording_;
  // Of each lane of the warp that is folded now.
  std::vector<bool> unfenced_;   ///< has written since its last fence and the lanes' synchronization, or has cp.async
  std::vector<bool> copying_;    ///< has cp.async that it has neither waited for nor made a barrier wait for
  std::vector<bool> unawaited_;  ///< has cp.async that it has not waited for
  std::vector<bool> stores_;     ///< has issued bulk stores
};

/// Makes an agent of each warp; nothing where the lanes of a warp diverge.
[[nodiscard]] inline std::optional<Program> program_of_warps(const Recording& recording) {
  return WarpFolder(recording).fold();
}

}  // namespace dma::inline v0_1::proof::detail
