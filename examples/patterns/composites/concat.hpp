#pragma once

#include <dma/dma.hpp>

/// out[r][c] = in[r][c] - in[0][c]: every block is loaded with the part of the first row above it.
struct LessFirstRow {
  using Block = dma::Tile2D<float, 32, 8>;
  using Header = dma::Tile2D<float, 32, 1>;
  using Tile = dma::Concat<Block, Header>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<LessFirstRow>& cta, const float* in, int rows, int cols,
                                  float* out) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const int across = (cols + 31) / 32;
    const int down = (rows + 7) / 8;
    const auto tile_at = [&](int t) {
      const int row = t / across * 8;
      const int col = t % across * 32;
      return Tile{Block{cols * 4LL, rows, cols, row, col}, Header{cols * 4LL, rows, cols, 0, col}};
    };
    pipe.for_each_tile(
        {.last = across * down},  //
        [&](const auto& dma, int t) { dma.load(in, tile_at(t)); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait(tile_at(t));
          for (int i = compute.rank(); i < 32 * 8; i += compute.size()) {
            const int row = t / across * 8 + i / 32;
            const int col = t % across * 32 + i % 32;
            if (row < rows && col < cols) {
              out[row * cols + col] = tile[Tile::index_of<0>(i / 32, i % 32)] - tile[Tile::index_of<1>(0, i % 32)];
            }
          }
        });
  }
};

static_assert(LessFirstRow::Tile::part_shared_bytes<1>() == 8 * 32 * 4);
static_assert(LessFirstRow::Tile::max_run_count == 8 + 1);

/// out[r][c] = fine[r][c] - coarse[r / 2][c / 2]: every tile has boxes of two arrays.
struct LessCoarse {
  using Fine = dma::Tile2D<float, 32, 8>;
  using Coarse = dma::Tile2D<float, 16, 4>;
  using Tile = dma::Concat<Fine, Coarse>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, dma::CudaBarrier, dma::TensorCopy<>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<LessCoarse>& cta, const dma::TensorMap<Tile>& map, Fine fine,
                                  Coarse coarse, float* out) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const int across = (fine.array_cols + 31) / 32;
    const int down = (fine.array_rows + 7) / 8;
    pipe.for_each_tile(
        {.last = across * down},
        [&](const auto& dma, int t) {
          fine.row = t / across * 8;
          fine.col = t % across * 32;
          coarse.row = fine.row / 2;
          coarse.col = fine.col / 2;
          dma.load(map, Tile{fine, coarse});
        },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          for (int i = compute.rank(); i < 32 * 8; i += compute.size()) {
            const int row = t / across * 8 + i / 32;
            const int col = t % across * 32 + i % 32;
            if (row < fine.array_rows && col < fine.array_cols) {
              out[row * fine.array_cols + col] =
                  tile[Tile::index_of<0>(i / 32, i % 32)] - tile[Tile::index_of<1>(i / 32 / 2, i % 32 / 2)];
            }
          }
        });
  }
};
