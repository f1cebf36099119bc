#pragma once

#include <dma/config.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>
#include <dma/unrolled.hpp>

namespace dma::inline v0_1 {

/// A pattern made of others: `part<I>()` is the I-th, which begins `part_shared_bytes<I>()` into the tile. All parts
/// share the global address. Engines move each part by itself, so that the mapping of a uniform part stays a constant.
template <class Pattern>
concept CompositePattern = requires(const Pattern pattern) {
  { Pattern::part_count } -> stdlib::convertible_to<int>;
  pattern.template part<0>();
  { Pattern::template part_shared_bytes<0>() } -> stdlib::same_as<int>;
};

namespace detail {

/// The parts of a pattern; any other than a composition is its own only part.
template <class Pattern>
inline constexpr int part_count_of = 1;
template <CompositePattern Pattern>
inline constexpr int part_count_of<Pattern> = Pattern::part_count;

/// The type of part `Index`.
template <class Pattern, int Index>
struct PartType {
  using Type = Pattern;
};
template <CompositePattern Pattern, int Index>
struct PartType<Pattern, Index> {
  using Type = stdlib::remove_cvref_t<decltype(stdlib::declval<const Pattern&>().template part<Index>())>;
};
/// The pattern of a composite's part, or the pattern itself.
template <class Pattern, int Index>
using PartOf = typename PartType<Pattern, Index>::Type;

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// Calls `body(part, shared_bytes, index)` for each of the parts named.
template <class Pattern, class Body, int... Parts>
DMA_HOST_DEVICE constexpr void call_with_parts(const Pattern& pattern, const Body& body,
                                               stdlib::integer_sequence<int, Parts...>) {
  (body(pattern.template part<Parts>(), Pattern::template part_shared_bytes<Parts>(), Constant<Parts>{}), ...);
}

}  // namespace detail

/// Calls `body(part, shared_bytes, index)` for each part in order, `index` a constant; for any other pattern once, with
/// the pattern itself.
#if defined(__CUDACC__)
#pragma nv_exec_check_disable  // a body may be one for the host only, in a function for the host only
#endif
template <class Pattern, class Body>
DMA_HOST_DEVICE constexpr void for_each_part(const Pattern& pattern, const Body& body) {
  if constexpr (CompositePattern<Pattern>) {
    detail::call_with_parts(pattern, body, stdlib::make_integer_sequence<int, Pattern::part_count>{});
  } else {
    body(pattern, 0, Constant<0>{});
  }
}

namespace detail {

/// Whether every part is the full one.
template <class Pattern>
[[nodiscard]] DMA_HOST_DEVICE constexpr bool parts_are_full(const Pattern& pattern) {
  bool are_full = true;
  for_each_part(pattern, [&](const auto& part, int, auto) { are_full = are_full && part.is_full(); });
  return are_full;
}

/// Whether every part with an `is_valid` is valid.
template <class Pattern>
[[nodiscard]] DMA_HOST_DEVICE constexpr bool parts_are_valid(const Pattern& pattern) {
  bool are_valid = true;
  for_each_part(pattern, [&](const auto& part, int, auto) {
    if constexpr (requires { part.is_valid(); }) {
      are_valid = are_valid && part.is_valid();
    }
  });
  return are_valid;
}

/// Runs of a composite: those of its parts, one part after another.
template <class Pattern>
[[nodiscard]] DMA_HOST_DEVICE constexpr int run_count_of_parts(const Pattern& pattern) {
  int count = 0;
  for_each_part(pattern, [&](const auto& part, int, auto) { count += part.run_count(); });
  return count;
}

/// @pre 0 <= run < run_count_of_parts(pattern)
template <class Pattern>
[[nodiscard]] DMA_HOST_DEVICE constexpr Run run_of_parts(const Pattern& pattern, int run) {
  Run found{};
  for_each_part(pattern, [&](const auto& part, int shared_bytes, auto) {
    if (run >= 0 && run < part.run_count()) {
      const Run own = part.run_at(run);
      found = {own.global, own.shared + shared_bytes, own.bytes};
    }
    run -= part.run_count();
  });
  return found;
}

/// The multiple that a pattern's global address must be. For a composite it is the widest `run_alignment` of its parts,
/// each of which moves in accesses of its own width.
template <class Pattern>
[[nodiscard]] DMA_HOST_DEVICE constexpr int source_alignment_of() {
  int widest = Pattern::run_alignment;
  if constexpr (CompositePattern<Pattern>) {
    unrolled<Pattern::part_count>([&](auto index) {
      using Part = PartOf<Pattern, index>;
      widest = Part::run_alignment > widest ? Part::run_alignment : widest;
    });
  }
  return widest;
}

/// The multiple of bytes at which a tile of this pattern may begin inside a larger one: aligned as it must be, and a
/// whole number of elements from the start.
template <class Pattern>
[[nodiscard]] consteval int placement_bytes() {
  constexpr int alignment = tile_alignment_of<Pattern>();
  int bytes = alignment;
  while (bytes % static_cast<int>(sizeof(typename Pattern::Element)) != 0) {
    bytes += alignment;
  }
  return bytes;
}

/// Whether both sides of a pipeline have to name the same runs. Not where a part has padding, which the side that uses
/// the tile may name without its position, nor where the runs are read from memory.
template <class Pattern>
[[nodiscard]] consteval bool names_its_runs() {
  bool names_them = true;
  for_each_part(Pattern{}, [&](const auto& part, int, auto) {
    using Part = stdlib::remove_cvref_t<decltype(part)>;
    names_them = names_them && !PaddedPattern<Part> && !pattern_traits<Part>.is_indexed;
  });
  return names_them;
}

/// Whether full tiles may differ in where their runs are in the slot: by a pitch that is known at run time.
template <class Pattern>
[[nodiscard]] consteval bool full_tiles_differ() {
  bool differ = false;
  for_each_part(Pattern{}, [&](const auto& part, int, auto) {
    differ = differ || HasRunTimeSharedPitch<stdlib::remove_cvref_t<decltype(part)>>;
  });
  return differ;
}

/// A hash of where a partial tile's runs are in its slot, which tells it from another partial tile of the same size. 0
/// for the full tile, of which there is one.
///
/// Cost    `run_at` for each run
template <TransferPattern Pattern>
[[nodiscard]] DMA_HOST_DEVICE constexpr stdlib::uint64_t hash_of_runs([[maybe_unused]] const Pattern& pattern) {
  stdlib::uint64_t hash = 0;
  if constexpr (names_its_runs<Pattern>()) {
    constexpr bool is_one = !full_tiles_differ<Pattern>();
    const int runs = is_one && pattern.is_full() ? 0 : pattern.run_count();
    for (int i = 0; i < runs; ++i) {
      const Run run = pattern.run_at(i);
      constexpr stdlib::uint64_t odd = 0x9e3779b97f4a7c15U;
      hash = (hash ^ static_cast<unsigned>(run.shared)) * odd;
      hash = (hash ^ static_cast<unsigned>(run.bytes)) * odd;
      hash ^= hash >> 29;
    }
  }
  return hash;
}

}  // namespace detail

}  // namespace dma::inline v0_1
