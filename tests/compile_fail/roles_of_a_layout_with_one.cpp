// error: dma::take_roles: on a layout without DMA warps every warp has both roles; leave take_roles() out

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

struct Kernel {
#if defined(DMA_MISTAKE)
  using Layout = dma::WarpLayout<dma::Compute<1>>;
#else
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
#endif

  void operator()(dma::KernelCta<Kernel>& cta) const {
    cta.take_roles([] {}, [] {});
  }
};

void run() { dma::host::launch(Kernel{}, {1}); }
