#pragma once

#include <dma/host/emulation/cta_emulator.hpp>
#include <dma/host/emulation/forwarding_thread.hpp>
#include <dma/machine/emulated_thread.hpp>
#include <dma/proof/record/recording.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace dma::host {

/// Writes down what the threads of a CTA do: the one place that announces an operation of a kernel.
class Recorder final : public machine::Watcher {
 public:
  /// @param polls_truly  false: where the library polls and either answer must do, the answer is no
  explicit Recorder(bool polls_truly) : polls_truly_(polls_truly) {}

  [[nodiscard]] machine::EmulatedThread& watch(machine::EmulatedThread& thread) override;

  /// Called by each thread of the CTA when its kernel has returned.
  static void end_thread();

  [[nodiscard]] Recording& recording() { return recording_; }

 private:
  class WatchedThread;

  [[nodiscard]] int place_of(const machine::Site& site, const machine::SourceLocation& caller) {
    const auto key = std::tuple(site.who, site.point, site.stage, site.pipeline, caller.file(), caller.line());
    const auto [place, is_new] = places_.try_emplace(key, static_cast<int>(recording_.places.size()));
    if (is_new) {
      recording_.places.push_back({site, caller});
    }
    return place->second;
  }

  bool polls_truly_;
  Recording recording_;
  std::vector<std::unique_ptr<WatchedThread>> threads_;
  std::map<const void*, int> phase_barriers_;
  std::map<std::tuple<machine::Who, machine::Point, int, const char*, const char*, int>, int> places_;
};

/// A thread that announces what it does before it does it.
class Recorder::WatchedThread final : public ForwardingThread {
 public:
  WatchedThread(Recorder& recorder, machine::EmulatedThread& thread, std::size_t index)
      : ForwardingThread(thread), recorder_(recorder), index_(index) {
    be_watched();
  }

  void sync_cta() override {
    announce(OperationKind::sync, {.point = machine::Point::cta}, 0, threads());
    inner_.sync_cta();
    look_again();
  }
  void sync_warp() override {
    meet_warp();
    inner_.sync_warp();
    look_again();
  }
  void shuffle(void* value, std::size_t bytes, int source) override {
    meet_warp();
    meet_warp();
    inner_.shuffle(value, bytes, source);
    look_again();
  }
  void barrier_sync(int id, int threads, const machine::Site& site) override {
    announce(OperationKind::sync, site, id, threads);
    inner_.barrier_sync(id, threads, site);
    look_again();
  }
  void barrier_arrive(int id, int threads, const machine::Site& site) override {
    announce(OperationKind::arrive, site, id, threads);
    inner_.barrier_arrive(id, threads, site);
  }

  void slot_held(const void* slot, int bytes, bool is_held) override;

  void phase_init(void* barrier, int arrivals) override;
  void phase_invalidate(void* barrier) override {
    announce_phase(OperationKind::close, {.point = machine::Point::closing}, barrier, 0);
    inner_.phase_invalidate(barrier);
  }
  void phase_arrive(void* barrier, const machine::Site& site) override {
    announce_phase(OperationKind::phase_arrive, site, barrier, 0);
    join_expectation();
    inner_.phase_arrive(barrier, site);
  }
  void phase_wait(void* barrier, unsigned parity, const machine::Site& site) override {
    announce_phase(OperationKind::wait, site, barrier, static_cast<int>(parity));
    inner_.phase_wait(barrier, parity, site);
    look_again();
  }
  [[nodiscard]] bool phase_is_complete(const void* barrier, unsigned parity) override;
  void phase_expect(void* barrier, int bytes, const machine::Site& site) override {
    announce_phase(OperationKind::expect, site, barrier, bytes);
    inner_.phase_expect(barrier, bytes, site);
  }
  void phase_arrive_when_copied(void* barrier, const machine::Site& site) override {
    announce_phase(OperationKind::arrive_when_copied, site, barrier, 0);
    inner_.phase_arrive_when_copied(barrier, site);
  }

  void copy_async(unsigned char* to, const unsigned char* from, int bytes) override {
    add_copy(OperationKind::copy_async, nullptr, to, bytes);
    inner_.copy_async(to, from, bytes);
  }
  void wait_for_async_copies() override {
    announce(OperationKind::await_async, {.point = machine::Point::async_copies}, 0, 0);
    inner_.wait_for_async_copies();
    look_again();
  }
  void copy_bulk_to_shared(unsigned char* to, const unsigned char* from, int bytes, void* barrier) override {
    add_copy(OperationKind::copy_to_shared, barrier, to, bytes);
    inner_.copy_bulk_to_shared(to, from, bytes, barrier);
  }
  void copy_bulk_to_global(unsigned char* to, const unsigned char* from, int bytes) override {
    add_copy(OperationKind::copy_to_global, nullptr, from, bytes);
    inner_.copy_bulk_to_global(to, from, bytes);
  }
  void copy_box_to_shared(unsigned char* to, machine::BoxCopy copy, int bytes, void* barrier) override {
    add_copy(OperationKind::copy_to_shared, barrier, to, bytes);
    inner_.copy_box_to_shared(to, std::move(copy), bytes, barrier);
  }
  void copy_box_to_global(const unsigned char* from, machine::BoxCopy copy, int bytes) override {
    add_copy(OperationKind::copy_to_global, nullptr, from, bytes);
    inner_.copy_box_to_global(from, std::move(copy), bytes);
  }
  void commit_bulk_group() override {
    announce(OperationKind::commit_group, {}, 0, 0);
    inner_.commit_bulk_group();
  }
  void wait_for_bulk_groups(int pending) override {
    announce(OperationKind::await_groups, {.point = machine::Point::bulk_copies}, 0, pending);
    inner_.wait_for_bulk_groups(pending);
    look_again();
  }

