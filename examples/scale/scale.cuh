#pragma once

#include <dma/dma.hpp>

// clang-format off

using Tile  = dma::Sequential<float, 1024>;                            // what
using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;           // who
using Pipe  = dma::DmaPipeline<Tile, dma::MultiBuffer<Warps>>;         // when: stages from the bytes in flight

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
      for (int i = compute.rank(); i < tile.size(); i += compute.size()) y[t * Tile::count + i] = a * tile[i];
    }
  }
}
