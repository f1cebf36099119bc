#pragma once

#include <dma/dma.hpp>

/// Sums the columns of a row-major matrix, 32 of them a CTA.
struct ColumnSums {
  using Tile = dma::Strided<float, 32, 16>;
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ColumnSums>& cta, const float* matrix, long long pitch, int rows,
                                  float* sums) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const float* const columns = matrix + cta.block().x * 32;
    const auto tile_at = [&](int row) { return Tile{pitch * 4, rows - row < 16 ? rows - row : 16}; };
    float sum = 0;
    pipe.for_each_tile(
        0, rows, 16,  //
        [&](const auto& dma, int row) { dma.load(columns + row * pitch, tile_at(row)); },
        [&](const auto& compute, int row) {
          const auto tile = compute.wait(tile_at(row));
          for (int r = 0; r < tile.size() / 32; ++r) {
            sum += tile(r, compute.rank());
          }
        });
    if (pipe.is_compute()) {
      sums[cta.block().x * 32 + cta.lane()] = sum;
    }
  }
};

static_assert(dma::explain<ColumnSums::Pipe>(ColumnSums::Tile{4096}).access_bytes == 16);
static_assert(dma::explain<ColumnSums::Pipe>(ColumnSums::Tile{4096}).run_count == 16);
static_assert(dma::explain<ColumnSums::Pipe>(ColumnSums::Tile{4096}).is_fast());
