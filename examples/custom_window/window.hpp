#pragma once

#include <dma/dma.hpp>

/// `Count` consecutive elements of an array, from any position on: a pattern of our own with padding. Elements before
/// the array's start and after its end arrive as zero.
///
/// Global  elements `first` to `first + Count` of an array of `length` elements; the address is the array's
/// Shared  `float[Count]`; element i is `array[first + i]`, or 0 outside the array
template <int Count>
struct Window {
  using Element = float;

  static constexpr int tile_bytes = Count * 4;
  static constexpr int max_run_count = 1;
  static constexpr int max_run_bytes = Count * 4;
  static constexpr int run_alignment = 4;
  static constexpr int count = Count;

  int length = Count;
  int first = 0;

  DMA_HOST_DEVICE constexpr bool is_full() const { return first >= 0 && first + Count <= length; }
  DMA_HOST_DEVICE constexpr int size() const { return Count; }

  DMA_HOST_DEVICE constexpr int run_count() const { return begin() < end() ? 1 : 0; }
  DMA_HOST_DEVICE constexpr dma::Run run_at(int) const {
    return {.global = (first + begin()) * 4LL, .shared = begin() * 4, .bytes = (end() - begin()) * 4};
  }

  DMA_HOST_DEVICE static constexpr int place_of(int i) { return i; }
  DMA_HOST_DEVICE constexpr bool is_padding(int i) const { return i < begin() || i >= end(); }
  DMA_HOST_DEVICE constexpr float fill_value() const { return 0.0F; }

 private:
  /// The elements of the window that are in the array: from begin() to end() - 1.
  DMA_HOST_DEVICE constexpr int begin() const { return first < 0 ? -first : 0; }
  DMA_HOST_DEVICE constexpr int end() const { return first + Count <= length ? Count : length - first; }
};
