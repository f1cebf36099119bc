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

/// Bytes that one CTA's stages hold together when their number is automatic.
///
/// The rest of the 48 KB that a kernel can declare as `__shared__` is for barriers and for the kernel itself.
inline constexpr int bytes_in_flight_target = 46 * 1024;
inline constexpr int most_automatic_stages = 16;

/// The same for each compute warp of a CTA with few of them. One warp takes some 6 bytes a nanosecond out of shared
/// memory, 4 at a time: more in flight gains nothing and leaves room for fewer CTAs on the SM.
inline constexpr int bytes_in_flight_a_compute_warp = 9 * 1024;
inline constexpr int few_compute_warps = 3;
/// The same of all CTAs of an SM where their number is given. A GPU's memory is slower by some percent with twice as
/// many.
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
  static constexpr bool has_automatic_stages = Stages <= automatic_stages;

  /// The number of stages for slots of `slot_bytes` when at most `most_stages` have barriers.
  [[nodiscard]] static consteval int stages_for(int slot_bytes, int most_stages) noexcept {
    if (Stages > automatic_stages) {
      return Stages;
    }
    constexpr int fewest = Stages == automatic_stages ? 2 : 1;  // beside other CTAs one slot may be the fastest
    int stages = Stages == automatic_stages ? in_flight / slot_bytes : (in_flight + slot_bytes / 2) / slot_bytes;
    stages = stages > most_automatic_stages ? most_automatic_stages : stages;
    stages = stages > most_stages ? most_stages : stages;
    stages = stages < fewest ? fewest : stages;
    const int rounded = stages - stages % groups;
    return rounded > 0 ? rounded : groups;
  }

 private:
  /// Bytes that the stages of one CTA hold together when their number is automatic.
  static constexpr int in_flight = [] {
    constexpr int ctas = Stages < automatic_stages ? -Stages : 1;
    constexpr int of_warps = Layout::compute_warps <= few_compute_warps
                                 ? Layout::compute_warps * bytes_in_flight_a_compute_warp
                                 : bytes_in_flight_target;
    const int wanted = Stages < automatic_stages ? bytes_in_flight_an_sm / ctas : of_warps;
    return wanted < bytes_in_flight_target ? wanted : bytes_in_flight_target;
  }();
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
