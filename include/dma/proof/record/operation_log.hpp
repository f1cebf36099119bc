#pragma once

#include <dma/host/compiled.hpp>
#include <dma/host/emulation/exception_state.hpp>
#include <dma/machine/emulated_thread.hpp>
#include <dma/machine/source_location.hpp>
#include <dma/proof/record/access_detector.hpp>
#include <dma/proof/record/recording.hpp>
#include <dma/proof/record/ring_use.hpp>
#include <dma/proof/record/seen_accesses.hpp>

#include <array>
#include <cstddef>
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
  void begin(const void* shared, std::size_t bytes) {
    seen_.emplace(shared, bytes);
    contents_.emplace(bytes, recording_.contents_fault);
  }
  /// Of the thread that runs.
  [[nodiscard]] SeenAccesses& seen() { return *seen_; }
  [[nodiscard]] SharedContents& contents() { return *contents_; }

  [[nodiscard]] int place_of(const machine::Site& site, const machine::SourceLocation& caller) {
    const auto key =
        std::tuple(site.who, site.point, site.stage, site.pipeline, site.storage, caller.file(), caller.line());
    auto& [recent_key, recent_place] =
        recent_places_[static_cast<std::size_t>(caller.line() + 7 * site.stage + 3 * static_cast<int>(site.point)) %
                       recent_places_.size()];
    if (recent_key == key && recent_place >= 0) {
      return recent_place;
    }
    const auto [place, is_new] = places_.try_emplace(key, static_cast<int>(recording_.places.size()));
    if (is_new) {
      recording_.places.push_back({site, caller});
    }
    recent_key = key;
    recent_place = place->second;
    return place->second;
  }
  /// An atomic location: its number, and how many atomics have released there.
  [[nodiscard]] std::pair<int, int>& atomic_at(long long first_byte) {
    const auto [place, is_new] = atomics_.try_emplace(first_byte, recording_.atomics, 0);
    recording_.atomics += is_new ? 1 : 0;
    return place->second;
  }
  void open_phase_barrier(const void* barrier) { phase_barriers_[barrier] = recording_.phase_barriers++; }
  /// Nothing where no barrier was opened in this storage.
  [[nodiscard]] std::optional<int> number_of(const void* phase_barrier) const {
    const auto open = phase_barriers_.find(phase_barrier);
    return open == phase_barriers_.end() ? std::nullopt : std::optional(open->second);
  }

 private:
  using PlaceKey = std::tuple<machine::Who, machine::Point, int, const char*, const void*, const char*, int>;

  [[nodiscard]] static std::array<std::pair<PlaceKey, int>, 64> no_places() {
    std::array<std::pair<PlaceKey, int>, 64> none;
    none.fill({{}, -1});
    return none;
  }

  Recording recording_;
  RingCounts rings_;
  std::optional<SeenAccesses> seen_;
  std::optional<SharedContents> contents_;
  std::map<long long, std::pair<int, int>> atomics_;  ///< by their first byte
  std::map<const void*, int> phase_barriers_;
  std::map<PlaceKey, int> places_;
  std::array<std::pair<PlaceKey, int>, 64> recent_places_ = no_places();  ///< most lookups end here
};

/// The operations of one thread, in order. Accesses between two operations become one; so do consecutive copies of one
/// kind.
class ThreadLog {
 public:
  /// @param index   of the thread in its CTA
  /// @param shared  the CTA's shared memory
  ThreadLog(CtaLog& cta, std::size_t index, const void* shared) : cta_(cta), index_(index), accesses_(shared) {}

  /// Whether the grids before are known to be complete.
  void may_write_global(bool may_write) { may_write_global_ = may_write; }
  /// Where in the kernel's source the next operations are.
  void set_caller(const machine::SourceLocation& caller) { caller_ = caller; }

