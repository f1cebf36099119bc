#pragma once

#include <dma/dma.hpp>

/// out = in transposed, for a row-major array of any extents: loads and stores both access global memory along its
/// rows.
struct Turn {
  using Tile = dma::Transpose<float, 32, 16>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Turn>& cta, const float* in, int rows, int cols, float* out) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const int across = (cols + 31) / 32;
    const int down = (rows + 15) / 16;
    const auto block_at = [&](int t) {
      const int rows_left = rows - t / across * 16;
      const int cols_left = cols - t % across * 32;
      return Tile{cols * 4LL, rows_left < 16 ? rows_left : 16, cols_left < 32 ? cols_left : 32};
    };
    pipe.for_each_tile(
        {.last = across * down},
        [&](const auto& dma, int t) { dma.load(in + t / across * 16 * cols + t % across * 32, block_at(t)); },
        [&](const auto& compute, int t) {
          const Tile shape = block_at(t);
          const auto block = compute.wait(shape);
          for (int i = compute.rank(); i < block.size(); i += compute.size()) {
            const int col = i / shape.rows;
            const int row = i % shape.rows;
            out[(t % across * 32 + col) * rows + t / across * 16 + row] = block(col, row);
          }
        });
  }
};

static_assert(dma::explain<Turn::Pipe>(Turn::Tile{4096}).access_bytes == 4);
static_assert(dma::explain<Turn::Pipe>(Turn::Tile{4096}).is_coalesced());
static_assert(dma::explain<Turn::Pipe>(Turn::Tile{4096}).bank_conflict_degree == 1);
