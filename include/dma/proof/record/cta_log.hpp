#pragma once

#include <dma/host/emulation/exceeded.hpp>
#include <dma/host/emulation/run_watch.hpp>
#include <dma/machine/site.hpp>
#include <dma/proof/record/bytes_before.hpp>
#include <dma/proof/record/operand_bytes.hpp>
#include <dma/proof/record/recording.hpp>
#include <dma/proof/record/repeated_run.hpp>
#include <dma/proof/record/ring_use.hpp>
#include <dma/proof/record/seen_accesses.hpp>
#include <dma/proof/record/shared_contents.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// A CTA's or a cluster's recording while its threads write it: numbers their source locations and phase barriers.
class CtaLog {
 public:
  /// @param most_bytes  that the recording may take
  explicit CtaLog(std::size_t most_bytes = SIZE_MAX) : most_bytes_(most_bytes) {}

  [[nodiscard]] Recording& recording() noexcept { return recording_; }
  [[nodiscard]] RingCounts& rings() noexcept { return rings_; }
  /// @param shared  the shared memory of the CTA, or of all CTAs of the cluster
  void begin(const void* shared, std::size_t bytes) {
    shared_ = shared;
    seen_.emplace(shared, bytes);
    contents_.emplace(bytes, recording_.contents_fault);
  }
  [[nodiscard]] const void* shared() const noexcept { return shared_; }
  /// Has global memory kept before it changes.
  ///
  /// @param stores  by ordinary stores too, not only by atomics
  void keep_before(BytesBefore& before, bool stores) {
    before_ = &before;
    keeps_stores_ = stores;
  }
  [[nodiscard]] bool keeps_stores() const noexcept { return keeps_stores_; }
  /// Null where this is not kept.
  [[nodiscard]] BytesBefore* before(bool is_atomic) const noexcept {
    return is_atomic || keeps_stores_ ? before_ : nullptr;
  }
  /// Of the thread that runs.
  [[nodiscard]] SeenAccesses& seen() { return *seen_; }
  [[nodiscard]] SharedContents& contents() { return *contents_; }