  void add(OperationKind kind, const machine::Site& site, int barrier, int count) {
    if (!is_unwinding()) {
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
  /// @param shared   the side of the copy that is in shared memory
  /// @param adds     whether it adds to global memory
  void add_copy(OperationKind kind, const void* barrier, const unsigned char* shared, int bytes, bool adds = false) {
    const int number = cta_.number_of(barrier).value_or(0);
    const bool is_first = copied_.empty() || copy_.kind != kind || copy_.barrier != number || copy_.adds != adds;
    if (is_first || has_accesses()) {
      flush();
      copy_ = {.kind = kind,
               .barrier = number,
               .count = 0,
               .place = cta_.place_of({.who = machine::Who::dma_warps}, caller_),
               .adds = adds};
    }
    copy_.count += kind == OperationKind::copy_to_shared ? bytes : 0;
    copied_.push_back(accesses_.range_of(shared, static_cast<std::size_t>(bytes)));
    if constexpr (sees_every_access) {
      cta_.contents().copy(index_, copied_.back(), kind != OperationKind::copy_to_global, caller_);
    }
  }
  /// The other side of the copy that was added last.
  void add_global_side(const void* global, int bytes) {
    if constexpr (sees_every_access) {
      copied_global_.push_back(cta_.seen().memory().range_of(global, static_cast<std::size_t>(bytes)));
    }
  }
  /// The word of a barrier is written where it is opened or closed.
  void begin_barrier(const void* word, bool is_open) {
    if constexpr (sees_every_access) {
      flush();
      const ByteRange bytes = cta_.seen().memory().range_of(word, 8);
      is_open ? cta_.contents().open_barrier(bytes) : cta_.contents().close_barrier(bytes);
      operations().push_back({.kind = OperationKind::access,
                              .writes = cta_.recording().ranges->number_of({bytes}),
                              .place = cta_.place_of({}, caller_)});
    }
  }
  void hold(const void* slot, int bytes, bool is_held) {
    if constexpr (sees_every_access) {
      cta_.contents().hold(index_, accesses_.range_of(slot, static_cast<std::size_t>(bytes)), is_held);
    }
  }
  void fill(const void* slot) {
    if constexpr (sees_every_access) {
      cta_.contents().fill(index_, accesses_.range_of(slot, 1).first);
    }
  }
  void use(const void* slot) {
    if constexpr (sees_every_access) {
      cta_.contents().use(index_, accesses_.range_of(slot, 1).first);
    }
  }

  /// Where every access is seen, those that the library announces are among them.
  void touch(const void* place, int bytes, machine::Access access) {
    if constexpr (!sees_every_access) {
      flush_copies();
      accesses_.touch(place, static_cast<std::size_t>(bytes), access);
    } else if (cta_.contents().is_held(index_, accesses_.range_of(place, 1).first)) {
      cta_.contents().name_element(accesses_.range_of(place, static_cast<std::size_t>(bytes)), bytes);
    }
  }
  void begin_exposure(void* tile, int bytes, int element_bytes, machine::Access access) {
    if constexpr (!sees_every_access) {
      accesses_.begin_exposure(tile, static_cast<std::size_t>(bytes), static_cast<std::size_t>(element_bytes), access);
    } else {
      cta_.contents().name_element(accesses_.range_of(tile, static_cast<std::size_t>(bytes)), element_bytes);
    }
  }
  void see(const void* place, std::size_t bytes, machine::Access access, const void* instruction) {
    if (!is_unwinding()) {
      flush_copies();
      const bool writes = access == machine::Access::write;
      const ByteRange range = cta_.seen().memory().range_of(place, bytes);
      cta_.seen().add(index_, range, writes, instruction);
      if (writes && !may_write_global_ && is_global(range)) {
        cta_.contents().report_early_write(index_, instruction, caller_);
      }
      cta_.contents().access(index_, range, writes, instruction, caller_);
    }
  }
  void see_atomic(const void* place, std::size_t bytes, machine::MemoryOrder order, const void* instruction) {
    if (!is_unwinding()) {
      flush();
      const ByteRange range = cta_.seen().memory().range_of(place, bytes);
      Recording& recording = cta_.recording();
      recording.meets_ctas = recording.meets_ctas || is_global(range);
      const auto seen = static_cast<int>(recording.seen.size());
      recording.seen.push_back({instruction, true, range, {}});
      auto& [number, releases] = cta_.atomic_at(range.first);
      operations().push_back({.kind = OperationKind::atomic,
                              .barrier = number,
                              .count = (order.acquires ? 1 : 0) + (order.releases ? 2 : 0),
                              .writes = recording.ranges->number_of({range}),
                              .place = cta_.place_of({}, caller_),
                              .releases = releases,
                              .seen_first = seen,
                              .seen_last = seen + 1});
      releases += order.releases ? 1 : 0;
    }
  }
  /// An access that no load or store of the kernel makes.
  void add_access(const ByteRange& range, machine::Access access) {
    if (!is_unwinding()) {
      flush();
      const int ranges = cta_.recording().ranges->number_of({range});
      const bool writes = access == machine::Access::write;
      operations().push_back({.kind = OperationKind::access,
                              .reads = writes ? 0 : ranges,
                              .writes = writes ? ranges : 0,
                              .place = cta_.place_of({}, caller_)});
    }
  }
  [[nodiscard]] ByteRange range_of(const void* place, int bytes) const {
    return accesses_.range_of(place, static_cast<std::size_t>(bytes));
  }
  void end_exposure(const void* tile) {
    if (!is_unwinding()) {
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
      const int global = cta_.recording().ranges->number_of(std::exchange(copied_global_, {}));
      const bool is_store = copy_.kind == OperationKind::copy_to_global;
      copy_.reads = is_store ? ranges : global;
      copy_.writes = is_store ? global : ranges;
      operations().push_back(copy_);
    }
  }

  CtaLog& cta_;
  std::size_t index_;
  machine::SourceLocation caller_;
  bool may_write_global_ = true;
  AccessDetector accesses_;
  Operation copy_{OperationKind::copy_async};
  ByteRanges copied_;         ///< by `copy_`: shared memory
  ByteRanges copied_global_;  ///< the other side, where every access is seen
};

}  // namespace dma::host
