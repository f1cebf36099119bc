#pragma once

#include <dma/dma.hpp>

/// Sums the rows of a matrix of 32 columns, one row a lane: neighbouring lanes read one column, 16 bytes each, without
/// bank conflicts.
struct RowSums {
  struct alignas(16) Quad {
    float part[4];
  };
  using Tile = dma::Strided<Quad, 8, 32, dma::RowLayout{.swizzle = dma::Swizzle::bytes_128}>;
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<RowSums>& cta, const Quad* matrix, int rows, float* sums) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        {.last = rows / 32},  //
        [&](const auto& dma, int t) { dma.load(matrix + t * Tile::count); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          float sum = 0;
          for (int c = 0; c < 8; ++c) {
            const Quad four = tile(compute.rank(), c);
            sum += four.part[0] + four.part[1] + four.part[2] + four.part[3];
          }
          sums[t * 32 + compute.rank()] = sum;
        });
  }
};

static_assert(dma::explain<RowSums::Pipe>().run_count == 32 * 8);
static_assert(dma::explain<RowSums::Pipe>().run_bytes == 16);
static_assert(dma::explain<RowSums::Pipe>().is_fast());
