// error: dma::Cta: shared memory is that of a kernel body, which takes dma::KernelCta<Body>& first; write that, or declare a __shared__ variable in a __global__ function of your own
// no other error

#include <dma/dma.hpp>

struct Sum {
  using Layout = dma::WarpLayout<dma::Compute<4>>;
  struct Shared {
    float sums[4];
  };

#if defined(DMA_MISTAKE)
  DMA_HOST_DEVICE void operator()(dma::Cta& cta, float* y) const {
#else
  DMA_HOST_DEVICE void operator()(dma::KernelCta<Sum>& cta, float* y) const {
#endif
      y[0] = cta.shared<Shared>().sums[0];
}
}
;
