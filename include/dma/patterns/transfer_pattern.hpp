#pragma once

#include <dma/config.hpp>
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

/// A contiguous range of bytes that moves as one, in either direction: the unit that patterns describe and engines
/// move.
struct Run {
  long long global;  ///< bytes from the tile's global address, may be negative
  int shared;        ///< bytes from the start of the tile in shared memory
  int bytes;         ///< length, 0 for a run that is clipped away

  friend constexpr bool operator==(const Run&, const Run&) = default;
};

namespace detail {

/// `bytes` rounded up to a multiple of `unit`. @pre bytes >= 0 and unit > 0
[[nodiscard]] DMA_HOST_DEVICE constexpr int round_up(int bytes, int unit) noexcept {
  return (bytes + unit - 1) / unit * unit;
}

/// The smaller of `most` and of `left`, an integer of any type: compared as it is, since a wider comparison takes more
/// instructions.
template <class Integer>
  requires stdlib::is_integral_v<Integer>
[[nodiscard]] DMA_HOST_DEVICE constexpr int at_most(int most, Integer left) noexcept {
  return left < static_cast<Integer>(most) ? static_cast<int>(left) : most;
}

/// States which bytes move: `run_count()` runs, the i-th given by `run_at(i)`.
template <class Pattern>
concept DescribesRuns = requires(const Pattern pattern, int run) {
  { pattern.run_count() } -> stdlib::same_as<int>;
  { pattern.run_at(run) } -> stdlib::same_as<Run>;
};

/// States at compile time how large a tile can be: storage, registers and barriers are sized before the kernel runs.
template <class Pattern>
concept BoundsItsTile = requires {
  { Pattern::tile_bytes } -> stdlib::convertible_to<int>;     // shared memory one tile occupies
  { Pattern::max_run_count } -> stdlib::convertible_to<int>;  // runs of a full tile
  { Pattern::max_run_bytes } -> stdlib::convertible_to<int>;  // bytes of its longest run
  { Pattern::run_alignment } -> stdlib::convertible_to<int>;  // power of two that divides every address and pitch
};

/// States what the tile contains: `size()` elements of one type.
template <class Pattern>
concept HoldsElements = requires(const Pattern pattern) {
  typename Pattern::Element;
  { pattern.size() } -> stdlib::same_as<int>;
};

}  // namespace detail

/// A shape of data movement: *what* moves, not how.
///
/// A pattern is a small constexpr value. `Pattern{}` is the full tile; other values are shorter tiles, and `is_full()`
/// tells them apart. It serves both directions: a load moves each run from its global offset to its shared one, a store
/// the other way. Its laws, for every value:
///
/// - shared ranges are disjoint and inside `[0, tile_bytes)`;
/// - shared and global offsets are multiples of `run_alignment`; a run may end at any byte;
/// - there are at most `max_run_count` runs of at most `max_run_bytes`, and the full tile has exactly that many.
///
/// Source  SC'11, section 3.2, where a pattern was a class with a transfer method of its own
///
/// An example, which is built and tested:
/// @include custom_pattern/triangle.hpp
/// A mistake, between `#if` and `#else`, and what the compiler says of it:
/// @include a_pattern_whose_run_at_is_misspelt.cpp
template <class Pattern>
concept TransferPattern = stdlib::is_trivially_copyable_v<Pattern> && detail::DescribesRuns<Pattern> &&
    detail::BoundsItsTile<Pattern> && detail::HoldsElements<Pattern> && requires(const Pattern pattern) {
  { pattern.is_full() } -> stdlib::same_as<bool>;
};

/// All runs of a value have one length: `PatternTraits::runs_are_uniform`.
template <class Pattern>
concept UniformPattern = TransferPattern<Pattern> && detail::pattern_traits<Pattern>
.runs_are_uniform;

/// A tile that may extend past the edge of its array. Its elements are numbered 0 to `count` - 1: element i is at index
/// `place_of(i)` of the tile, and gets `fill_value()` where `is_padding(i)`. Elements that share `run_alignment` bytes
/// have neighbouring numbers. Runs end on a multiple of `run_alignment` where there may be several and the longest
/// does.
template <class Pattern>
concept PaddedPattern = TransferPattern<Pattern> && requires(const Pattern pattern, int element) {
  { Pattern::count } -> stdlib::convertible_to<long long>;
  { Pattern::place_of(element) } -> stdlib::same_as<int>;
  { pattern.is_padding(element) } -> stdlib::same_as<bool>;
  { pattern.fill_value() } -> stdlib::convertible_to<typename Pattern::Element>;
};

namespace detail {

/// Whether a padded pattern has several runs, each of whole accesses.
template <class Pattern>
inline constexpr bool has_whole_runs =
    PaddedPattern<Pattern>&& Pattern::max_run_count > 1 && Pattern::max_run_bytes % Pattern::run_alignment == 0;

}  // namespace detail

