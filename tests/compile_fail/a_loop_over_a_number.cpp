// error: dma::DmaPipeline: for_each_tile() takes a dma::TileRange and a function for each role; write pipe.for_each_tile(cta.tiles(n), load, use), of a dma::Update (cta.tiles(n), load, change, store)
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
#if defined(DMA_MISTAKE)
        tiles,
#else
        cta.tiles(tiles),
#endif
        [&](const auto& dma, int t) { dma.load(x + t * 64); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          y[t] = tile[compute.rank()];
        });
  }
};

void emulate(const float* x, float* y) {
  dma::KernelCta<Sum>* cta = nullptr;
  Sum{}(*cta, x, y, 3);
}
