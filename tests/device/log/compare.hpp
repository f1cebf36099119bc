#pragma once

#include "logged.hpp"

#include <dma/proof/record/recording.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/// Compares what a GPU's threads logged with a host's recording of the same CTA, or of the CTAs of a cluster: thread by
/// thread, in order. Compared are
///
/// - each synchronization of the CTA and of the warp, and each operation of a named barrier: the barrier and its count
///   of threads;
/// - each operation of a phase barrier: the barrier, by the order in which barriers are opened, and its arrivals, bytes
///   or parity;
/// - each copy: the bytes of shared memory, their number, and the phase barrier that it completes on. Copies of one
///   kind in a row count as one, as in a recording;
/// - in a cluster the CTA of each: of the barrier, of the bytes. A multicast load counts as one for each CTA;
/// - proxy fences, groups of bulk stores and waits for copies.
///
/// Not compared are ordinary loads and stores, which a GPU does not log; the scope of arrivals; addresses in global
/// memory; shuffles, which order nothing; polls, which a logging build answers with no, as a recording does; counts
/// that CTAs share in global memory. The lane that `elect.sync` chooses has to be lane 0, as on a host.
namespace logged {

using dma::machine::LoggedStep;
using dma::machine::Step;
using dma::proof::detail::ByteRange;
using dma::proof::detail::ByteRanges;
using dma::proof::detail::Operation;
using dma::proof::detail::OperationKind;
using dma::proof::detail::Recording;

/// An operation that both machines know.
struct Compared {
  OperationKind kind;
  int barrier = 0;
  int count = 0;
  ByteRanges bytes = {};  ///< of shared memory, of a copy

  bool operator==(const Compared&) const = default;
  [[nodiscard]] bool is_copy() const {
    return kind == OperationKind::copy_async || kind == OperationKind::copy_to_shared ||
           kind == OperationKind::copy_to_global;
  }
};

/// The operations of a thread; merges what a recording merges.
class ThreadList {
 public:
  void add(Compared operation) {
    Compared* const last = list_.empty() ? nullptr : &list_.back();
    const bool is_like_last = last != nullptr && last->kind == operation.kind && last->barrier == operation.barrier;
    if (operation.is_copy() && is_like_last) {
      last->count += operation.count;
      last->bytes.insert(last->bytes.end(), operation.bytes.begin(), operation.bytes.end());
      last->bytes = dma::proof::detail::tidy(std::move(last->bytes));
    } else if (operation.kind == OperationKind::phase_arrive && last != nullptr &&
               last->kind == OperationKind::expect && last->barrier == operation.barrier) {
      operation.count += last->count;
      *last = std::move(operation);
    } else {
      list_.push_back(std::move(operation));
    }
  }
  [[nodiscard]] const std::vector<Compared>& list() const { return list_; }

 private:
  std::vector<Compared> list_;
};

[[nodiscard]] inline std::vector<Compared> of_host(const Recording& recording, std::size_t thread) {
  ThreadList list;
  for (const Operation& operation : recording.threads[thread]) {
    // What tensor cores read has no step of its own on a GPU; shuffles, atomics, fences
    // between threads and waits for grids are not compared.
    if (operation.kind != OperationKind::access && operation.kind != OperationKind::read_async &&
        operation.kind != OperationKind::shuffle && operation.kind != OperationKind::await_grids &&
        operation.kind != OperationKind::use_global && operation.kind != OperationKind::atomic &&
        operation.kind != OperationKind::fence_threads) {
      Compared compared{operation.kind, operation.barrier, operation.count};
      if (compared.is_copy()) {
        const bool is_store = operation.kind == OperationKind::copy_to_global;
        compared.bytes = (*recording.ranges)[is_store ? operation.reads : operation.writes];
      }
      list.add(std::move(compared));
    }
  }
  return list.list();
}

/// The numbers of a GPU's phase barriers, by their place in shared memory. A place may be opened several times; the
/// threads that synchronize with the CTA afterwards mean the last time.
class PhaseBarriers {
 public:
  /// @param thread  the one that opens all barriers
  explicit PhaseBarriers(const std::vector<LoggedStep>& thread) {
    int syncs = 0;
    for (const LoggedStep& step : thread) {
      syncs += step.step == Step::sync_cta ? 1 : 0;
      if (step.step == Step::phase_init) {
        openings_[step.barrier].push_back({syncs, count_++});
      }
    }
  }
  /// @param syncs   of the CTA that the thread has made
  /// @param opened  barriers that it has opened, where it is the one that opens them; else 0
  [[nodiscard]] int number_of(int place, int syncs, int opened) const {
    int number = -1;
    if (const auto openings = openings_.find(place); openings != openings_.end()) {
      for (const Opening& opening : openings->second) {
        const bool is_open = opened > 0 ? opening.number < opened : opening.syncs < syncs;
        number = is_open ? opening.number : number;
      }
    }
    return number;
  }

