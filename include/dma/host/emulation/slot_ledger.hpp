#pragma once

#include <dma/host/emulation/hidden_slots.hpp>
#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/machine/emulated_thread.hpp>
#include <dma/machine/source_location.hpp>

#include <map>
#include <set>
#include <string>
#include <utility>

namespace dma::host {

/// The tile that each slot of a CTA was last filled with. Both sides of a pipeline must name the same tile.
class FilledSlots {
 public:
  /// @param caller  the call that filled it
  void fill(const void* slot, const machine::TileShape& tile, const machine::SourceLocation& caller) {
    tiles_[slot] = {tile, caller};
  }

  /// @throw KernelError  the slot was filled with a tile of another size or shape
  void expect(const void* slot, const machine::TileShape& tile) const {
    // A slot that the explicit calls filled has no size to compare.
    const auto filled = tiles_.find(slot);
    if (filled == tiles_.end()) {
      return;
    }
    const auto& [other, caller] = filled->second;
    if (other.elements != tile.elements || other.runs != tile.runs) {
      const std::string line = source_line(caller);
      throw KernelError("dma::host: a slot was filled with a tile of " + std::to_string(other.elements) + " elements" +
                        (line.empty() ? "" : " (" + line + ")") + " and is used as one of " +
                        std::to_string(tile.elements) +
                        (other.elements == tile.elements ? " in other rows and columns" : "") +
                        "; name the same tile on both sides: load(source, tile) and wait(tile)");
    }
  }

 private:
  std::map<const void*, std::pair<machine::TileShape, machine::SourceLocation>> tiles_;
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
