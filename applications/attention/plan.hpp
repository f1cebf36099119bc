#pragma once

/// How attention is divided among CTAs: a value that is made on a host, can be printed, and is read by all warps.

#include <dma/dma.hpp>

#if !defined(__CUDACC_RTC__)
#include <stdexcept>
#include <string>
#endif

namespace attention {

/// A tile: some queries of a head, and the blocks of keys that they see.
struct Piece {
  int batch;
  int head;
  int row;     ///< the first query
  int blocks;  ///< at least one of a tile
};

/// A block of keys of a tile. Those of all tiles of a CTA follow one another.
template <class Piece>
struct StepOf {
  int tile;
  Piece piece;
  int at = 0;      ///< the block
  int stride = 0;  ///< to the CTA's next tile

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_planned() const { return piece.blocks != 0; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool begins_tile() const { return at == 0; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool ends_tile() const { return at + 1 == piece.blocks; }
};
using Step = StepOf<Piece>;

/// The tile behind a step's, without blocks behind a CTA's last.
template <class Plan, class Piece>
[[nodiscard]] DMA_HOST_DEVICE constexpr Piece piece_behind(const Plan& plan, const StepOf<Piece>& step) {
  const int tile = step.tile + step.stride;
  return tile < plan.tiles() ? plan.piece_of(tile) : Piece{};
}

/// The step behind a step of a plan, which is not planned behind a CTA's last.
/// @param behind  calculates the tile behind the step's, or has it
template <class Plan, class Piece, class Behind>
[[nodiscard]] DMA_HOST_DEVICE constexpr StepOf<Piece> step_after(const Plan& plan, const StepOf<Piece>& step,
                                                                 const Behind& behind) {
  if (!step.ends_tile()) {
    return {step.tile, step.piece, step.at + 1, step.stride};
  }
  return {step.tile + step.stride, behind(), 0, plan.stride_after(step.stride)};
}
template <class Plan, class Piece>
[[nodiscard]] DMA_HOST_DEVICE constexpr StepOf<Piece> step_after(const Plan& plan, const StepOf<Piece>& step) {
  return step_after(plan, step, [&] { return piece_behind(plan, step); });
}

/// Tiles are numbered along bands of heads: a band has the last rows of all its heads, then the rows before. With bands
/// of one head CTAs that run at the same time read the same keys and values from the L2. With one band of all heads the
/// tiles that see most keys come first, so that a causal plan ends with short ones.
/// Of each `ctas` tiles a CTA has one, in turn from the first on and from the last on: where tiles become shorter, as
/// many blocks as another.
struct Plan {
  int batches;
  int heads;  ///< of a batch
  int queries;
  int keys;
  bool causal;
  int rows;   ///< queries of a tile
  int block;  ///< keys of a block
  int band;   ///< heads of a band, of all batches
  int ctas;

  [[nodiscard]] DMA_HOST_DEVICE constexpr int tiles_of_head() const { return (queries + rows - 1) / rows; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int tiles() const { return batches * heads * tiles_of_head(); }

  [[nodiscard]] DMA_HOST_DEVICE constexpr Piece piece_of(int tile) const {
    const int down = tiles_of_head();
    if (band == 1) {  // fewer divisions
      const int head = tile / down;
      const int row = (down - 1 - (tile - head * down)) * rows;
      return {head / heads, head % heads, row, blocks_of(row)};
    }
    const int first = tile / (band * down) * band;
    const int width = batches * heads - first < band ? batches * heads - first : band;
    const int within = tile - first * down;
    const int head = first + within % width;
    const int row = (down - 1 - within / width) * rows;
    return {head / heads, head % heads, row, blocks_of(row)};
  }
  /// Blocks of keys that the queries from `row` on see, at least one.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int blocks_of(int row) const {
    const int seen = row + rows + keys - queries;
    const int last = !causal || seen > keys ? keys : seen < 1 ? 1 : seen;
    return (last + block - 1) / block;
  }

  /// From a CTA's first tile to its second, and from the second of two to the third.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int first_stride(int cta) const { return 2 * (ctas - cta) - 1; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int stride_after(int stride) const { return 2 * ctas - stride; }

  [[nodiscard]] DMA_HOST_DEVICE constexpr Step first_step(int cta) const {
    return {cta, piece_of(cta), 0, first_stride(cta)};
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr Step after(const Step& step) const { return step_after(*this, step); }
};

/// The plan of a GPU of so many multiprocessors, from all of it but `band` and `ctas`. Of a causal one the narrowest
/// band with which no CTA has more than 1.035 of the mean number of blocks, or the one with which it is least.
///
/// Cost  of a causal plan: each tile is visited, for up to log2(heads) + 2 bands
[[nodiscard]] Plan make_plan(Plan shape, int sms);

#if !defined(__CUDACC_RTC__)
/// Throws for a plan with more CTAs than tiles, or none: each CTA begins with a tile.
inline void expect_valid(const Plan& plan) {
  if (plan.ctas < 1 || plan.ctas > plan.tiles()) {
    throw std::invalid_argument("attention: a plan has " + std::to_string(plan.ctas) + " CTAs, and there are " +
                                std::to_string(plan.tiles()) + " tiles; give 1 to " + std::to_string(plan.tiles()) +
                                " CTAs, as make_plan does");
  }
}

/// For example "2048 tiles of 128 queries, blocks of 128 keys, bands of 1 head, 132 CTAs".
[[nodiscard]] std::string describe(const Plan& plan);
#endif

}  // namespace attention
