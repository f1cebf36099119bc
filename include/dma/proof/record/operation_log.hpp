#pragma once

#include <dma/host/compiled.hpp>
#include <dma/machine/emulated_thread.hpp>
#include <dma/machine/source_location.hpp>
#include <dma/proof/record/access_detector.hpp>
#include <dma/proof/record/recording.hpp>
#include <dma/proof/record/ring_use.hpp>
#include <dma/proof/record/seen_accesses.hpp>

#include <cstddef>
#include <exception>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace dma::host {

/// A CTA's recording while its threads write it: numbers their source locations and phase barriers.
class CtaLog {
 public:
  [[nodiscard]] Recording& recording() noexcept { return recording_; }
  [[nodiscard]] RingCounts& rings() noexcept { return rings_; }
  /// @param shared  the CTA's shared memory
  void begin(const void* shared, std::size_t bytes) { seen_.emplace(shared, bytes); }
  /// Of the thread that runs.
  [[nodiscard]] SeenAccesses& seen() { return *seen_; }

  [[nodiscard]] int place_of(const machine::Site& site, const machine::SourceLocation& caller) {
    const auto key =
        std::tuple(site.who, site.point, site.stage, site.pipeline, site.storage, caller.file(), caller.line());
    const auto [place, is_new] = places_.try_emplace(key, static_cast<int>(recording_.places.size()));
    if (is_new) {
      recording_.places.push_back({site, caller});
    }
    return place->second;
  }
  void open_phase_barrier(const void* barrier) { phase_barriers_[barrier] = recording_.phase_barriers++; }
  /// Nothing where no barrier was opened in this storage.
  [[nodiscard]] std::optional<int> number_of(const void* phase_barrier) const {
    const auto open = phase_barriers_.find(phase_barrier);
    return open == phase_barriers_.end() ? std::nullopt : std::optional(open->second);
  }

 private:
  Recording recording_;
  RingCounts rings_;
  std::optional<SeenAccesses> seen_;
  std::map<const void*, int> phase_barriers_;
  std::map<std::tuple<machine::Who, machine::Point, int, const char*, const void*, const char*, int>, int> places_;
};

/// The operations of one thread, in order. Accesses between two operations become one; so do consecutive copies of one
/// kind.
class ThreadLog {
 public:
  /// @param index   of the thread in its CTA
  /// @param shared  the CTA's shared memory
  ThreadLog(CtaLog& cta, std::size_t index, const void* shared) : cta_(cta), index_(index), accesses_(shared) {}

  /// Where in the kernel's source the next operations are.
  void set_caller(const machine::SourceLocation& caller) { caller_ = caller; }

  void add(OperationKind kind, const machine::Site& site, int barrier, int count) {
    if (std::uncaught_exceptions() == 0) {
      flush();
      operations().push_back({.kind = kind, .barrier = barrier, .count = count, .place = cta_.place_of(site, caller_)});
    }
  }
  /// A barrier that is not open has no number; the emulator reports it.
  void add_phase(OperationKind kind, const machine::Site& site, const void* barrier, int count) {
    if (const std::optional<int> number = cta_.number_of(barrier)) {
      add(kind, site, *number, count);
    }
  }
  /// Merges an arrival with the expectation of bytes right before it: one instruction does both.
  void join_expectation() {
    auto& list = operations();
    if (list.size() > 1 && list.back().kind == OperationKind::phase_arrive &&
        list[list.size() - 2].kind == OperationKind::expect && list[list.size() - 2].barrier == list.back().barrier) {
      list.back().count = list[list.size() - 2].count;
      list.erase(list.end() - 2);
    }
  }
  /// @param barrier  the phase barrier that the copy completes on, null where it completes on none
  /// @param shared   the side of the copy that is in shared memory; that in global memory follows by `add_global_side`
  void add_copy(OperationKind kind, const void* barrier, const unsigned char* shared, int bytes) {
    const int number = cta_.number_of(barrier).value_or(0);
    const bool is_first = copied_.empty() || copy_.kind != kind || copy_.barrier != number;
    if (is_first || has_accesses()) {
      flush();
      copy_ = {.kind = kind,
               .barrier = number,
               .count = 0,
               .place = cta_.place_of({.who = machine::Who::dma_warps}, caller_)};
    }
    copy_.count += kind == OperationKind::copy_to_shared ? bytes : 0;
    copied_.push_back(accesses_.range_of(shared, static_cast<std::size_t>(bytes)));
  }

  /// Where every access is seen, those that the library announces are among them.
  void touch(const void* place, int bytes, machine::Access access) {
    if constexpr (!sees_every_access) {
      flush_copies();
      accesses_.touch(place, static_cast<std::size_t>(bytes), access);
    }
  }
  void begin_exposure(void* tile, int bytes, int element_bytes, machine::Access access) {
    if constexpr (!sees_every_access) {
      accesses_.begin_exposure(tile, static_cast<std::size_t>(bytes), static_cast<std::size_t>(element_bytes), access);
    }
  }
  void see(const void* place, std::size_t bytes, machine::Access access, const void* instruction) {
    if (std::uncaught_exceptions() == 0) {
      flush_copies();
      cta_.seen().add(index_, place, bytes, access == machine::Access::write, instruction);
    }
  }
  void end_exposure(const void* tile) {
    if (std::uncaught_exceptions() == 0) {
      flush();
    }
    accesses_.end_exposure(tile);
  }
  /// Other threads have run.
  void take_snapshots() { accesses_.take_snapshots(); }

  /// Writes the copies and the accesses since the last operation.
  void flush() {
    flush_copies();
    if (has_accesses()) {
      std::vector<SeenInstruction>& seen = cta_.recording().seen;
      const auto seen_first = static_cast<int>(seen.size());
      auto [reads, writes] = take_accesses();
      if (!reads.empty() || !writes.empty()) {
        RangeTable& table = *cta_.recording().ranges;
        operations().push_back({.kind = OperationKind::access,
                                .reads = table.number_of(std::move(reads)),
                                .writes = table.number_of(std::move(writes)),
                                .place = cta_.place_of({}, caller_),
                                .seen_first = seen_first,
                                .seen_last = static_cast<int>(seen.size())});
      }
    }
  }

 private:
  [[nodiscard]] std::vector<Operation>& operations() { return cta_.recording().threads[index_]; }
  [[nodiscard]] bool has_accesses() {
    if constexpr (sees_every_access) {
      return cta_.seen().has_any_of(index_);
    } else {
      return !accesses_.is_idle();
    }
  }
  [[nodiscard]] Accesses take_accesses() {
    if constexpr (sees_every_access) {
      return cta_.seen().take(cta_.recording().seen);
    } else {
      return accesses_.take();
    }
  }
  void flush_copies() {
    if (!copied_.empty()) {
      const int ranges = cta_.recording().ranges->number_of(std::exchange(copied_, {}));
      (copy_.kind == OperationKind::copy_to_global ? copy_.reads : copy_.writes) = ranges;
      operations().push_back(copy_);
    }
  }

  CtaLog& cta_;
  std::size_t index_;
  machine::SourceLocation caller_;
  AccessDetector accesses_;
  Operation copy_{OperationKind::copy_async};
  ByteRanges copied_;  ///< by `copy_`
};

}  // namespace dma::host
