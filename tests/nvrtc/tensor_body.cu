// A kernel body that moves boxes by tensor maps, with a check of its arguments, as a user would write it.

#include <dma/dma.hpp>

struct Scale {
  using Tile = dma::Tile2D<float, 64, 16>;
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout>, dma::CudaBarrier, dma::TensorCopy<>>;
  struct Shared {
    Pipe::Storage storage;
  };

  static void expects(const dma::TensorMap<Tile>&, const float* y, int) {
    DMA_EXPECTS(y != nullptr, "scale: y is null; pass an array");
  }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Scale>& cta, const dma::TensorMap<Tile>& x, float* y,
                                  int tiles) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        cta.tiles(tiles), [&](const auto& dma, int) { dma.load(x); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            y[t * Tile::count + i] = 3 * tile[i];
          }
        });
  }
};

extern "C" __global__ __launch_bounds__(Scale::Layout::threads) void scale(
    const __grid_constant__ dma::TensorMap<Scale::Tile> x, float* y, int tiles) {
  dma::KernelCta<Scale> cta;
  Scale{}(cta, x, y, tiles);
}
