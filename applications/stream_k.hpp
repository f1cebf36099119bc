#pragma once

/// Work that is divided evenly among CTAs, even where that cuts tiles (stream-K).

#include <dma/dma.hpp>

/// Units of work, one after another: each of the first `ctas` CTAs has as many as another, or one more. Of n CTAs for
/// each tile none has units of two tiles.
template <class Count>
struct Shares {
  Count units;  ///< at least one for each of `ctas`
  int ctas;

  /// A CTA's first unit; behind the last CTA that has some, the number of units.
  [[nodiscard]] DMA_HOST_DEVICE constexpr Count first_of(int cta) const {
    return units * static_cast<Count>(cta < ctas ? cta : ctas) / static_cast<Count>(ctas);
  }
  /// The CTA that has a unit.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int cta_of(Count unit) const {
    return static_cast<int>(((unit + 1) * static_cast<Count>(ctas) - 1) / units);
  }
};

/// Tiles of equally many units, one after another.
///
/// @pre `fits()`; a 64-bit division takes a kernel a hundred instructions
struct StreamK {
  int tiles;
  int units_of_tile;
  int ctas;  ///< that have some, as `Shares`

  /// A CTA's units of one tile.
  struct Piece {
    int tile;
    int first;
    int last;  ///< behind its last
  };

  [[nodiscard]] DMA_HOST_DEVICE constexpr int units() const { return tiles * units_of_tile; }
  [[nodiscard]] constexpr bool fits() const { return 1LL * tiles * units_of_tile * ctas < 1LL << 32; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int first_of(int cta) const {
    return static_cast<int>(shares().first_of(cta));
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int cta_of(int unit) const {
    return shares().cta_of(static_cast<unsigned>(unit));
  }
  /// The CTA that has a tile's first unit, and how many have some.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int first_cta_of(int tile) const { return cta_of(tile * units_of_tile); }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int parts_of(int tile) const {
    return cta_of((tile + 1) * units_of_tile - 1) - first_cta_of(tile) + 1;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_whole(const Piece& piece) const {
    return piece.last - piece.first == units_of_tile;
  }
  /// The piece that begins with a unit, of a CTA whose units end before `end`.
  [[nodiscard]] DMA_HOST_DEVICE constexpr Piece piece_at(int unit, int end) const {
    const int tile = unit / units_of_tile;
    const int first = unit - tile * units_of_tile;
    const int last = first + end - unit;
    return {tile, first, last < units_of_tile ? last : units_of_tile};
  }
  /// Calls `body` with each piece of a CTA, in order.
  template <class Body>
  DMA_HOST_DEVICE constexpr void for_each_piece(int cta, const Body& body) const {
    const int end = first_of(cta + 1);
    for (int at = first_of(cta); at < end;) {
      const Piece piece = piece_at(at, end);
      body(piece);
      at += piece.last - piece.first;
    }
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE constexpr Shares<unsigned> shares() const {
    return {static_cast<unsigned>(units()), ctas};
  }
};