  [[nodiscard]] int place_of(const machine::Site& site, const machine::SourceLocation& caller) {
    const PlaceKey key = key_of(site, caller);
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
  /// An atomic location: its number, and how many writes there were.
  [[nodiscard]] std::pair<int, int>& atomic_at(long long first_byte) {
    const auto [place, is_new] = atomics_.try_emplace(first_byte, 0, 0);
    if (is_new) {
      place->second.first = recording_.numbers->of_atomic(first_byte);
      recording_.atomics = std::max(recording_.atomics, place->second.first + 1);
    }
    return place->second;
  }
  /// Has the numbers of an earlier run of the same CTA.
  void number_as(const Recording& earlier) { recording_.numbers = earlier.numbers; }
  /// Compares the threads with an earlier run from their first operation on.
  ///
  /// @param earlier  exists as long as this; its `can_be_repeated()` is true
  void repeat(const Recording& earlier) {
    recording_.ranges = earlier.ranges;
    repeated_.emplace(earlier);
  }
  /// Whether the thread does next what it did in the earlier run.
  [[nodiscard]] bool repeats(std::size_t thread, const Operation& operation, const Accesses& shared,
                             const Accesses& global) {
    if (repeated_ && !(is_apart(operation, shared) ? repeated_->repeats_apart(thread, global)
                                                   : repeated_->repeats(thread, operation, shared, global))) {
      stop_repeating();
    }
    return repeated_.has_value();
  }
  /// Adds to a list of the recording. The thread is left soon where the recording takes too much memory.
  template <class Element>
  void append(std::vector<Element>& list, const Element& element) {
    const std::size_t before = list.capacity();
    list.push_back(element);
    add_bytes((list.capacity() - before) * sizeof(Element));
  }
  /// Instructions that copy, and hashes of what they move.
  using Copies = std::vector<std::pair<const void*, std::uint64_t>>;
  void write_copies(const Copies& copies, Operation& operation) {
    operation.seen_first = static_cast<int>(recording_.seen.size());
    for (const auto& [code, moves] : copies) {
      SeenInstruction copy{code, true, {}, {}};
      std::memcpy(copy.value.data(), &moves, sizeof moves);
      append(recording_.seen, copy);
    }
    operation.seen_last = static_cast<int>(recording_.seen.size());
  }
  void add_bytes(std::size_t bytes) {
    recording_.memory_bytes += bytes;
    if (recording_.memory_bytes > most_bytes_) {
      host::detail::RunWatch::exceed(host::detail::Exceeded::recorded_bytes);
    }
  }
  void write_down(std::size_t thread, Operation& operation, const Accesses& shared, const Accesses& global) {
    const std::size_t bytes_of_ranges = recording_.ranges->bytes();
    operation.reads = recording_.ranges->number_of(shared.reads);
    operation.writes = recording_.ranges->number_of(shared.writes);
    add_bytes(recording_.ranges->bytes() - bytes_of_ranges);
    auto& operations = recording_.threads[thread];
    auto& apart = recording_.apart[thread];
    auto number = static_cast<int>(operations.size());
    if (is_apart(operation, shared)) {
      number = ~static_cast<int>(apart.size());
      append(apart, {operations.size(), operation});
    } else {
      append(operations, operation);
    }
    for (const ByteRanges* const ranges : {&global.reads, &global.writes}) {
      for (const ByteRange& range : *ranges) {
        append(recording_.global[thread], {range, number, ranges == &global.writes});
      }
    }
  }
  [[nodiscard]] OperandBytes& operands() noexcept { return operands_; }
  /// Room for the bytes of one operation, empty.
  [[nodiscard]] Accesses& taken_shared() noexcept { return emptied(taken_shared_); }
  [[nodiscard]] Accesses& taken_global() noexcept { return emptied(taken_global_); }
  /// Whether each thread did all that it did in the earlier run, and nothing else.
  [[nodiscard]] bool has_repeated() const { return repeated_ && repeated_->is_complete(); }
  /// From here on this is another run: what the threads have done so far is written down.
  void stop_repeating() {
    if (repeated_) {
      repeated_->copy_to(recording_);
      repeated_.reset();
      for (std::size_t i = 1; i < recording_.places.size(); ++i) {
        places_.try_emplace(key_of(recording_.places[i].site, recording_.places[i].caller), static_cast<int>(i));
      }
    }
  }
  /// @param cta  that has it
  void open_phase_barrier(const void* barrier, int cta) {
    auto& [number, opened] = phase_barriers_[barrier];
    number = recording_.numbers->of_barrier(cta, recording_.ctas, place_in_shared(barrier), opened++);
    recording_.phase_barriers = std::max(recording_.phase_barriers, number + 1);
  }
  /// Nothing where no barrier was opened in this storage.
  [[nodiscard]] std::optional<int> number_of(const void* phase_barrier) const {
    const auto open = phase_barriers_.find(phase_barrier);
    return open == phase_barriers_.end() ? std::nullopt : std::optional(open->second.first);
  }

 private:
  using PlaceKey = std::tuple<machine::Who, machine::Point, int, const char*, const void*, const char*, int>;

  /// The same in each run, where the barrier is in shared memory as on a GPU.
  [[nodiscard]] long long place_in_shared(const void* barrier) const {
    return static_cast<long long>(reinterpret_cast<std::uintptr_t>(barrier) -
                                  reinterpret_cast<std::uintptr_t>(shared_));
  }
  [[nodiscard]] static Accesses& emptied(Accesses& room) noexcept {
    room.clear();
    return room;
  }
  [[nodiscard]] static bool is_apart(const Operation& operation, const Accesses& shared) {
    return operation.kind == OperationKind::access && shared.is_empty();
  }
  [[nodiscard]] static PlaceKey key_of(const machine::Site& site, const machine::SourceLocation& caller) {
    return {site.who, site.point, site.stage, site.pipeline, site.storage, caller.file(), caller.line()};
  }
  [[nodiscard]] static std::array<std::pair<PlaceKey, int>, 64> no_places() {
    std::array<std::pair<PlaceKey, int>, 64> none;
    none.fill({{}, -1});
    return none;
  }

  std::size_t most_bytes_;
  Recording recording_;
  BytesBefore* before_ = nullptr;
  bool keeps_stores_ = false;
  const void* shared_ = nullptr;
  std::optional<RepeatedRun> repeated_;
  Accesses taken_shared_, taken_global_;
  OperandBytes operands_;
  RingCounts rings_;
  std::optional<SeenAccesses> seen_;
  std::optional<SharedContents> contents_;
  std::map<long long, std::pair<int, int>> atomics_;           ///< by their first byte
  std::map<const void*, std::pair<int, int>> phase_barriers_;  ///< the number of the latest, and how many were opened
  std::map<PlaceKey, int> places_;
  std::array<std::pair<PlaceKey, int>, 64> recent_places_ = no_places();  ///< most lookups end here
};

}  // namespace dma::inline v0_1::proof::detail
