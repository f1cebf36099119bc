#pragma once

#include <dma/dma.hpp>

/// Sums each element of a volume with its neighbours before and after it, above and below, left and right.
struct StarSums {
  // 16 x 4 x 2 results, and one element more on every side.
  using Tile = dma::Tile3D<float, dma::TileShape{.cols = 18, .rows = 6, .planes = 4}>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<StarSums>& cta, const float* in, int planes, int rows, int cols,
                                  float* out) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const int across = (cols + 15) / 16;
    const int down = (rows + 3) / 4;
    const int deep = (planes + 1) / 2;
    const auto box_at = [&](int t) {
      return Tile{.pitch_bytes = cols * 4LL,
                  .plane_pitch_bytes = rows * cols * 4LL,
                  .array_planes = planes,
                  .array_rows = rows,
                  .array_cols = cols,
                  .plane = t / (across * down) * 2 - 1,
                  .row = t / across % down * 4 - 1,
                  .col = t % across * 16 - 1,
                  .fill = 0.0F};
    };
    pipe.for_each_tile(
        {.last = across * down * deep},  //
        [&](const auto& dma, int t) { dma.load(in, box_at(t)); },
        [&](const auto& compute, int t) {
          const Tile shape = box_at(t);
          const auto box = compute.wait(shape);
          for (int i = compute.rank(); i < 2 * 4 * 16; i += compute.size()) {
            const int p = 1 + i / 64;
            const int r = 1 + i / 16 % 4;
            const int c = 1 + i % 16;
            const int plane = shape.plane + p;
            const int row = shape.row + r;
            const int col = shape.col + c;
            if (plane < planes && row < rows && col < cols) {
              out[(plane * rows + row) * cols + col] = box(p, r, c) + box(p - 1, r, c) + box(p + 1, r, c) +
                                                       box(p, r - 1, c) + box(p, r + 1, c) + box(p, r, c - 1) +
                                                       box(p, r, c + 1);
            }
          }
        });
  }
};

static_assert(dma::explain<StarSums::Pipe>().access_bytes == 4);
static_assert(dma::explain<StarSums::Pipe>().run_count == 24);
