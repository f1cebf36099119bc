#pragma once

#include <dma/config.hpp>
#include <dma/run.hpp>
#include <dma/standard.hpp>

namespace dma {

/// Says which bytes move: `run_count()` runs, the i-th given by `run_at(i)`.
template <class Pattern>
concept DescribesRuns = requires(const Pattern pattern, int run) {
  { pattern.run_count() } -> stdlib::same_as<int>;
  { pattern.run_at(run) } -> stdlib::same_as<Run>;
};

/// Says at compile time how large a tile can get: storage, registers and barriers are sized before the kernel runs.
template <class Pattern>
concept BoundsItsTile = requires {
  { Pattern::tile_bytes } -> stdlib::convertible_to<int>;     // shared memory one tile occupies
  { Pattern::max_run_count } -> stdlib::convertible_to<int>;  // runs of a full tile
  { Pattern::max_run_bytes } -> stdlib::convertible_to<int>;  // bytes of its longest run
  { Pattern::run_alignment } -> stdlib::convertible_to<int>;  // power of two that divides every address and pitch
};

/// Says what a reader finds in the tile: elements of one type, `size()` of them.
template <class Pattern>
concept HoldsElements = requires(const Pattern pattern) {
  typename Pattern::Element;
  { pattern.size() } -> stdlib::same_as<int>;
};

/// A shape of data movement: *what* moves, never how.
///
/// A pattern is a small constexpr value. `Pattern{}` is the full tile; other values name shorter ones, and `is_full()`
/// tells them apart. Its laws, for every value:
///
/// - destination ranges are disjoint and inside `[0, tile_bytes)`;
/// - destinations, source offsets and, where there are several runs, lengths are multiples of `run_alignment`;
/// - there are at most `max_run_count` runs of at most `max_run_bytes`, and the full tile has exactly that many.
///
/// Source  SC'11, section 3.2, where a pattern was a class with a transfer method of its own
template <class Pattern>
concept TransferPattern = stdlib::is_trivially_copyable_v<Pattern> && DescribesRuns<Pattern> &&
    BoundsItsTile<Pattern> && HoldsElements<Pattern> && requires(const Pattern pattern) {
  { pattern.is_full() } -> stdlib::same_as<bool>;
};

/// Every run of the full tile has `max_run_bytes`: who moves which piece is then known at compile time.
template <class Pattern>
concept UniformPattern = TransferPattern<Pattern> && requires {
  requires Pattern::runs_are_uniform;
};

/// Runs lie at constant distances on both sides: run i is run 0 moved by i pitches, so that one base address and
/// constant steps reach them all.
template <class Pattern>
concept AffinePattern = UniformPattern<Pattern> && requires(const Pattern pattern) {
  { pattern.source_pitch_bytes() } -> stdlib::same_as<long long>;
  { Pattern::destination_pitch_bytes } -> stdlib::convertible_to<int>;
};

/// Whether the full tile keeps the laws that its constants promise. Checked by every pipeline at compile time.
template <TransferPattern Pattern>
consteval bool keeps_alignment(const Pattern& pattern = {}) {
  constexpr int alignment = Pattern::run_alignment;
  if (alignment < 1 || (alignment & (alignment - 1)) != 0) {
    return false;
  }
  for (int i = 0; i < pattern.run_count(); ++i) {
    const Run run = pattern.run_at(i);
    const bool length_matters = pattern.run_count() > 1;
    if (run.destination % alignment != 0 || run.source % alignment != 0 ||
        (length_matters && run.bytes % alignment != 0)) {
      return false;
    }
  }
  return true;
}

template <TransferPattern Pattern>
consteval bool stays_inside_tile(const Pattern& pattern = {}) {
  if (pattern.run_count() != Pattern::max_run_count) {
    return false;
  }
  for (int i = 0; i < pattern.run_count(); ++i) {
    const Run run = pattern.run_at(i);
    if (run.bytes < 0 || run.bytes > Pattern::max_run_bytes || run.destination < 0 ||
        run.destination + run.bytes > Pattern::tile_bytes) {
      return false;
    }
  }
  return true;
}

/// The widest access, 1 to 16 bytes, that divides `bytes`: the alignment a pattern takes when it is not told one.
[[nodiscard]] DMA_HOST_DEVICE constexpr int natural_alignment(long long bytes) noexcept {
  int alignment = 16;
  while (bytes % alignment != 0) {
    alignment /= 2;
  }
  return alignment;
}

}  // namespace dma
