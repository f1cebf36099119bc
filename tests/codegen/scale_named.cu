// The README's kernel on named barriers.

#include <dma/dma.hpp>
#include <dma/explain/explain.hpp>

using Tile = dma::Sequential<float, 1024>;
using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Warps>, dma::NamedBarrier>;

__global__ __launch_bounds__(Warps::threads) void scale_named(const float* x, float* y, float a, int tiles) {
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

// What `explain` says that the assembler reserves is in the kernels' names.
template <class Pipeline, int Reserved = dma::explain<Pipeline>().reserved_barriers>
__global__ __launch_bounds__(Pipeline::Layout::threads) void reserves(const float* x, float* y, int tiles) {
  __shared__ typename Pipeline::Storage storage;
  Pipeline pipe(dma::this_cta(), storage);
  pipe.for_each_tile(
      {.last = tiles}, [&](const auto& dma, int t) { dma.load(x + t * Pipeline::Pattern::count); },
      [&](const auto& compute, int t) {
        auto tile = compute.wait();
        y[t * Pipeline::Pattern::count + compute.rank()] = tile[compute.rank()];
      });
}

using Small = dma::Sequential<float, 128>;
using Groups = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>, dma::Dma<1>>;
template <class Pattern, class Buffering>
using Named = dma::DmaPipeline<Pattern, Buffering, dma::NamedBarrier>;

template __global__ void reserves<Named<Small, dma::SingleBuffer<Groups>>>(const float*, float*, int);
template __global__ void reserves<Named<Small, dma::ManualDoubleBuffer<Groups>>>(const float*, float*, int);
template __global__ void reserves<Named<Small, dma::DoubleBuffer<Groups>>>(const float*, float*, int);
template __global__ void reserves<Named<Small, dma::MultiBuffer<Groups, 3>>>(const float*, float*, int);
template __global__ void reserves<Named<Small, dma::SingleBuffer<Groups, 1>>>(const float*, float*, int);
template __global__ void reserves<Named<dma::Sequential<float, 4096>, dma::ManualDoubleBuffer<Groups>>>(const float*,
                                                                                                        float*, int);
