#pragma once

/// How the products are divided among CTAs.

#include <dma/dma.hpp>

namespace linear {

/// Units of k of all tiles of Y, one after another, in CTAs that have as many as another, or one more. The sums of a
/// tile that several CTAs have are added up by the last of them.
struct Plan {
  int tiles;
  int units_of_tile;
  int ctas;

  /// A CTA's units of one tile.
  struct Piece {
    int tile;
    int first;
    int last;  ///< behind its last
  };

  [[nodiscard]] DMA_HOST_DEVICE long long units() const { return static_cast<long long>(tiles) * units_of_tile; }
  [[nodiscard]] DMA_HOST_DEVICE int first_of(int cta) const { return static_cast<int>(units() * cta / ctas); }
  [[nodiscard]] DMA_HOST_DEVICE int cta_of(int unit) const {
    return static_cast<int>(((unit + 1LL) * ctas - 1) / units());
  }
  [[nodiscard]] DMA_HOST_DEVICE int first_cta_of(int tile) const { return cta_of(tile * units_of_tile); }
  [[nodiscard]] DMA_HOST_DEVICE int parts_of(int tile) const {
    return cta_of((tile + 1) * units_of_tile - 1) - first_cta_of(tile) + 1;
  }
  [[nodiscard]] DMA_HOST_DEVICE bool is_whole(const Piece& piece) const {
    return piece.first == 0 && piece.last == units_of_tile;
  }

  /// Calls `body` with each piece of a CTA.
  template <class Body>
  DMA_HOST_DEVICE void for_each_piece(int cta, const Body& body) const {
    const int end = first_of(cta + 1);
    for (int at = first_of(cta); at < end;) {
      const int tile = at / units_of_tile;
      const int behind = (tile + 1) * units_of_tile < end ? (tile + 1) * units_of_tile : end;
      body(Piece{tile, at - tile * units_of_tile, behind - tile * units_of_tile});
      at = behind;
    }
  }
};

/// The plan for at most so many CTAs that takes the least time. CTAs of equal shares take less than more of them that
/// cut tiles anywhere: a CTA then ends one tile and begins another, and waits for its neighbours' parts.
[[nodiscard]] DMA_HOST_DEVICE constexpr Plan make_plan(int tiles, int units_of_tile, int most_ctas) {
  constexpr int even_cut = 3;  // units that take as long as to add up parts
  constexpr int uneven_cut = 6;
  const long long units = static_cast<long long>(tiles) * units_of_tile;
  Plan best{tiles, units_of_tile, 1};
  long long least = units;
  for (int ctas = 2; ctas <= most_ctas && ctas <= units; ++ctas) {
    const long long share = (units + ctas - 1) / ctas;
    const bool is_even = units % ctas == 0;
    const bool are_whole = is_even && share % units_of_tile == 0;
    const bool are_parts = is_even && units_of_tile % share == 0;
    const long long time = share + (are_whole ? 0 : are_parts ? even_cut : uneven_cut);
    if (time <= least) {
      best.ctas = ctas;
      least = time;
    }
  }
  return best;
}

}  // namespace linear