/// The global offset of a run is read from memory: `PatternTraits::is_indexed`.
template <class Pattern>
concept IndexedPattern = TransferPattern<Pattern> && detail::pattern_traits<Pattern>
.is_indexed;

/// Runs have one pitch on each side: run i is run 0 moved by i pitches, so that one base address and constant
/// steps reach all runs.
template <class Pattern>
concept AffinePattern = UniformPattern<Pattern> && requires(const Pattern pattern) {
  { pattern.global_pitch_bytes() } -> stdlib::same_as<long long>;
  { pattern.shared_pitch_bytes } -> stdlib::convertible_to<int>;
};

namespace detail {

/// The pitch in shared memory is a member of each value, known at run time, and not a constant of the type.
template <class Pattern>
concept HasRunTimeSharedPitch =
    AffinePattern<Pattern> && stdlib::is_member_object_pointer_v<decltype(&Pattern::shared_pitch_bytes)>;

/// Whether a pattern only moves from shared to global memory (`Store`, `StoreAdd`).
template <class Pattern>
inline constexpr bool is_store = false;

}  // namespace detail

/// Whether a pattern adds to what is in global memory (`StoreAdd`).
template <class Pattern>
inline constexpr bool is_store_add = false;

namespace detail {

/// Whether a pattern moves in both directions through one slot (`Update`).
template <class Pattern>
inline constexpr bool is_update = false;
/// Whether an engine loads the pattern: all but stores.
template <class Pattern>
inline constexpr bool is_loaded = !is_store<Pattern>;
/// Whether an engine stores the pattern: stores and updates.
template <class Pattern>
inline constexpr bool is_stored = is_store<Pattern> || is_update<Pattern>;
/// The patterns that an engine moves in each direction: of an `Update<P>`, `P` and `Store<P>`; of others the pattern
/// itself.
template <class Pattern>
struct DirectionsOf {
  using Load = Pattern;
  using Store = Pattern;
};

/// The multiple of bytes that the address of this pattern's tile must be.
template <class Pattern>
[[nodiscard]] DMA_HOST_DEVICE constexpr int tile_alignment_of() noexcept {
  constexpr int alignment = pattern_traits<Pattern>.tile_alignment;
  return alignment;
}

/// A pattern with its own transfer for loads. The threads 0 to Threads - 1 of a DMA group call it together; it copies
/// each run from `source` to the tile by ordinary accesses. `broken_law` compares the result with the runs.
///
/// Source  SC'11, section 3.2: cudaDMACustom
template <class Pattern>
concept HasCustomLoad = requires(const Pattern pattern, const unsigned char* source, unsigned char* tile, int thread) {
  pattern.template load_tile<32>(source, tile, thread);
};
/// The same for stores, from the tile to `destination`.
template <class Pattern>
concept HasCustomStore = requires(const Pattern pattern, unsigned char* destination, const unsigned char* tile,
                                  int thread) {
  pattern.template store_tile<32>(destination, tile, thread);
};

/// The widest access, 1 to 16 bytes, that divides `bytes`: the default alignment of a pattern.
[[nodiscard]] DMA_HOST_DEVICE constexpr int natural_alignment(long long bytes) noexcept {
  int alignment = 16;
  while (bytes % alignment != 0) {
    alignment /= 2;
  }
  return alignment;
}

/// Whether a type has its traits, a static member of type `Traits`, under one of the names that are easily written for
/// `traits`. Nothing would read them.
template <class T, class Traits>
concept HasMisnamedTraits = (requires { requires stdlib::is_same_v<decltype(T::trait), const Traits>; }) ||
                            (requires { requires stdlib::is_same_v<decltype(T::Trait), const Traits>; }) ||
                            (requires { requires stdlib::is_same_v<decltype(T::Traits), const Traits>; }) ||
                            (requires { requires stdlib::is_same_v<decltype(T::TRAITS), const Traits>; }) ||
                            (requires { requires stdlib::is_same_v<decltype(T::kTraits), const Traits>; }) ||
                            (requires { requires stdlib::is_same_v<decltype(T::traits_), const Traits>; }) ||
                            (requires { requires stdlib::is_same_v<decltype(T::triats), const Traits>; }) ||
                            (requires { requires stdlib::is_same_v<decltype(T::tratis), const Traits>; }) ||
                            (requires { requires stdlib::is_same_v<decltype(T::kernel_traits), const Traits>; }) ||
                            (requires { requires stdlib::is_same_v<decltype(T::pattern_traits), const Traits>; }) ||
                            (requires { requires stdlib::is_same_v<decltype(T::engine_traits), const Traits>; }) ||
                            (requires { requires stdlib::is_same_v<decltype(T::properties), const Traits>; });

}  // namespace detail

}  // namespace dma::inline v0_1
