#pragma once

/// The way through an item: which planes are read in which order, and what is complete after each.

#include "slab.hpp"

namespace stencil {

/// Upwards: after a plane, the plane whose sums are complete, whether it is one of the item's, and whether with it the
/// planes are complete that a neighbour waits for.
template <int Radius>
struct Up {
  static constexpr End end = End::below;  ///< where it begins
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int complete(int z) { return z - Radius; }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool writes(const Item& item, int z) {
    return z - Radius >= item.first;
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool finishes_end(const Item& item, int z) {
    return z == item.first + 2 * Radius - 1;
  }
};

/// The same downwards.
template <int Radius>
struct Down {
  static constexpr End end = End::above;
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int complete(int z) { return z + Radius; }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool writes(const Item& item, int z) { return z + Radius < item.last; }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool finishes_end(const Item& item, int z) {
    return z == item.last - 2 * Radius;
  }
};

/// Calls `visit(z, way)` for each plane that a leg reads. The way is known at compile time; a slab between two others
/// has a loop for each, since one that is chosen at run time costs 4 to 9%.
template <Sends sends, int Radius, class Visit>
DMA_HOST_DEVICE void for_each_plane(const Leg& leg, const Visit& visit) {
  const Item& item = leg.item;
  const auto up = [&] {
    for (int z = item.first - Radius; z < item.last + Radius; ++z) {
      visit(z, Up<Radius>{});
    }
  };
  const auto down = [&] {
    for (int z = item.last - 1 + Radius; z >= item.first - Radius; --z) {
      visit(z, Down<Radius>{});
    }
  };
  if constexpr (sends == Sends::to_both) {
    leg.is_up ? up() : down();
  } else if constexpr (sends == Sends::to_above) {
    down();
  } else {
    up();
  }
}

/// Calls `load(z)` for the same planes. One loop where the way is chosen at run time, which takes DMA warps fewer
/// registers.
template <Sends sends, int Radius, class Load>
DMA_HOST_DEVICE void for_each_loaded_plane(const Leg& leg, const Load& load) {
  if constexpr (sends == Sends::to_both) {
    const int planes = leg.item.last - leg.item.first + 2 * Radius;
    for (int i = 0; i < planes; ++i) {
      load(leg.is_up ? leg.item.first - Radius + i : leg.item.last - 1 + Radius - i);
    }
  } else {
    for_each_plane<sends, Radius>(leg, [&](int z, auto) { load(z); });
  }
}

}  // namespace stencil
