// error: dma::Slot: tile(...) takes what the pattern's index(...) takes, and this pattern's does not take these; give an index for each axis of the tile, or write tile[i]
// no other error

#include <dma/dma.hpp>

struct Sum {
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Sum>& cta, const float* x, float* y, int tiles) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        cta.tiles(tiles), [&](const auto& dma, int t) { dma.load(x + t * 64); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
#if defined(DMA_MISTAKE)
          y[t] = tile(compute.rank(), 1);
#else
          y[t] = tile[compute.rank()];
#endif
        });
  }
};

void emulate(const float* x, float* y) {
  dma::KernelCta<Sum>* cta = nullptr;
  Sum{}(*cta, x, y, 3);
}
