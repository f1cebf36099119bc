// The README's kernel float by float, through registers, with an automatic number of stages; and one of rows of 252
// bytes, which neither a warp nor an access divides.

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

using Rows = dma::Strided<float, 63, 16, dma::RowLayout{.alignment = 16}>;
using RowPipe = dma::DmaPipeline<Rows, dma::MultiBuffer<Warps, 2>, dma::CudaBarrier, dma::RegisterCopy<>>;

__global__ __launch_bounds__(Warps::threads) void sum_rows(const float* x, float* y, long long pitch_bytes, int tiles) {
  __shared__ RowPipe::Storage storage;
  RowPipe pipe(dma::this_cta(), storage);
  const Rows rows{pitch_bytes};
  if (pipe.is_dma()) {
    auto dma = pipe.as_dma();
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) dma.load(x + t * pitch_bytes * 4, rows);
  } else {
    auto compute = pipe.as_compute();
    float sum = 0;
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) sum += compute.wait(rows)(compute.rank() / 8, 0);
    y[blockIdx.x * compute.size() + compute.rank()] = sum;
  }
}
