#pragma once

#include <dma/dma.hpp>

/// Sums the 3 x 3 elements around each element of an array; elements outside the array count as 0.
struct BoxSums {
  using Tile = dma::Tile2D<float, 34, 10>;  // 32 x 8 results, and one element more on every side
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<BoxSums>& cta, const float* in, int rows, int cols, float* out) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const int across = (cols + 31) / 32;
    const int down = (rows + 7) / 8;
    const auto box_at = [&](int t) {
      return Tile{.pitch_bytes = cols * 4LL,
                  .array_rows = rows,
                  .array_cols = cols,
                  .row = t / across * 8 - 1,
                  .col = t % across * 32 - 1,
                  .fill = 0.0F};
    };
    pipe.for_each_tile(
        {.last = across * down},  //
        [&](const auto& dma, int t) { dma.load(in, box_at(t)); },
        [&](const auto& compute, int t) {
          const auto box = compute.wait(box_at(t));
          for (int i = compute.rank(); i < 32 * 8; i += compute.size()) {
            const int row = t / across * 8 + i / 32;
            const int col = t % across * 32 + i % 32;
            float sum = 0;
            for (int k = 0; k < 9; ++k) {
              sum += box(i / 32 + k / 3, i % 32 + k % 3);
            }
            if (row < rows && col < cols) {
              out[row * cols + col] = sum;
            }
          }
        });
  }
};

/// Boxes whose columns begin on a multiple of 4 floats move in accesses of 16 bytes.
using AlignedBox = dma::Tile2D<float, 32, 8, dma::RowLayout{.alignment = 16}>;
using PipeOfAlignedBoxes = dma::DmaPipeline<AlignedBox, dma::MultiBuffer<BoxSums::Layout, 2>>;

static_assert(dma::explain<BoxSums::Pipe>().access_bytes == 4);
static_assert(dma::explain<PipeOfAlignedBoxes>(AlignedBox{4096, 64, 1024}).access_bytes == 16);
static_assert(dma::explain<PipeOfAlignedBoxes>(AlignedBox{4096, 64, 1024}).is_fast());
