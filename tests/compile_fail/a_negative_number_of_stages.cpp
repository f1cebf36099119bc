// error: dma::MultiBuffer: it has a positive number of stages, or a dma::AutomaticStages of a positive number of CTAs; name one of the two, or leave it out
// no other error

#include <dma/dma.hpp>

struct Sum {
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
  using Buffering = dma::MultiBuffer<Layout, -2>;
#else
  using Buffering = dma::MultiBuffer<Layout, dma::AutomaticStages{.ctas_an_sm = 2}>;
#endif
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, Buffering>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Sum>& cta, const float* x, float* y, int tiles) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        cta.tiles(tiles), [&](const auto& dma, int t) { dma.load(x + t * 64); },
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
