#pragma once

#include <dma/config.hpp>

namespace dma::inline v0_1::detail {

/// The positions of a box along one axis that are inside the array: `first` to `last` - 1, counted from the box's
/// start.
struct Inside {
  int first;
  int last;

  [[nodiscard]] DMA_HOST_DEVICE constexpr int count() const noexcept { return last > first ? last - first : 0; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool has(int place) const noexcept { return place >= first && place < last; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_all_of(int length) const noexcept {
    return first == 0 && last == length;
  }
};

/// Clips a box of `length` elements that begins at `position` of an axis of `array_length`; it may be far outside.
[[nodiscard]] DMA_HOST_DEVICE constexpr Inside clip(int length, int position, int array_length) noexcept {
  const auto clamp = [length](long long place) {
    return static_cast<int>(place < 0 ? 0 : place > length ? length : place);
  };
  return {clamp(-static_cast<long long>(position)), clamp(static_cast<long long>(array_length) - position)};
}

}  // namespace dma::v0_1::detail
