#pragma once

/// How a product is divided among CTAs: a value that is made on a host, can be printed, and is read by all warps.

#include "../stream_k.hpp"

#include <dma/dma.hpp>

#if !defined(__CUDACC_RTC__)
#include <string>
#endif

namespace gemm {

inline constexpr int block = 64;       ///< values of k that a stage holds
inline constexpr int least_share = 4;  ///< blocks whose sums a second launch adds: fewer take longer to add than to sum

/// Of C. A warpgroup has 64 rows of it.
struct TileShape {
  int rows;     ///< 128 or 64
  int columns;  ///< 64 to 256, a multiple of 8; with 64 rows 64; of C^T also 16
  /// Tiles of C^T = B A^T. Those of 16 columns of 64 rows are for C of few rows, as boxes that reach beyond a matrix
  /// take as long as others; those of 96 columns of 128 rows for C of few columns, which is more tiles so.
  bool is_transposed = false;
  /// CTAs of a cluster whose tiles follow one another down C, and share B, or across it, and share A; one of them is 1.
  int down = 1;
  int across = 1;
  /// CTAs of a cluster that divide the k of one tile, and add their sums up among themselves: 2, or 1.
  int deep = 1;
  /// B and C do not stay in the L2: it cannot hold B from one band of tiles to the next.
  bool streams = false;

  [[nodiscard]] DMA_HOST_DEVICE constexpr int ctas() const { return down * across * deep; }
  [[nodiscard]] constexpr bool operator==(const TileShape&) const = default;
};

/// A stretch of k of a tile of C, in blocks: all of it, or the part that this CTA adds up.
struct Piece {
  int tile;
  int row;     ///< the first that the tile has, of C or of C^T
  int column;  ///< likewise
  int first;
  int last;  ///< one after it
};

/// Tiles are numbered along bands, column by column, so that CTAs that run at the same time read the same rows of A
/// and B from the L2. The first tiles are each computed by one CTA. The blocks of all others follow one another and are
/// divided evenly among the CTAs (stream-K); where these are all tiles, that is split K too.
struct Plan {
  TileShape shape;  ///< which kernel
  int down;         ///< tiles of a column of C, or of C^T
  int across;       ///< tiles of a row
  int band;         ///< tiles of a column that belong to a band
  int ctas;         ///< or clusters of them; a cluster's tile is one tile here
  StreamK divided;  ///< the last tiles, whose units are blocks

  [[nodiscard]] DMA_HOST_DEVICE constexpr int tiles() const { return down * across; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int blocks() const { return divided.units_of_tile; }  ///< of a tile
  /// Tiles of one CTA each.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int whole() const { return tiles() - divided.tiles; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool has_divided() const { return divided.tiles > 0; }
  /// Whether a second launch adds up the parts of divided tiles, which all SMs then do together; else the last CTA of a
  /// tile does.
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool adds_later() const { return has_divided() && shape.ctas() > 1; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_whole(const Piece& piece) const {
    return piece.last - piece.first == blocks();
  }
  /// The first row and column that a tile has, of C or of C^T.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int row_of(int tile) const {
    return (tile / (band * across) * band + tile % (band * across) % rows_of_band(tile)) * shape.rows * shape.down;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int column_of(int tile) const {
    return tile % (band * across) / rows_of_band(tile) * shape.columns * shape.across;
  }

 private:
  /// The last band may have fewer.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int rows_of_band(int tile) const {
    const int rest = down - tile / (band * across) * band;
    return rest < band ? rest : band;
  }
};

/// The pieces of one CTA.
class Pieces {
 public:
  DMA_HOST_DEVICE Pieces(const Plan& plan, int cta)
      : plan_(plan), first_(cta), start_(plan.divided.first_of(cta)), end_(plan.divided.first_of(cta + 1)) {}

  /// Calls `body` with each, in order.
  template <class Body>
  DMA_HOST_DEVICE void for_each(const Body& body) const {
    const int whole = plan_.whole();
    for (int tile = first_, at = start_; tile < whole || at < end_;) {
      StreamK::Piece piece{tile, 0, plan_.blocks()};
      if (tile < whole) {
        tile += plan_.ctas;
      } else {
        piece = plan_.divided.piece_at(at, end_);
        at += piece.last - piece.first;
        piece.tile += whole;
      }
      body(Piece{piece.tile, plan_.row_of(piece.tile), plan_.column_of(piece.tile), piece.first, piece.last});
    }
  }

 private:
  const Plan& plan_;
  int first_;
  int start_;
  int end_;
};

/// The plan of the fastest kernel for C of m x n and sums of k products, on a GPU of so many multiprocessors.
///
/// @param are_aligned  whether each row of A and of B begins on 128 bytes
[[nodiscard]] Plan make_plan(int m, int n, int k, int sms, bool are_aligned);
/// Where rows of A and B follow one another without gaps, from 128 bytes on.
[[nodiscard]] inline Plan make_plan(int m, int n, int k, int sms) { return make_plan(m, n, k, sms, k % block == 0); }
/// The plan of one tile shape, `streamed_tiles` of whose tiles are divided among all CTAs. @pre They have as many
/// blocks as there are CTAs, or are tiles of clusters: then no cluster takes fewer than `least_share`, so that some may
/// take none.
[[nodiscard]] Plan make_plan(int m, int n, int k, int ctas, TileShape shape, int streamed_tiles);

#if !defined(__CUDACC_RTC__)
/// For example "512 tiles of 128 x 256, 132 CTAs, 116 tiles divided", or "..., 132 CTAs in clusters of 2".
[[nodiscard]] std::string describe(const Plan& plan);
#endif

}  // namespace gemm
