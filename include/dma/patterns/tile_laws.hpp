#pragma once

#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>

/// The laws of a pattern's full tile. Each pipeline checks them at compile time; `dma::host::broken_law` checks the
/// laws of any value in a test.
///
/// A composition is checked part by part, each in a constant of its own: compilers limit the steps of one constant
/// expression, and three swizzled tiles of 16 KB have too many runs for nvcc's limit.
namespace dma::inline v0_1::detail {

/// Part `Index` of the full tile, and the bytes at which it begins in it.
template <class Pattern, int Index>
struct FullTilePart {
  static constexpr auto part = Pattern{};
  static constexpr int begin = 0;
};
template <CompositePattern Pattern, int Index>
struct FullTilePart<Pattern, Index> {
  static constexpr auto part = Pattern{}.template part<Index>();
  static constexpr int begin = Pattern::template part_shared_bytes<Index>();
};

/// Whether `Law<Pattern, Index>::holds` for each part.
template <template <class, int> class Law, class Pattern>
[[nodiscard]] consteval bool holds_for_parts() {
  return []<int... Parts>(stdlib::integer_sequence<int, Parts...>) { return (Law<Pattern, Parts>::holds && ...); }
  (stdlib::make_integer_sequence<int, part_count_of<Pattern>>{});
}

/// Whether `value` is 1, 2, 4, 8 and so on.
[[nodiscard]] consteval bool is_power_of_two(int value) { return value > 0 && (value & (value - 1)) == 0; }

/// Runs that begin on multiples of `alignment` on both sides, in a tile of which the pattern begins at `begin`.
template <TransferPattern Pattern>
[[nodiscard]] consteval bool runs_are_aligned(const Pattern& pattern, int begin, int alignment) {
  const int runs = pattern.run_count();
  for (int i = 0; i < runs; ++i) {
    const Run run = pattern.run_at(i);
    if ((begin + run.shared) % alignment != 0 || run.global % alignment != 0) {
      return false;
    }
  }
  return true;
}

/// Runs of a part begin on the part's alignment, on both sides.
template <class Pattern, int Index>
struct PartIsAligned {
  using Full = FullTilePart<Pattern, Index>;
  using Part = PartOf<Pattern, Index>;
  static constexpr bool holds = [] {
    if constexpr (!is_power_of_two(Part::run_alignment) || !is_power_of_two(Pattern::run_alignment)) {
      return false;
    } else {
      return runs_are_aligned(Full::part, 0, Part::run_alignment) &&
             (Part::run_alignment >= Pattern::run_alignment
                  ? Full::begin % Pattern::run_alignment == 0
                  : runs_are_aligned(Full::part, Full::begin, Pattern::run_alignment));
    }
  }();
};

/// Shared and global offsets are multiples of `run_alignment`, those of a part also of the part's own.
template <TransferPattern Pattern>
[[nodiscard]] consteval bool keeps_alignment() {
  return holds_for_parts<PartIsAligned, Pattern>();
}

/// As many runs as declared, each of at most `most_bytes` and inside `[0, tile_bytes)`.
template <TransferPattern Pattern>
[[nodiscard]] consteval bool runs_stay_inside(const Pattern& pattern, int tile_bytes, int most_bytes) {
  const int runs = pattern.run_count();
  if (runs != Pattern::max_run_count) {
    return false;
  }
  for (int i = 0; i < runs; ++i) {
    const Run run = pattern.run_at(i);
    if (run.bytes < 0 || run.bytes > most_bytes || run.shared < 0 || run.shared + run.bytes > tile_bytes) {
      return false;
    }
  }
  return true;
}

/// Runs of a part stay inside its bytes of the tile.
template <class Pattern, int Index>
struct PartStaysInside {
  using Full = FullTilePart<Pattern, Index>;
  using Part = PartOf<Pattern, Index>;
  static constexpr int room = Pattern::tile_bytes - Full::begin;
  static constexpr bool holds =
      Full::begin >= 0 &&
      runs_stay_inside(Full::part, Part::tile_bytes < room ? Part::tile_bytes : room,
                       Part::max_run_bytes < Pattern::max_run_bytes ? Part::max_run_bytes : Pattern::max_run_bytes);
};

/// There are `max_run_count` runs, each of at most `max_run_bytes` and inside `[0, tile_bytes)`; a part also keeps its
/// own numbers.
template <TransferPattern Pattern>
[[nodiscard]] consteval bool stays_inside_tile() {
  return Pattern{}.run_count() == Pattern::max_run_count && holds_for_parts<PartStaysInside, Pattern>();
}

/// Runs of the length and the pitches that a `UniformPattern` and an `AffinePattern` promise.
template <TransferPattern Pattern>
[[nodiscard]] consteval bool runs_are_uniform(const Pattern& pattern) {
  if constexpr (UniformPattern<Pattern>) {
    for (int i = 0; i < pattern.run_count(); ++i) {
      if (pattern.run_at(i).bytes != Pattern::max_run_bytes) {
        return false;
      }
    }
  }
  if constexpr (AffinePattern<Pattern>) {
    const Run first = pattern.run_at(0);
    for (int i = 0; i < pattern.run_count(); ++i) {
      const Run run = pattern.run_at(i);
      if (run.global != first.global + i * pattern.global_pitch_bytes() ||
          run.shared != first.shared + i * pattern.shared_pitch_bytes) {
        return false;
      }
    }
  }
  return true;
}

/// Runs of a part have one length and one pitch.
template <class Pattern, int Index>
struct PartIsUniform {
  static constexpr bool holds = runs_are_uniform(FullTilePart<Pattern, Index>::part);
};

/// Runs have the length and the pitches that the pattern, or a part of it, promises.
template <TransferPattern Pattern>
[[nodiscard]] consteval bool keeps_uniformity() {
  return holds_for_parts<PartIsUniform, Pattern>() && (!CompositePattern<Pattern> || runs_are_uniform(Pattern{}));
}

/// Whether two runs share a byte of the tile.
[[nodiscard]] consteval bool overlap(const Run& run, const Run& other) {
  return run.shared < other.shared + other.bytes && other.shared < run.shared + run.bytes;
}

inline constexpr int few_runs = 64;  ///< so few are all compared with each other

/// No two runs share bytes.
template <TransferPattern Pattern>
[[nodiscard]] consteval bool runs_are_apart(const Pattern& pattern) {
  const int runs = pattern.run_count();
  Run last{};
  for (int i = 0; i < runs; ++i) {
    const Run run = pattern.run_at(i);
    if (i > 0 && overlap(run, last)) {
      return false;
    }
    for (int j = 0; runs <= few_runs && j < i - 1; ++j) {
      if (overlap(run, pattern.run_at(j))) {
        return false;
      }
    }
    last = run;
  }
  return true;
}

/// The same of two parts.
template <class First, class Second>
[[nodiscard]] consteval bool parts_are_apart() {
  constexpr int first_end = First::begin + decltype(First::part)::tile_bytes;
  constexpr int second_end = Second::begin + decltype(Second::part)::tile_bytes;
  if (first_end <= Second::begin || second_end <= First::begin) {
    return true;
  }
  const int runs = First::part.run_count();
  const int others = Second::part.run_count();
  const int from = runs + others <= few_runs || runs == 0 ? 0 : runs - 1;
  const int to = runs + others <= few_runs || others == 0 ? others : 1;
  for (int i = from; i < runs; ++i) {
    for (int j = 0; j < to; ++j) {
      Run run = First::part.run_at(i);
      Run other = Second::part.run_at(j);
      run.shared += First::begin;
      other.shared += Second::begin;
      if (overlap(run, other)) {
        return false;
      }
    }
  }
  return true;
}

/// Runs of a part share no byte of the tile, with each other or with those of parts before it.
template <class Pattern, int Index>
struct PartIsApart {
  using Full = FullTilePart<Pattern, Index>;
  static constexpr bool holds =
      runs_are_apart(Full::part)&&[]<int... Before>(stdlib::integer_sequence<int, Before...>) {
    return (parts_are_apart<FullTilePart<Pattern, Before>, Full>() && ...);
  }
  (stdlib::make_integer_sequence<int, Index>{});
};

/// No two runs share bytes of the tile.
///
/// Cost    compares each run with the one before it, and with all before it where there are at most 64; of two parts,
///         the same where they share bytes at all
template <TransferPattern Pattern>
[[nodiscard]] consteval bool keeps_runs_apart() {
  return holds_for_parts<PartIsApart, Pattern>();
}

}  // namespace dma::inline v0_1::detail