  void called_from(const machine::SourceLocation& caller) override { caller_ = caller; }
  void touched(const void* place, int bytes, machine::Access access) override;
  void exposed(void* tile, int bytes, int element_bytes, machine::Access access) override;
  void fence_async_proxy() override { announce(OperationKind::fence, {}, 0, 0); }
  [[nodiscard]] bool polls_truly() override {
    recorder_.recording_.may_poll = true;
    is_asked_by_library_ = recorder_.polls_truly_;
    return recorder_.polls_truly_;
  }

  /// Writes down what was touched since the last operation.
  void flush();

 private:
  /// A reference that the kernel was given, with what lay there.
  struct Reference {
    const unsigned char* place;
    std::size_t bytes;
    std::size_t before;  ///< in `bytes_before_`
  };
  /// A tile whose address the kernel has.
  struct Exposure {
    unsigned char* tile;
    std::size_t bytes;
    std::size_t element_bytes;
    machine::Access access;
    std::vector<unsigned char> before;
  };
  static constexpr int most_polls = 10'000;

  [[nodiscard]] std::vector<Operation>& operations() { return recorder_.recording_.threads[index_]; }
  [[nodiscard]] ByteRange range_of(const void* place, std::size_t bytes) const {
    const auto offset = static_cast<const unsigned char*>(place) - static_cast<const unsigned char*>(inner_.shared());
    return {offset, offset + static_cast<long long>(bytes)};
  }
  void announce(OperationKind kind, const machine::Site& site, int barrier, int count) {
    if (std::uncaught_exceptions() == 0) {
      flush();
      polls_ = 0;
      operations().push_back(
          {.kind = kind, .barrier = barrier, .count = count, .place = recorder_.place_of(site, caller_)});
    }
  }
  /// A barrier that is not open has no number; the CTA says so.
  void announce_phase(OperationKind kind, const machine::Site& site, const void* barrier, int count) {
    const auto open = recorder_.phase_barriers_.find(barrier);
    if (open != recorder_.phase_barriers_.end()) {
      announce(kind, site, open->second, count);
    }
  }
  /// Bytes announced right before an arrival are announced with it: it is one instruction.
  void join_expectation() {
    auto& list = operations();
    if (list.size() > 1 && list.back().kind == OperationKind::phase_arrive &&
        list[list.size() - 2].kind == OperationKind::expect && list[list.size() - 2].barrier == list.back().barrier) {
      list.back().count = list[list.size() - 2].count;
      list.erase(list.end() - 2);
    }
  }
  void meet_warp() {
    announce(OperationKind::sync, {machine::Who::lanes, machine::Point::warp}, Recording::first_meeting + rank() / 32,
             32);
  }
  void add_copy(OperationKind kind, void* barrier, const unsigned char* shared, int bytes);
  void flush_copies();
  void look_again() {
    for (Exposure& exposure : exposures_) {
      exposure.before.assign(exposure.tile, exposure.tile + exposure.bytes);
    }
  }

  Recorder& recorder_;
  std::size_t index_;
  machine::SourceLocation caller_;
  int polls_ = 0;
  bool is_asked_by_library_ = false;
  ByteRanges reads_, writes_;
  std::vector<Reference> references_;
  std::vector<unsigned char> bytes_before_;
  std::vector<Exposure> exposures_;
  Operation copy_{OperationKind::copy_async};
  ByteRanges copied_;  ///< by `copy_`; copies of a kind that follow one another are one
};

inline machine::EmulatedThread& Recorder::watch(machine::EmulatedThread& thread) {
  recording_.block = thread.block();
  recording_.blocks = thread.blocks();
  recording_.threads.emplace_back();
  recording_.answers.emplace_back();
  threads_.push_back(std::make_unique<WatchedThread>(*this, thread, threads_.size()));
  return *threads_.back();
}

inline void Recorder::end_thread() { static_cast<WatchedThread&>(machine::this_thread()).flush(); }

