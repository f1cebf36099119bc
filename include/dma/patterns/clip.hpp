#pragma once

#include <dma/config.hpp>

namespace dma {

/// Of the places 0, 1, 2, ... that a box has along one axis, those that lie inside the array: `first` to `last` - 1.
struct Inside {
  int first;
  int last;

  [[nodiscard]] DMA_HOST_DEVICE constexpr int count() const noexcept { return last > first ? last - first : 0; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool has(int place) const noexcept { return place >= first && place < last; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_all_of(int length) const noexcept {
    return first == 0 && last == length;
  }
};

/// Clips a box of `length` places that begins at place `position` of an array of `array_length`, be it far outside.
[[nodiscard]] DMA_HOST_DEVICE constexpr Inside clip(int length, int position, int array_length) noexcept {
  const auto clamp = [length](long long place) {
    return static_cast<int>(place < 0 ? 0 : place > length ? length : place);
  };
  return {clamp(-static_cast<long long>(position)), clamp(static_cast<long long>(array_length) - position)};
}

}  // namespace dma
