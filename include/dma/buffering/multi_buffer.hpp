#pragma once

#include <dma/buffering/buffering.hpp>
#include <dma/config.hpp>
#include <dma/thresholds.hpp>

namespace dma {

/// Chooses as many stages as keep a GPU's memory busy: see `Thresholds::bytes_in_flight_of_one_cta`.
inline constexpr int automatic_stages = 0;

/// The same for a kernel of which an SM holds `ctas` CTAs at a time: they share out the bytes in flight.
///
///     static constexpr dma::KernelTraits traits{.min_ctas = 8};
///     using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, dma::automatic_stages_for(traits.min_ctas)>>;
[[nodiscard]] consteval int automatic_stages_for(int ctas) noexcept { return -ctas; }

namespace detail {

/// Automatic stages of a CTA's pipeline for slots of `slot_bytes`, before barriers limit them.
[[nodiscard]] constexpr int stages_of_one_cta(int slot_bytes, int groups,
                                              const Thresholds& by = thresholds_of<void>) noexcept {
  const int enough = (by.bytes_in_flight_of_one_cta + slot_bytes - 1) / slot_bytes;
  const int fewest = slot_bytes <= by.longest_slot_of_three_stages ? 3 : 2;
  int stages = enough < fewest ? fewest : enough;
  stages = (stages + groups - 1) / groups * groups;
  const int most = groups > by.most_stages ? groups : by.most_stages - by.most_stages % groups;
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

  /// Whether the number of stages is left to `stages_for`; `DefaultEngine` and `WarpSets` ask.
  static constexpr bool has_automatic_stages = Stages <= automatic_stages;

  /// The number of stages for slots of `slot_bytes` when at most `most_stages` have barriers.
  [[nodiscard]] static consteval int stages_for(int slot_bytes, int most_stages,
                                                const Thresholds& by = detail::thresholds_of<void>) noexcept {
    if (!has_automatic_stages) {
      return Stages;
    }
    const int share = by.bytes_in_flight_an_sm / (Stages < automatic_stages ? -Stages : 1);
    int stages = share < by.bytes_in_flight_of_one_cta ? stages_of_share(share, slot_bytes)
                                                       : detail::stages_of_one_cta(slot_bytes, groups, by);
    stages = stages > by.most_stages ? by.most_stages : stages;
    stages = stages > most_stages ? most_stages : stages;
    const int rounded = stages - stages % groups;
    return rounded > 0 ? rounded : groups;
  }

 private:
  /// Of one of an SM's CTAs that share the bytes in flight, to the nearest; beside other CTAs one slot may be the
  /// fastest.
  [[nodiscard]] static constexpr int stages_of_share(int share, int slot_bytes) noexcept {
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
