#pragma once

#include <dma/host/emulation/hidden_slots.hpp>
#include <dma/host/emulation/kernel_error.hpp>

#include <map>
#include <set>
#include <string>

namespace dma::host {

/// The tile that each slot of a CTA was last filled with. Both sides of a pipeline must name the same tile.
class FilledSlots {
 public:
  void fill(const void* slot, int elements) { elements_[slot] = elements; }

  /// @throw KernelError  the slot was filled with a tile of another size
  void expect(const void* slot, int elements) const {
    // A slot that the explicit calls filled has no size to compare.
    const auto filled = elements_.find(slot);
    if (filled != elements_.end() && filled->second != elements) {
      throw KernelError("dma::host: a slot was filled with a tile of " + std::to_string(filled->second) +
                        " elements and is used as one of " + std::to_string(elements) +
                        "; name the same tile on both sides: load(source, tile) and wait(tile)");
    }
  }

 private:
  std::map<const void*, int> elements_;
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
