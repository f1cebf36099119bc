#pragma once

#include "kernels.hpp"
#include "operations.hpp"
#include "tile.hpp"
#include "tile_sum.hpp"

#include <algorithm>

namespace scan {

// The fastest on an H200. A tile has 16 KB, of which there are 256 at most, or 32 KB in a stream.
[[nodiscard]] constexpr TilePlan plan_of_tiles(bool is_aligned) {
  return {.warps = 8, .vectors = 4, .is_aligned = is_aligned};
}
inline constexpr int stages = 2;
inline constexpr int ctas_an_sm = 2;
template <class T>
[[nodiscard]] constexpr TilePlan plan_of_stream(bool is_aligned) {
  const int vectors = is_aligned ? 8 : 7;  // single elements need more registers
  return {.warps = 8, .vectors = sizeof(T) == 16 ? 6 : vectors, .looks = 2, .is_aligned = is_aligned};
}

/// The kernels of a scan: a CTA a tile, and streams, of arrays that begin on 16 bytes and of others.
template <class Operation, Kind kind>
struct ScanKernels {
  using T = typename Operation::Value;
  template <bool is_aligned>
  using Tiles = TilePerCta<TileScan<Operation, kind, plan_of_tiles(is_aligned)>>;
  template <bool is_aligned>
  using Stream = TileStream<TileScan<Operation, kind, plan_of_stream<T>(is_aligned)>, stages, ctas_an_sm>;
};

/// Calls `visit` with the one of the kernels that takes so many elements.
template <class Kernels, class Visit>
void with_kernel(long long elements, bool is_aligned, const Visit& visit) {
  const auto with_alignment = [&]<bool aligned>() {
    using Tiles = typename Kernels::template Tiles<aligned>;
    if (elements <= static_cast<long long>(Tiles::most_tiles) * Tiles::Tile::elements) {
      visit(Tiles{});
    } else {
      visit(typename Kernels::template Stream<aligned>{});
    }
  };
  is_aligned ? with_alignment.template operator()<true>() : with_alignment.template operator()<false>();
}

/// CTAs of a launch, at most so many.
template <class Kernel>
[[nodiscard]] int ctas_of(long long elements, int most_ctas) {
  const long long tiles = (elements + Kernel::Tile::elements - 1) / Kernel::Tile::elements;
  return static_cast<int>(std::clamp<long long>(tiles, 1, most_ctas));
}

}  // namespace scan
