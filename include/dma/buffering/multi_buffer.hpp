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

/// Bytes that one CTA's stages hold together when their number is automatic, and the most and the fewest of them.
///
/// The rest of the 48 KB that a kernel can declare as `__shared__` is for barriers and for the kernel itself. Three
/// slots of 16 to 32 KB are more than that: `dma::launch` opts in, a kernel of one's own names two stages or opts in.
///
/// Trials on an H200 with one DMA warp, 1, 8 and 16 compute warps, and grids of 1, 4 and 16 CTAs an SM: no number of
/// stages was more than 5% faster at any of them. One CTA an SM needs that much in flight, and many lose little by it.
inline constexpr int bytes_in_flight_target = 46 * 1024;
inline constexpr int most_automatic_stages = 12;
inline constexpr int fewest_automatic_stages = 3;
/// What the fewest may hold; there are two of larger slots.
inline constexpr int most_bytes_of_fewest_stages = 96 * 1024;
/// Bytes that the stages of all CTAs of an SM hold together where their number is given. A GPU's memory is slower by
/// some percent with twice as many.
inline constexpr int bytes_in_flight_an_sm = 96 * 1024;

/// `Stages` slots in shared memory, filled in turn by `Groups` DMA groups of equal size from `FirstGroup` on.
///
/// Stage s belongs to group s mod Groups. More stages: more bytes in flight. More groups: one can wait for memory while
/// another stores. On a layout without DMA warps every warp fills every stage, and `Groups` and `FirstGroup` have no
/// effect.
///
/// Source  SC'11, section 4.3; single, double and manual double buffering are three of its forms
template <class WarpLayout, int Stages = automatic_stages, int Groups = 1, int FirstGroup = 0>
struct MultiBuffer {
  using Layout = WarpLayout;

  static constexpr int groups = Layout::is_specialized ? Groups : 1;
  static constexpr int first_group = Layout::is_specialized ? FirstGroup : 0;

  /// Whether the number of stages is left to `stages_for`; `DefaultEngine` asks.
  static constexpr bool has_automatic_stages = Stages <= automatic_stages;

  /// The number of stages for slots of `slot_bytes` when at most `most_stages` have barriers.
  [[nodiscard]] static consteval int stages_for(int slot_bytes, int most_stages) noexcept {
    if (!has_automatic_stages) {
      return Stages;
    }
    int stages = Stages == automatic_stages ? stages_of_one_cta(slot_bytes) : stages_of_many_ctas(slot_bytes);
    stages = stages > most_automatic_stages ? most_automatic_stages : stages;
    stages = stages > most_stages ? most_stages : stages;
    const int rounded = stages - stages % groups;
    return rounded > 0 ? rounded : groups;
  }

 private:
  [[nodiscard]] static consteval int stages_of_one_cta(int slot_bytes) noexcept {
    constexpr int in_turn = (fewest_automatic_stages + groups - 1) / groups * groups;
    const int fewest = in_turn * slot_bytes <= most_bytes_of_fewest_stages ? in_turn : 2;
    const int stages = bytes_in_flight_target / slot_bytes;
    return stages < fewest ? fewest : stages;
  }
  /// To the nearest; beside other CTAs one slot may be the fastest.
  [[nodiscard]] static consteval int stages_of_many_ctas(int slot_bytes) noexcept {
    constexpr int share = bytes_in_flight_an_sm / (Stages < 0 ? -Stages : 1);
    constexpr int in_flight = share < bytes_in_flight_target ? share : bytes_in_flight_target;
    const int stages = (in_flight + slot_bytes / 2) / slot_bytes;
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