 private:
  struct Opening {
    int syncs;  ///< before it
    int number;
  };
  std::map<int, std::vector<Opening>> openings_;
  int count_ = 0;
};

/// What a CTA's threads logged, or those of all CTAs of a cluster.
class DeviceThreads {
 public:
  /// @param first      thread of the CTA, or of the cluster's first one
  /// @param recording  of the same
  DeviceThreads(const LoggedRun& run, std::size_t first, const Recording& recording)
      : run_(run), first_(first), recording_(recording) {
    for (int cta = 0; cta < recording.ctas; ++cta) {
      barriers_.emplace_back(steps_of(static_cast<std::size_t>(cta * run.threads)));
    }
  }

  [[nodiscard]] const std::vector<LoggedStep>& steps_of(std::size_t thread) const {
    return run_.steps[first_ + thread];
  }
  [[nodiscard]] std::vector<Compared> list_of(std::size_t thread) const;

 private:
  const LoggedRun& run_;
  std::size_t first_;
  const Recording& recording_;
  std::vector<PhaseBarriers> barriers_;  ///< of each CTA
};

inline std::vector<Compared> DeviceThreads::list_of(std::size_t thread) const {
  const int cta = recording_.cta_of_thread(static_cast<int>(thread));
  const int meeting = Recording::first_meeting + static_cast<int>(thread) / 32;
  ThreadList list;
  int syncs = 0;
  int opened = 0;  // by this thread
  for (const LoggedStep& step : steps_of(thread)) {
    opened += step.step == Step::phase_init ? 1 : 0;
    const int target = step.rank == LoggedStep::none ? cta : step.rank;
    const auto add = [&](OperationKind kind, int barrier) { list.add({kind, barrier, step.count}); };
    const auto add_named = [&](OperationKind kind, int id) { add(kind, Recording::named_barriers * cta + id); };
    const auto number_of_phase = [&] {
      // The recording numbers one of each CTA in turn.
      const int number =
          barriers_[static_cast<std::size_t>(target)].number_of(step.barrier, syncs, target == cta ? opened : 0);
      return number < 0 ? number : number * recording_.ctas + target;
    };
    const auto add_phase = [&](OperationKind kind) { add(kind, number_of_phase()); };
    const auto add_copy = [&](OperationKind kind, int barrier, int count) {
      const long long place = step.place + (recording_.ctas == 1 ? 0 : target * recording_.shared_pitch);
      list.add({kind, barrier, count, {ByteRange{place, place + step.count}}});
    };
    switch (step.step) {
      case Step::sync_cta:
        ++syncs;
        add_named(OperationKind::sync, 0);
        break;
      case Step::sync_cluster:
        ++syncs;
        list.add({OperationKind::sync, recording_.ctas == 1 ? 0 : Recording::first_cluster_barrier,
                  run_.threads * recording_.ctas});
        break;
      case Step::sync_warp:
        list.add({OperationKind::sync, meeting, 32});
        break;
      case Step::barrier_sync:
        add_named(OperationKind::sync, step.barrier);
        break;
      case Step::barrier_arrive:
        add_named(OperationKind::arrive, step.barrier);
        break;
      case Step::phase_init:
        add_phase(OperationKind::open);
        break;
      case Step::phase_invalidate:
        add_phase(OperationKind::close);
        break;
      case Step::phase_arrive:
        add_phase(OperationKind::phase_arrive);
        break;
      case Step::phase_expect:
        add_phase(OperationKind::expect);
        break;
      case Step::phase_arrive_when_copied:
        add_phase(OperationKind::arrive_when_copied);
        break;
      case Step::phase_wait:
        add_phase(OperationKind::wait);
        break;
      case Step::fence_async_proxy:
        add(OperationKind::fence, 0);
        break;
      case Step::copy_async:
        add_copy(OperationKind::copy_async, 0, 0);
        break;
      case Step::wait_for_async_copies:
        add(OperationKind::await_async, 0);
        break;
      case Step::copy_to_shared:
        add_copy(OperationKind::copy_to_shared, number_of_phase(), step.count);
        break;
      case Step::copy_to_global:
        add_copy(OperationKind::copy_to_global, 0, 0);
        break;
      case Step::commit_group:
        add(OperationKind::commit_group, 0);
        break;
      case Step::wait_for_reads:
        add(OperationKind::await_group_reads, 0);
        break;
      case Step::wait_for_groups:
        add(OperationKind::await_groups, 0);
        break;
      case Step::commit_reads:
        add(OperationKind::commit_reads, 0);
        break;
      case Step::await_reads:
        add(OperationKind::await_reads, 0);
        break;
      case Step::shuffle:
      case Step::elected:
      case Step::grid:
        break;
    }
  }
  return list.list();
}

[[nodiscard]] inline std::string text_of(const std::vector<Compared>& list, std::size_t index) {
  static constexpr const char* names[] = {"access",
                                          "atomic",
                                          "fence_threads",
                                          "fence",
                                          "sync",
                                          "shuffle",
                                          "arrive",
                                          "open",
                                          "close",
                                          "phase_arrive",
                                          "expect",
                                          "wait",
                                          "copy_to_shared",
                                          "copy_async",
                                          "arrive_when_copied",
                                          "await_async",
                                          "commit_async",
                                          "await_async_groups",
                                          "copy_to_global",
                                          "commit_group",
                                          "await_groups",
                                          "await_group_reads",
                                          "read_async",
                                          "commit_reads",
                                          "await_reads",
                                          "multiply",
                                          "arrive_when_multiplied",
                                          "load_tensor",
                                          "await_loads",
                                          "store_tensor",
                                          "await_stores",
                                          "copy_to_tensor",
                                          "shift_tensor",
                                          "free_tensor",
                                          "fence_tensor",
                                          "await_grids",
                                          "use_global"};
  static_assert(std::size(names) == static_cast<std::size_t>(OperationKind::use_global) + 1);
  if (index >= list.size()) {
    return "nothing more";
  }
  const Compared& operation = list[index];
  std::ostringstream text;
  text << names[static_cast<int>(operation.kind)] << ", barrier " << operation.barrier << ", " << operation.count;
  for (const ByteRange& range : operation.bytes) {
    text << ", bytes " << range.first << " to " << range.last;
  }
  return text.str();
}

/// The first operation that differs, in words; empty where the lists are the same.
///
/// @param first  thread of the CTA, or of the cluster's first one
[[nodiscard]] inline std::string difference(const LoggedRun& run, std::size_t first, const Recording& recording) {
  const DeviceThreads device(run, first, recording);
  for (std::size_t thread = 0; thread < recording.threads.size(); ++thread) {
    const auto threads = static_cast<std::size_t>(run.threads);
    const std::string who = run.name + ", block " + std::to_string((first + thread) / threads) + ", thread " +
                            std::to_string(thread % threads);
    for (const LoggedStep& step : device.steps_of(thread)) {
      if (step.step == Step::elected && step.count != (thread % 32 == 0 ? 1 : 0)) {
        return who + ": elect.sync did not choose lane 0, so the lists of single lanes differ";
      }
    }
    const std::vector<Compared> here = of_host(recording, thread);
    const std::vector<Compared> there = device.list_of(thread);
    const auto [left, right] = std::mismatch(here.begin(), here.end(), there.begin(), there.end());
    if (left != here.end() || right != there.end()) {
      const auto index = static_cast<std::size_t>(left - here.begin());
      return who + ", operation " + std::to_string(index) + " of " + std::to_string(here.size()) + ": " +
             text_of(here, index) + " on the host; " + text_of(there, index) + " of " + std::to_string(there.size()) +
             " on the GPU";
    }
  }
  return "";
}

}  // namespace logged
