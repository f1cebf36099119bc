#pragma once

#include <dma/proof/record/program.hpp>
#include <dma/proof/search/cell_mask.hpp>
#include <dma/proof/search/segments.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// What an agent accesses through the generic proxy, what through the async proxy (bulk copies, asynchronous reads),
/// and its proxy fences.
///
/// A barrier's words are a cell too, behind those of the program: opening the barrier writes it, and a bulk copy to
/// shared memory uses it.
struct ProxyAccesses {
  static constexpr int never = std::numeric_limits<int>::max();

  /// Where an operation is.
  struct At {
    int number = never;   ///< in the agent's list
    int segment = never;  ///< of its `SegmentedList`: that before the operation, where the operation is a step
  };
  /// Accesses through the generic proxy in one segment, without a fence or a bulk copy between them, or one cp.async.
  struct Generic {
    At at;  ///< of the last one
    CellMask reads, writes;
    bool is_copy = false;
    At awaited = {};  ///< a cp.async: where the agent waits for it, or makes a barrier wait for it
    At tied = {};
    int group = 0;  ///< of a cp.async
  };
  struct Bulk {
    At at;
    CellMask reads, writes;
    bool is_step;
  };

  std::vector<Generic> generic;
  std::vector<At> fences;
  std::vector<Bulk> bulk;

  ProxyAccesses(const Program& program, const std::vector<Operation>& operations) : program_(program) {
    At at{0, 0};
    for (const Operation& operation : operations) {
      take(operation, at);
      ++at.number;
      at.segment += SegmentedList::is_step(operation.kind) ? 1 : 0;
    }
  }

 private:
  [[nodiscard]] CellMask mask(int set) const {
    CellMask result(program_.cells + static_cast<int>(program_.phase_barriers.size()));
    result.add(program_.cell_sets[static_cast<std::size_t>(set)]);
    return result;
  }
  [[nodiscard]] std::vector<int> word_of(int barrier) const { return {program_.cells + barrier}; }

  void take(const Operation& operation, At at) {
    switch (operation.kind) {
      case OperationKind::access:
      case OperationKind::atomic:
        add({at, mask(operation.reads), mask(operation.writes)});
        break;
      case OperationKind::open:
        add({at, mask(0), mask(0)});
        generic.back().writes.add(word_of(operation.barrier));
        break;
      case OperationKind::copy_async:
        generic.push_back({at, mask(0), mask(operation.writes), true});
        generic.back().group = async_groups_;
        break;
      case OperationKind::arrive_when_copied:
        for_each_copy([&](Generic& copy) { copy.tied = copy.tied.number == never ? at : copy.tied; });
        break;
      case OperationKind::await_async:
        for_each_copy([&](Generic& copy) { copy.awaited = at; });
        break;
      case OperationKind::commit_async:
        ++async_groups_;
        break;
      case OperationKind::await_async_groups:
        for_each_copy(
            [&](Generic& copy) { copy.awaited = copy.group < async_groups_ - operation.count ? at : copy.awaited; });
        break;
      case OperationKind::fence:
        fences.push_back(at);
        break;
      case OperationKind::copy_to_shared:
        bulk.push_back({at, mask(operation.reads), mask(operation.writes), true});
        bulk.back().reads.add(word_of(operation.barrier));
        break;
      case OperationKind::copy_to_global:
      case OperationKind::read_async:
        bulk.push_back({at, mask(operation.reads), mask(operation.writes), false});
        break;
      default:
        break;
    }
  }
  /// Accesses that no fence, no access of the async proxy and no step divides are one.
  void add(Generic now) {
    const int last_fence = fences.empty() ? -1 : fences.back().number;
    const int last_bulk = bulk.empty() ? -1 : bulk.back().at.number;
    if (!generic.empty() && !generic.back().is_copy && generic.back().at.segment == now.at.segment &&
        generic.back().at.number > std::max(last_fence, last_bulk)) {
      generic.back().at = now.at;
      generic.back().reads.add(now.reads);
      generic.back().writes.add(now.writes);
    } else {
      generic.push_back(std::move(now));
    }
  }
  /// Calls `visit` for each cp.async that the agent has not waited for.
  template <class Visit>
  void for_each_copy(const Visit& visit) {
    for (Generic& access : generic) {
      if (access.is_copy && access.awaited.number == never) {
        visit(access);
      }
    }
  }

  const Program& program_;
  int async_groups_ = 0;  ///< that were committed
};

}  // namespace dma::inline v0_1::proof::detail
