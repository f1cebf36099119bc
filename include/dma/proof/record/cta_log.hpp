#pragma once

#include <dma/machine/site.hpp>
#include <dma/machine/source_location.hpp>
#include <dma/proof/record/recording.hpp>
#include <dma/proof/record/ring_use.hpp>
#include <dma/proof/record/seen_accesses.hpp>
#include <dma/proof/record/shared_contents.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

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

}  // namespace dma::host
