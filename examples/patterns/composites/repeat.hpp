#pragma once

#include <dma/dma.hpp>

/// Adds up three fields that are stored one after another, block by block of 4 rows.
struct SumOfFields {
  using Block = dma::Strided<float, 32, 4>;
  using Tile = dma::Repeat<Block, 3>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SumOfFields>& cta, const float* fields, int rows, float* sum) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const Tile tile{Block{}, rows * 32 * 4LL};
    pipe.for_each_tile(
        {.last = rows / 4},  //
        [&](const auto& dma, int t) { dma.load(fields + t * Block::count, tile); },
        [&](const auto& compute, int t) {
          const auto blocks = compute.wait(tile);
          for (int i = compute.rank(); i < Block::count; i += compute.size()) {
            const int r = i / 32;
            const int c = i % 32;
            sum[t * Block::count + i] = blocks(0, r, c) + blocks(1, r, c) + blocks(2, r, c);
          }
        });
  }
};

static_assert(dma::explain<SumOfFields::Pipe>().access_bytes == 16);
static_assert(dma::explain<SumOfFields::Pipe>().run_count == 3 * 4);
static_assert(dma::explain<SumOfFields::Pipe>().is_fast());
