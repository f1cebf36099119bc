#pragma once

#include <dma/config.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

/// `Count` consecutive elements.
///
/// Global  `elements` elements, one after another
/// Shared  `T[Count]`; element i at index i
/// Cost    one run: `Count * sizeof(T)` bytes in accesses of `Alignment` bytes, and a tail of fewer than `Alignment`
///         bytes in accesses of 8, 4, 2 and 1
/// Source  cudaDMASequential (SC'11, section 3.2); here any byte count moves, not only multiples of 4
///
/// `Sequential<T, Count>{}` is the full tile, `Sequential<T, Count>{n}` its first n elements.
///
/// @pre The source address is a multiple of `Alignment`. The default holds for tile t at `base + t * Count` of an array
///      that is itself 16-byte aligned; name a smaller `Alignment` for other addresses.
/// @pre 0 <= elements <= Count.
template <class T, int Count, int Alignment = detail::natural_alignment(static_cast<long long>(Count) * sizeof(T))>
struct Sequential {
  static_assert(Count > 0,
                "dma::Sequential: Count must be positive; write a shorter or empty tile as the value Sequential{n}");
  static_assert(
      stdlib::is_trivially_copyable_v<T>,
      "dma::Sequential: T is moved as bytes, so it must be trivially copyable; move its parts, or an element without "
      "constructors and destructor of its own");
  static_assert(Alignment > 0 && (Alignment & (Alignment - 1)) == 0 && Alignment <= 32,
                "dma::Sequential: Alignment must be 1, 2, 4, 8, 16 or 32 bytes; leave it out for the widest, up to 16, "
                "that a full "
                "tile allows");

  using Element = T;

  /// Elements of a full tile, as a `long long`, so that `t * count` is an offset into any array.
  static constexpr long long count = Count;
  static constexpr int tile_bytes = Count * static_cast<int>(sizeof(T));
  static constexpr int max_run_count = 1;
  static constexpr int max_run_bytes = tile_bytes;
  static constexpr int run_alignment = Alignment;
  static constexpr PatternTraits traits{.runs_are_uniform = true};
  static constexpr int shared_pitch_bytes = 0;

  int elements = Count;

  /// The next tile of an array of which `left` elements are left: the full one, or the last, which has fewer.
  ///
  /// @pre 0 <= left
  template <class Integer>
  [[nodiscard]] DMA_HOST_DEVICE static constexpr Sequential up_to(Integer left) noexcept {
    return {detail::at_most(Count, left)};
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_full() const noexcept { return elements == Count; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int size() const noexcept { return elements; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int run_count() const noexcept { return 1; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr long long global_pitch_bytes() const noexcept { return 0; }

  [[nodiscard]] DMA_HOST_DEVICE constexpr Run run_at(int /*run*/) const noexcept {
    return {0, 0, elements * static_cast<int>(sizeof(T))};
  }

  /// Whether a tile can have `elements` elements; the checked build asks before each load.
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_valid() const noexcept { return elements >= 0 && elements <= Count; }

  [[nodiscard]] DMA_HOST_DEVICE static constexpr int index(int i) noexcept { return i; }
};

}  // namespace dma::inline v0_1
