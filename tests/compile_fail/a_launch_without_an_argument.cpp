// error: dma::launch: the kernel body's operator() does not take these arguments after its CTA; pass what it takes, in its order, and declare it const, with a dma::KernelCta of this body first

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

struct Body {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  DMA_HOST_DEVICE void operator()(dma::KernelCta<Body>& cta, float* y, int n) const {
    if (cta.thread() < n) {
      y[cta.thread()] = 1;
    }
  }
};

void run(float* y) {
#if defined(DMA_MISTAKE)
  dma::host::launch(Body{}, {1}, y);
#else
  dma::host::launch(Body{}, {1}, y, 32);
#endif
}
