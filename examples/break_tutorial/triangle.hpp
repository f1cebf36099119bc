#pragma once

#include <dma/dma.hpp>

// clang-format off

/// What is wrong with a pattern, or with a kernel that uses it.
enum class Mistake { none, all_runs, all_rows, no_sync };

/// The first rows of a lower triangle of 64 rows, packed: a pattern, right or with a mistake.
template <Mistake mistake>
struct LowerTriangle {
  using Element = float;

  static constexpr int tile_bytes = 64 * 65 / 2 * 4;
  static constexpr int max_run_count = 64;
  static constexpr int max_run_bytes = 64 * 4;
  static constexpr int run_alignment = 4;

  int rows = 64;

  DMA_HOST_DEVICE constexpr bool is_full() const { return rows == 64; }
  DMA_HOST_DEVICE constexpr int size() const { return rows * (rows + 1) / 2; }
  DMA_HOST_DEVICE constexpr int run_count() const { return mistake == Mistake::all_runs ? 64 : rows; }
  DMA_HOST_DEVICE constexpr dma::Run run_at(int row) const {
    return {.global = row * 64LL * 4, .shared = index(row, 0) * 4, .bytes = (row + 1) * 4};
  }
  DMA_HOST_DEVICE static constexpr int index(int row, int col) { return row * (row + 1) / 2 + col; }
};

/// sums[r] = the sums of rows r and r - 1 of a triangle, a thread a row.
template <Mistake mistake>
struct SumRows {
  using Tile = LowerTriangle<mistake>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Layout>>;
  struct Shared { typename Pipe::Storage storage; };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SumRows>& cta, const float* x, float* sums, int rows) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const Tile triangle{rows};
    pipe.for_each_tile(
        {.last = 1},
        [&](const auto& dma, int) { dma.load(x, triangle); },
        [&](const auto& compute, int) {
          auto tile = compute.wait(triangle);
          const int end = mistake == Mistake::all_rows ? 64 : rows;
          const int row = compute.rank();
          if (row < end) {
            for (int col = 1; col <= row; ++col) tile[Tile::index(row, 0)] += tile[Tile::index(row, col)];
          }
          if (mistake != Mistake::no_sync) compute.sync();
          if (row < end) sums[row] = tile[Tile::index(row, 0)] + (row > 0 ? tile[Tile::index(row - 1, 0)] : 0);
        });
  }
};
