#pragma once

#include <dma/host/emulation/hidden_slots.hpp>
#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/machine/emulated_thread.hpp>
#include <dma/machine/source_location.hpp>
#include <dma/roles/warp_layout.hpp>

#include <bitset>
#include <cstddef>
#include <map>
#include <set>
#include <string>

namespace dma::host {

/// The tile that each slot of a CTA was last filled with. All threads that fill it, and both sides of a pipeline, must
/// name the same tile.
class FilledSlots {
 public:
  /// @param caller  the call that filled it
  ///
  /// @throw KernelError  another thread filled it with a tile of another size or shape
  void fill(const void* slot, const machine::TileShape& tile, const machine::SourceLocation& caller, int thread) {
    const auto rank = static_cast<std::size_t>(thread);
    Filled& filled = tiles_[slot];
    // A thread fills a slot once for each tile.
    if (filled.is_over || filled.threads.test(rank)) {
      filled = {.tile = tile, .caller = caller, .is_over = false};
    } else if (!is_same(filled.tile, tile)) {
      throw KernelError("dma::host: a slot is filled with a tile of " + describe(filled) +
                        " by one thread and with one of " + std::to_string(tile.elements) +
                        other_shape(filled.tile, tile) + " by another; name the same tile in all threads of a side");
    }
    filled.threads.set(rank);
  }

  /// @throw KernelError  the slot was filled with a tile of another size or shape
  void expect(const void* slot, const machine::TileShape& tile) const {
    // A slot that the explicit calls filled has no size to compare.
    const auto place = tiles_.find(slot);
    if (place != tiles_.end() && !is_same(place->second.tile, tile)) {
      throw KernelError("dma::host: a slot was filled with a tile of " + describe(place->second) +
                        " and is used as one of " + std::to_string(tile.elements) +
                        other_shape(place->second.tile, tile) +
                        "; name the same tile on both sides: load(source, tile) and wait(tile)");
    }
  }

  /// A pipeline has ended. Other threads may fill what takes these bytes next.
  void end_all_within(const void* storage, int bytes) {
    const auto* const first = static_cast<const unsigned char*>(storage);
    for (auto place = tiles_.lower_bound(first); place != tiles_.end() && place->first < first + bytes; ++place) {
      place->second.is_over = true;
    }
  }

 private:
  struct Filled {
    machine::TileShape tile = {};
    machine::SourceLocation caller = {};
    std::bitset<max_cta_threads> threads = {};  ///< which have filled it with this tile
    bool is_over = true;                        ///< the pipeline that it belonged to has ended
  };

  [[nodiscard]] static bool is_same(const machine::TileShape& left, const machine::TileShape& right) {
    return left.elements == right.elements && left.runs == right.runs;
  }
  [[nodiscard]] static std::string describe(const Filled& filled) {
    const std::string line = source_line(filled.caller);
    return std::to_string(filled.tile.elements) + " elements" + (line.empty() ? "" : " (" + line + ")");
  }
  [[nodiscard]] static const char* other_shape(const machine::TileShape& left, const machine::TileShape& right) {
    return left.elements == right.elements ? " in other rows and columns" : "";
  }

  std::map<const void*, Filled> tiles_;
};

/// The slots that one thread holds. The address sanitizer reports an access to a slot after its release.
class HeldSlots {
 public:
  void acquire(const void* slot) {
    held_.insert(slot);
    hidden_.show(slot);
  }
  void release(const void* slot, int bytes) {
    held_.erase(slot);
    hidden_.hide(slot, bytes);
  }
  /// The thread's engine moves a tile into the slot or out of it.
  ///
  /// @throw KernelError  the thread holds the slot
  void begin_transfer(const void* slot) {
    if (held_.contains(slot)) {
      throw KernelError(
          "dma::host: a thread moves a tile into or out of a slot that it still holds; release the slot first");
    }
    hidden_.show(slot);
  }
  void forget_all_within(const void* storage, int bytes) { hidden_.show_all_within(storage, bytes); }

  [[nodiscard]] const HiddenSlots& hidden() const noexcept { return hidden_; }

 private:
  std::set<const void*> held_;
  HiddenSlots hidden_;
};

}  // namespace dma::host
