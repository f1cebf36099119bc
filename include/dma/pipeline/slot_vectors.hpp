#pragma once

#include <dma/config.hpp>
#include <dma/vector.hpp>

namespace dma::inline v0_1::detail {

/// The tile of a slot in accesses of `Size` elements: what `Slot::vectors()` returns. It refers to the slot, and is of
/// no use after the slot's release.
template <class Slot, int Size>
class SlotVectors {
 public:
  using Value = Vector<typename Slot::Element, Size>;

  DMA_HOST_DEVICE explicit SlotVectors(const Slot& slot) : slot_(&slot) {}

  /// Whole vectors of this tile. The last `slot.size() % Size` elements are in none: read them as `slot[i]`.
  [[nodiscard]] DMA_HOST_DEVICE int size() const { return slot_->size() / Size; }

  /// Elements `i * Size` and following.
  [[nodiscard]] DMA_HOST_DEVICE Value& operator[](int i) const { return slot_->template touch_vector<Size>(i * Size); }
  /// The vector that begins at an element by the pattern's own index: `vectors(row, col)` of a `Strided`.
  template <class... Index>
  [[nodiscard]] DMA_HOST_DEVICE Value& operator()(Index... index) const {
    return slot_->template touch_vector<Size>(slot_->pattern_.index(index...));
  }

 private:
  const Slot* slot_;
};

}  // namespace dma::v0_1::detail
