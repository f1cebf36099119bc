#pragma once

#include <dma/dma.hpp>

/// Two kernels that read a slot in 16-byte accesses. Each writes the sums of four floats at a time.
namespace wide_reads {

using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;

/// A type of one's own, of 16 bytes.
struct alignas(16) Quad {
  float x, y, z, w;
};

/// The elements of the tile are quads, so that `tile[i]` is one access of 16 bytes.
struct SumQuads {
  using Tile = dma::Sequential<Quad, 256>;
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SumQuads>& cta, const Quad* x, float* sums, int tiles) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        cta.tiles(tiles), [&](const auto& dma, int t) { dma.load(x + t * Tile::count); },
        [&](const auto& compute, int t) {
          auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            const Quad quad = tile[i];
            sums[t * Tile::count + i] = quad.x + quad.y + quad.z + quad.w;
          }
        });
  }
};

/// The elements are floats, and the threads read them as vectors of four.
struct SumFloats {
  using Tile = dma::Sequential<float, 1024>;
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SumFloats>& cta, const float* x, float* sums, int tiles) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        cta.tiles(tiles), [&](const auto& dma, int t) { dma.load(x + t * Tile::count); },
        [&](const auto& compute, int t) {
          auto tile = compute.wait();
          auto vectors = tile.vectors();
          for (int i = compute.rank(); i < vectors.size(); i += compute.size()) {
            const dma::Vector<float, 4> v = vectors[i];
            sums[t * Tile::count / 4 + i] = v[0] + v[1] + v[2] + v[3];
          }
        });
  }
};

}  // namespace wide_reads
