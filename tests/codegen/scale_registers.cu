// The README's kernel float by float, through registers, with an automatic number of stages.

#include <dma/dma.hpp>

using Tile = dma::Sequential<float, 1024>;
using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Warps>, dma::CudaBarrier, dma::RegisterCopy<>>;

__global__ __launch_bounds__(Warps::threads) void scale_registers(const float* x, float* y, float a, int tiles) {
  __shared__ Pipe::Storage storage;
  Pipe pipe(dma::this_cta(), storage);
  if (pipe.is_dma()) {
    auto dma = pipe.as_dma();
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) dma.load(x + t * Tile::count);
  } else {
    auto compute = pipe.as_compute();
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
      auto tile = compute.wait();
      for (int i = compute.rank(); i < tile.size(); i += compute.size()) y[t * Tile::count + i] = a * tile[i];
    }
  }
}
