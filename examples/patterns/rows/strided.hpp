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
    const auto tile_at = [&](int row) { return Tile{pitch * 4, Tile::rows_up_to(rows - row)}; };
    float sum = 0;
    pipe.for_each_tile(
        {.last = rows, .step = 16},  //
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

/// Sums the rows of a matrix of up to 63 columns, a thread a row. Its rows are an odd number of words apart in shared
/// memory, so that the threads read different banks.
struct SumsOfRows {
  using Tile = dma::Strided<float, 63, 32, dma::RowLayout{.alignment = 4, .max_pitch_bytes = 63 * 4}>;
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SumsOfRows>& cta, const float* matrix, int tiles, int cols,
                                  float* sums) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const Tile shape{.pitch_bytes = cols * 4LL, .cols = cols, .shared_pitch_bytes = (cols | 1) * 4};
    pipe.for_each_tile(
        {.last = tiles},  //
        [&](const auto& dma, int t) { dma.load(matrix + t * 32LL * cols, shape); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait(shape);
          float sum = 0;
          for (int c = 0; c < cols; ++c) {
            sum += tile(compute.rank(), c);
          }
          sums[t * 32 + compute.rank()] = sum;
        });
  }
};

static_assert(dma::explain<ColumnSums::Pipe>(ColumnSums::Tile{4096}).access_bytes == 16);
static_assert(dma::explain<ColumnSums::Pipe>(ColumnSums::Tile{4096}).run_count == 16);
static_assert(dma::explain<ColumnSums::Pipe>(ColumnSums::Tile{4096}).is_fast());
