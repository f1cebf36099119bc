#pragma once

#include <dma/buffering/buffering.hpp>
#include <dma/config.hpp>
#include <dma/thresholds.hpp>

namespace dma::inline v0_1 {

/// As many stages as keep a GPU's memory busy, up to 12, instead of a number of stages.
///
/// An SM holds `ctas_an_sm` CTAs of the kernel at a time, which share out `bytes_in_flight`, to the nearest stage; 0 is
/// what the `Thresholds` say of the GPU. Where the CTA has an SM to itself and names no bytes, a few stages of
/// longer tiles are enough.
///
///     static constexpr dma::KernelTraits traits{.min_ctas = 8};
///     using Stages = dma::MultiBuffer<Layout, dma::AutomaticStages{.ctas_an_sm = traits.min_ctas}>;
///
/// @pre `ctas_an_sm` is positive, and `bytes_in_flight` not negative.
struct AutomaticStages {
  int ctas_an_sm = 1;
  int bytes_in_flight = 0;
};

/// Which DMA groups of a `WarpLayout` fill a pipeline's stages in turn: `count` of equal size from `first` on.
struct DmaGroups {
  int first = 0;
  int count = 1;
};

namespace detail {

/// How many stages a `MultiBuffer` has: a number, or what an `AutomaticStages` says.
struct Stages {
  int count;       ///< 0: automatic
  int ctas_an_sm;  ///< 0: a number of stages
  int bytes_in_flight;

  // Of all members, since nvcc writes a template argument as the list of them.
  constexpr Stages(int number, int ctas = 0, int bytes = 0) : count(number), ctas_an_sm(ctas), bytes_in_flight(bytes) {}
  constexpr Stages(AutomaticStages automatic)
      : count(0), ctas_an_sm(automatic.ctas_an_sm), bytes_in_flight(automatic.bytes_in_flight) {}
};

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

/// Automatic stages where a CTA has so many bytes in flight, to the nearest; beside other CTAs one slot may be the
/// fastest.
[[nodiscard]] constexpr int stages_of_share(int slot_bytes, int bytes_in_flight) noexcept {
  const int stages = (bytes_in_flight + slot_bytes / 2) / slot_bytes;
  return stages < 1 ? 1 : stages;
}

}  // namespace detail

/// Slots in shared memory, as many as `Number` says, filled in turn by the DMA groups that `FilledBy` names.
///
/// `Number` is a number of stages, or an `AutomaticStages`. Stage s belongs to group s mod `FilledBy.count`. More
/// stages: more bytes in flight. More groups: one can wait for memory while another stores. On a layout without DMA
/// warps every warp fills every stage, and `FilledBy` has no effect.
///
/// Cost    shared memory: for each stage a slot of the pattern's `tile_bytes`, on its alignment, and the states of its
///         barriers. More than a CTA can have is a compile error
/// Source  SC'11, section 4.3; single, double and manual double buffering are three of its forms
template <class WarpLayout, detail::Stages Number = AutomaticStages{}, DmaGroups FilledBy = DmaGroups{}>
struct MultiBuffer {
  using Layout = WarpLayout;

  static constexpr int groups = Layout::is_specialized ? FilledBy.count : 1;
  static constexpr int first_group = Layout::is_specialized ? FilledBy.first : 0;

  /// Whether the number of stages is left to `stages_for`; `DefaultEngine` and `WarpSets` ask.
  static constexpr bool has_automatic_stages = Number.ctas_an_sm > 0;

  /// The number of stages for slots of `slot_bytes` when at most `most_stages` have barriers.
  [[nodiscard]] static consteval int stages_for(int slot_bytes, int most_stages,
                                                const Thresholds& by = detail::thresholds_of<void>) noexcept {
    if constexpr (has_automatic_stages) {
      const bool names_bytes = Number.bytes_in_flight != 0;
      const int share = (names_bytes ? Number.bytes_in_flight : by.bytes_in_flight_an_sm) / Number.ctas_an_sm;
      int stages = names_bytes || share < by.bytes_in_flight_of_one_cta
                       ? detail::stages_of_share(slot_bytes, share)
                       : detail::stages_of_one_cta(slot_bytes, groups, by);
      stages = stages > by.most_stages ? by.most_stages : stages;
      stages = stages > most_stages ? most_stages : stages;
      const int rounded = stages - stages % groups;
      return rounded > 0 ? rounded : groups;
    } else {
      return Number.count > 0 ? Number.count : groups;  // or refused below, and by nothing else
    }
  }

  // The last member: clang leaves out those that follow a broken rule.
  static_assert(
      Number.count > 0 || (Number.count == 0 && Number.ctas_an_sm > 0 && Number.bytes_in_flight >= 0),
      "dma::MultiBuffer: it has a positive number of stages, or a dma::AutomaticStages of a positive number of "
      "CTAs; name one of the two, or leave it out");
};

/// One slot: no warp computes while it is filled, and the other way round. Several CTAs an SM overlap instead.
///
/// Source  SC'11, section 4.3, figure 7 (a)
template <class WarpLayout, int FirstGroup = 0>
using SingleBuffer = MultiBuffer<WarpLayout, 1, DmaGroups{.first = FirstGroup}>;

/// Two slots, each with a DMA group of its own.
///
/// Source  SC'11, section 4.3, figure 7 (b)
template <class WarpLayout, int FirstGroup = 0>
using DoubleBuffer = MultiBuffer<WarpLayout, 2, DmaGroups{.first = FirstGroup, .count = 2}>;

/// Two slots, filled in turn by one DMA group, which is always busy.
///
/// Source  SC'11, section 4.3, figure 7 (c)
template <class WarpLayout, int FirstGroup = 0>
using ManualDoubleBuffer = MultiBuffer<WarpLayout, 2, DmaGroups{.first = FirstGroup}>;

}  // namespace dma::inline v0_1
