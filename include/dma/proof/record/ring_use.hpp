#pragma once

#include <dma/machine/readable.hpp>
#include <dma/machine/site.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// How many tiles a pipeline of a CTA moved through its slots.
struct RingUse {
  std::string pipeline;  ///< its type
  long long offset = 0;  ///< of its storage in shared memory
  int stages = 0;
  int tiles = 0;

  [[nodiscard]] auto key() const { return std::pair(offset, pipeline); }
};

/// Keeps the most tiles of each pipeline.
inline void merge(std::vector<RingUse>& into, const std::vector<RingUse>& rings) {
  for (const RingUse& ring : rings) {
    const auto known =
        std::find_if(into.begin(), into.end(), [&](const RingUse& other) { return other.key() == ring.key(); });
    if (known == into.end()) {
      into.push_back(ring);
    } else {
      known->tiles = std::max(known->tiles, ring.tiles);
    }
  }
}

/// Counts the tiles of a CTA's pipelines: both sides report each tile's slot, and a tile is one more where a slot is
/// filled after it was used.
class RingCounts {
 public:
  /// @param shared  the CTA's shared memory
  void open(const machine::Site& pipeline, int stages, const void* shared) {
    const auto* const storage = static_cast<const char*>(pipeline.storage);
    rings_[storage] = {machine::readable(pipeline.pipeline), storage - static_cast<const char*>(shared), stages,
                       rings_[storage].tiles};
  }
  void fill(const void* slot) {
    bool& is_filled = is_filled_[slot];
    const auto behind = rings_.upper_bound(static_cast<const char*>(slot));
    if (!std::exchange(is_filled, true) && behind != rings_.begin()) {
      ++std::prev(behind)->second.tiles;
    }
  }
  void use(const void* slot) { is_filled_[slot] = false; }

  [[nodiscard]] std::vector<RingUse> rings() const {
    std::vector<RingUse> rings;
    for (const auto& [storage, ring] : rings_) {
      rings.push_back(ring);
    }
    return rings;
  }

 private:
  std::map<const char*, RingUse> rings_;   ///< by storage
  std::map<const void*, bool> is_filled_;  ///< of each slot
};

}  // namespace dma::inline v0_1::proof::detail
