#pragma once

#include <dma/dma.hpp>

// clang-format off

using Tile  = dma::Sequential<float, 1024>;                            // what
using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;           // who
using Pipe  = dma::DmaPipeline<Tile, dma::MultiBuffer<Warps, 2>>;      // when: two slots, filled in turn

__global__ __launch_bounds__(Warps::threads) void scale(const float* x, float* y, float a, int tiles) {
  __shared__ Pipe::Storage storage;
  Pipe pipe(dma::this_cta(), storage);
  if (pipe.is_dma()) {
    auto dma = pipe.as_dma();                                          // this handle can load, and nothing else
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) dma.load(x + t * Tile::count);
  } else {
    auto compute = pipe.as_compute();                                  // this one can wait, and nothing else
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
      auto tile = compute.wait();                                      // a slot is a scope: released at its end
      auto x4 = tile.vectors();                                        // four floats an access
      auto y4 = dma::vectors(y + t * Tile::count);
      for (int i = compute.rank(); i < x4.size(); i += compute.size()) y4[i] = a * x4[i];
    }
  }
}
