#pragma once

/// The items of a slab for `Steps`, which marches upwards only: then the bits of a result do not depend on the number
/// of slabs.

#include "slab.hpp"

#include <climits>

namespace stencil {

/// How a domain or a slab is cut for steps that together reach `Reach` planes, those that a neighbour waits for.
///
/// A march upwards begins at the planes that the slab below waits for. Those that the slab above waits for belong to
/// the highest chunks, which CTAs make before the others; or they are one more item of each column, its *end*
/// (`Partition::end` planes beyond those that are cut into chunks), which its CTA makes before its other items. A CTA
/// that makes an end also makes a first chunk, which is shorter by the planes that an end loads.
template <Sends sends, int Reach>
struct SlabItems {
  static constexpr bool to_below = sends == Sends::to_below || sends == Sends::to_both;
  static constexpr bool to_above = sends == Sends::to_above || sends == Sends::to_both;
  static constexpr int reach = Reach;

  const Partition& work;
  int first_plane;  ///< of the slab's own, in memory

  /// Planes to load for an end: its own, and `Reach` before and after them.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int end_loads(const Partition& work) { return 3 * work.end; }
  /// Whether chunks and ends have the planes that a neighbour waits for, and none has those of both.
  [[nodiscard]] static constexpr bool are_thick_enough(const Partition& work) {
    return work.chunks > (sends == Sends::to_both && work.end == 0 ? 1 : 0) && chunk_begin(work, 1) >= Reach &&
           (work.end == 0 || work.end == Reach);
  }

  /// Calls `visit(item)` for the items of a CTA: `first` and every `step`-th one from there.
  template <class Visit>
  DMA_HOST_DEVICE void for_each(int first, int step, const Visit& visit) const {
    int column = first;  // whose end is next
    for (int i = first; i < work.items();) {
      const bool is_end = to_above && work.end > 0 && column < work.columns();
      visit(is_end ? end_of(column) : chunk_of(i));
      (is_end ? column : i) += step;
    }
  }

  /// The plane with which an item completes what a neighbour waits for; none is as high where nobody waits.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int finishing_plane(const Item& item) const {
    return is_highest(item) ? item.last - 1 : to_below && item.first == first_plane ? item.first + Reach - 1 : INT_MAX;
  }
  /// The neighbour that waits for an item with such a plane.
  [[nodiscard]] DMA_HOST_DEVICE constexpr End finished_end(const Item& item) const {
    return is_highest(item) ? End::above : End::below;
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_highest(const Item& item) const {
    return to_above && item.last == first_plane + work.nz + work.end;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr Item end_of(int column) const {
    Item item = work.item(column);
    item.first = first_plane + work.nz;
    item.last = item.first + work.end;
    return item;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr Item chunk_of(int i) const {
    Item item = work.item(i);
    if constexpr (sends != Sends::to_none) {
      const int turn = i / work.columns();
      const bool is_from_highest = to_above && work.end == 0;
      const int chunk = !is_from_highest ? turn : turn == 0 ? work.chunks - 1 : turn - 1;
      item.first = first_plane + chunk_begin(work, chunk);
      item.last = first_plane + chunk_begin(work, chunk + 1);
    }
    return item;
  }
  /// @pre planes times chunks fit an int, whose division takes few registers
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int chunk_begin(const Partition& work, int chunk) {
    return chunk == 0 ? 0 : (work.nz + end_loads(work)) * chunk / work.chunks - end_loads(work);
  }
};

}  // namespace stencil