inline void Recorder::WatchedThread::phase_init(void* barrier, int arrivals) {
  recorder_.phase_barriers_[barrier] = recorder_.recording_.phase_barriers++;
  announce_phase(OperationKind::open, {.point = machine::Point::opening}, barrier, arrivals);
  inner_.phase_init(barrier, arrivals);
}

inline bool Recorder::WatchedThread::phase_is_complete(const void* barrier, unsigned parity) {
  const bool is_complete = inner_.phase_is_complete(barrier, parity);
  recorder_.recording_.polls_by_itself = recorder_.recording_.polls_by_itself || !is_asked_by_library_;
  is_asked_by_library_ = false;
  recorder_.recording_.answers[index_].push_back(is_complete);
  polls_ = is_complete ? 0 : polls_ + 1;
  if (polls_ == most_polls) {
    throw KernelError("dma::host: a thread polls a barrier until it is complete; wait for it, so that others run");
  }
  return is_complete;
}

inline void Recorder::WatchedThread::slot_held(const void* slot, int bytes, bool is_held) {
  if (!is_held) {
    if (std::uncaught_exceptions() == 0) {
      flush();
    }
    std::erase_if(exposures_, [&](const Exposure& exposure) { return exposure.tile == slot; });
  }
  inner_.slot_held(slot, bytes, is_held);
}

inline void Recorder::WatchedThread::add_copy(OperationKind kind, void* barrier, const unsigned char* shared,
                                              int bytes) {
  const auto open = recorder_.phase_barriers_.find(barrier);
  const int number = open == recorder_.phase_barriers_.end() ? 0 : open->second;
  const bool begins = copied_.empty() || copy_.kind != kind || copy_.barrier != number;
  if (begins || !reads_.empty() || !writes_.empty() || !references_.empty() || !exposures_.empty()) {
    flush();
    copy_ = {.kind = kind,
             .barrier = number,
             .count = 0,
             .place = recorder_.place_of({.who = machine::Who::dma_warps}, caller_)};
  }
  copy_.count += kind == OperationKind::copy_to_shared ? bytes : 0;
  copied_.push_back(range_of(shared, static_cast<std::size_t>(bytes)));
}

inline void Recorder::WatchedThread::flush_copies() {
  if (!copied_.empty()) {
    const int ranges = recorder_.recording_.ranges->number_of(std::exchange(copied_, {}));
    (copy_.kind == OperationKind::copy_to_global ? copy_.reads : copy_.writes) = ranges;
    operations().push_back(copy_);
  }
}

inline void Recorder::WatchedThread::touched(const void* place, int bytes, machine::Access access) {
  flush_copies();
  const auto count = static_cast<std::size_t>(bytes);
  if (access == machine::Access::either) {
    references_.push_back({static_cast<const unsigned char*>(place), count, bytes_before_.size()});
    bytes_before_.insert(bytes_before_.end(), references_.back().place, references_.back().place + count);
  } else {
    (access == machine::Access::read ? reads_ : writes_).push_back(range_of(place, count));
  }
}

inline void Recorder::WatchedThread::exposed(void* tile, int bytes, int element_bytes, machine::Access access) {
  const bool is_known = std::any_of(exposures_.begin(), exposures_.end(),
                                    [&](const Exposure& exposure) { return exposure.tile == tile; });
  if (!is_known) {
    auto* const first = static_cast<unsigned char*>(tile);
    exposures_.push_back({first,
                          static_cast<std::size_t>(bytes),
                          static_cast<std::size_t>(element_bytes),
                          access,
                          {first, first + bytes}});
  }
}

inline void Recorder::WatchedThread::flush() {
  flush_copies();
  for (const Reference& reference : references_) {
    const bool is_same = std::memcmp(reference.place, bytes_before_.data() + reference.before, reference.bytes) == 0;
    (is_same ? reads_ : writes_).push_back(range_of(reference.place, reference.bytes));
  }
  references_.clear();
  bytes_before_.clear();
  for (Exposure& exposure : exposures_) {
    if (exposure.access == machine::Access::either) {
      reads_.push_back(range_of(exposure.tile, exposure.bytes));
    }
    if (std::memcmp(exposure.tile, exposure.before.data(), exposure.bytes) != 0) {
      for (std::size_t byte = 0; byte < exposure.bytes; byte += exposure.element_bytes) {
        const std::size_t bytes = std::min(exposure.element_bytes, exposure.bytes - byte);
        if (std::memcmp(exposure.tile + byte, exposure.before.data() + byte, bytes) != 0) {
          writes_.push_back(range_of(exposure.tile + byte, bytes));
        }
      }
      exposure.before.assign(exposure.tile, exposure.tile + exposure.bytes);
    }
  }
  if (!reads_.empty() || !writes_.empty()) {
    RangeTable& table = *recorder_.recording_.ranges;
    operations().push_back({.kind = OperationKind::access,
                            .reads = table.number_of(std::exchange(reads_, {})),
                            .writes = table.number_of(std::exchange(writes_, {})),
                            .place = recorder_.place_of({}, caller_)});
  }
}

}  // namespace dma::host
