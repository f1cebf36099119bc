#pragma once

#include <dma/buffering/buffering.hpp>
#include <dma/config.hpp>

namespace dma {

/// Chooses as many stages as keep a GPU's memory busy: see `bytes_in_flight_target`.
inline constexpr int automatic_stages = 0;

/// The same for a kernel of which an SM holds `ctas` CTAs at a time: they share out the bytes in flight.
///
///     static constexpr dma::KernelTraits traits{.min_ctas = 8};
///     using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, dma::automatic_stages_for(traits.min_ctas)>>;
[[nodiscard]] consteval int automatic_stages_for(int ctas) noexcept { return -ctas; }

/// Bytes that one CTA's stages hold together when their number is automatic, at least, and the most and the fewest of
/// them. One CTA an SM needs that much in flight, and many CTAs lose little by it.
///
/// Slots up to 11 KB leave room for barriers in the 48 KB that a kernel can declare as `__shared__`. Four slots of 12
/// KB do not, nor three of 16: `dma::launch` opts in; a kernel of one's own opts in too, or names two stages.
///
/// Three slots up to 37 KB, of which an SM holds two CTAs. With two slots it holds three, so that the last of a grid of
/// four CTAs an SM runs alone. Trials are in docs/engines.md.
///
/// Trials on an H200 with one DMA warp, 1, 8 and 16 compute warps, and grids of 1, 4 and 16 CTAs an SM: no number of
/// stages was more than 5% faster at any of them.
inline constexpr int bytes_in_flight_target = 40 * 1024;

namespace detail {

/// The most stages that are chosen automatically.
inline constexpr int most_automatic_stages = 12;
/// The fewest stages that are chosen automatically for slots of `slot_bytes`.
[[nodiscard]] constexpr int fewest_automatic_stages(int slot_bytes) noexcept { return slot_bytes <= 37 * 1024 ? 3 : 2; }

}  // namespace detail

/// Bytes that the stages of all CTAs of an SM hold together where their number is given. A GPU's memory is slower by
/// some percent with twice as many.
inline constexpr int bytes_in_flight_an_sm = 96 * 1024;

namespace detail {

/// Automatic stages of a CTA's pipeline for slots of `slot_bytes`, before barriers limit them.
[[nodiscard]] constexpr int stages_of_one_cta(int slot_bytes, int groups) noexcept {
  const int enough = (bytes_in_flight_target + slot_bytes - 1) / slot_bytes;
  const int fewest = fewest_automatic_stages(slot_bytes);
  int stages = enough < fewest ? fewest : enough;
  stages = (stages + groups - 1) / groups * groups;
  const int most = groups > most_automatic_stages ? groups : most_automatic_stages - most_automatic_stages % groups;
  return stages > most ? most : stages;
}

}  // namespace detail

/// `Stages` slots in shared memory, filled in turn by `Groups` DMA groups of equal size from `FirstGroup` on.
///
/// Stage s belongs to group s mod Groups. More stages: more bytes in flight. More groups: one can wait for memory while
/// another stores. On a layout without DMA warps every warp fills every stage, and `Groups` and `FirstGroup` have no
/// effect.
///
/// Cost    shared memory: for each stage a slot of the pattern's `tile_bytes`, on its alignment, and the states of its
///         barriers. More than a CTA can have is a compile error
/// Source  SC'11, section 4.3; single, double and manual double buffering are three of its forms
template <class WarpLayout, int Stages = automatic_stages, int Groups = 1, int FirstGroup = 0>
struct MultiBuffer {
  using Layout = WarpLayout;

  static constexpr int groups = Layout::is_specialized ? Groups : 1;
  static constexpr int first_group = Layout::is_specialized ? FirstGroup : 0;

  /// Whether the number of stages is left to `stages_for`; `DefaultEngine` and `TileTurns` ask.
  static constexpr bool has_automatic_stages = Stages <= automatic_stages;

  /// The number of stages for slots of `slot_bytes` when at most `most_stages` have barriers.
  [[nodiscard]] static consteval int stages_for(int slot_bytes, int most_stages) noexcept {
    if (!has_automatic_stages) {
      return Stages;
    }
    int stages =
        share < bytes_in_flight_target ? stages_of_share(slot_bytes) : detail::stages_of_one_cta(slot_bytes, groups);
    stages = stages > detail::most_automatic_stages ? detail::most_automatic_stages : stages;
    stages = stages > most_stages ? most_stages : stages;
    const int rounded = stages - stages % groups;
    return rounded > 0 ? rounded : groups;
  }

 private:
  /// Bytes in flight of one of an SM's CTAs.
  static constexpr int share = bytes_in_flight_an_sm / (Stages < automatic_stages ? -Stages : 1);

  /// To the nearest; beside other CTAs one slot may be the fastest.
  [[nodiscard]] static constexpr int stages_of_share(int slot_bytes) noexcept {
    const int stages = (share + slot_bytes / 2) / slot_bytes;
    return stages < 1 ? 1 : stages;
  }
};

/// One slot: no warp computes while it is filled, and the other way round. Several CTAs an SM overlap instead.
///
/// Source  SC'11, section 4.3, figure 7 (a)
template <class WarpLayout, int FirstGroup = 0>
using SingleBuffer = MultiBuffer<WarpLayout, 1, 1, FirstGroup>;

/// Two slots, each with a DMA group of its own.
///
/// Source  SC'11, section 4.3, figure 7 (b)
template <class WarpLayout, int FirstGroup = 0>
using DoubleBuffer = MultiBuffer<WarpLayout, 2, 2, FirstGroup>;

/// Two slots, filled in turn by one DMA group, which is always busy.
///
/// Source  SC'11, section 4.3, figure 7 (c)
template <class WarpLayout, int FirstGroup = 0>
using ManualDoubleBuffer = MultiBuffer<WarpLayout, 2, 1, FirstGroup>;

}  // namespace dma
