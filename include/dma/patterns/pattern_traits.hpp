#pragma once

#include <dma/standard.hpp>

namespace dma::inline v0_1 {

namespace detail {

/// The multiple that a tile's address in shared memory is, unless its pattern's traits declare another: bulk copies are
/// fastest on 128 bytes.
inline constexpr int default_tile_alignment = 128;

}  // namespace detail

/// The optional properties of a pattern, which it declares as one member:
///
///     static constexpr dma::PatternTraits traits{.runs_are_uniform = true};
struct PatternTraits {
  /// In every value of the pattern all runs have one length, `max_run_bytes` in the full tile. The piece that each
  /// thread moves is then a constant.
  bool runs_are_uniform = false;
  /// `run_at` reads memory to find where a run begins in global memory. Engines then read the positions of all runs of
  /// a step before they move the first, so that these reads are in flight together. Where runs are not uniform `run_at`
  /// may read their lengths too; the other members of a pattern must not read memory.
  bool is_indexed = false;
  /// In bytes: the tile's address in shared memory is a multiple of it. A power of two, at most 1024, which is that of
  /// the widest swizzle.
  int tile_alignment = detail::default_tile_alignment;
};

namespace detail {

/// A pattern's traits, the defaults where it declares none.
template <class Pattern>
inline constexpr PatternTraits pattern_traits = {};
template <class Pattern>
  requires stdlib::is_same_v<decltype(Pattern::traits), const PatternTraits>
inline constexpr PatternTraits pattern_traits<Pattern> = Pattern::traits;

}  // namespace detail

}  // namespace dma::v0_1
