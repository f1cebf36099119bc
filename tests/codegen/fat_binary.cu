// Copies tiles of 16 KB. For sm_90 alone these are bulk copies, for sm_80 cp.async.

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<dma::Sequential<float, 4096>, dma::MultiBuffer<Warps, 2>>;

__global__ __launch_bounds__(Warps::threads) void copy_tiles(const float* x, float* y) {
  __shared__ Pipe::Storage storage;
  Pipe pipe(dma::this_cta(), storage);
  if (pipe.is_dma()) {
    pipe.as_dma().load(x);
  } else {
    auto compute = pipe.as_compute();
    auto tile = compute.wait();
    for (int i = compute.rank(); i < 4096; i += compute.size()) {
      y[i] = tile[i];
    }
  }
}
