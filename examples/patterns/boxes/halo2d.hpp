#pragma once

#include <dma/dma.hpp>

/// Sums the elements beside each 16 x 8 block of an array: above, below, left and right of it.
struct RingSums {
  using Ring =
      dma::Halo2D<float, dma::HaloShape{.cols = 16, .rows = 8, .radius = 1, .corners = dma::Corners::excluded}>;
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Ring, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<RingSums>& cta, const float* in, int rows, int cols,
                                  float* sums) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const int across = cols / 16;
    const auto ring_at = [&](int t) {
      return Ring{.pitch_bytes = cols * 4LL,
                  .array_rows = rows,
                  .array_cols = cols,
                  .row = t / across * 8,
                  .col = t % across * 16,
                  .fill = 0.0F};
    };
    pipe.for_each_tile(
        {.last = across * (rows / 8)},  //
        [&](const auto& dma, int t) { dma.load(in, ring_at(t)); },
        [&](const auto& compute, int t) {
          const auto ring = compute.wait(ring_at(t));
          if (compute.rank() == 0) {
            float sum = 0;
            for (int c = 0; c < 16; ++c) {
              sum += ring(-1, c) + ring(8, c);
            }
            for (int r = 0; r < 8; ++r) {
              sum += ring(r, -1) + ring(r, 16);
            }
            sums[t] = sum;
          }
        });
  }
};

static_assert(dma::explain<RingSums::Pipe>(RingSums::Ring{4096, 64, 1024, 8, 16}).access_bytes == 4);
static_assert(dma::explain<RingSums::Pipe>(RingSums::Ring{4096, 64, 1024, 8, 16}).steps == 4);
static_assert(dma::explain<RingSums::Pipe>(RingSums::Ring{4096, 64, 1024, 8, 16}).sectors_per_request == 8);
static_assert(dma::explain<RingSums::Pipe>(RingSums::Ring{4096, 64, 1024, 8, 16}).fewest_sectors == 1);
