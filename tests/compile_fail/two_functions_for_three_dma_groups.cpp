// error: dma::take_roles: there are more or fewer functions than it can give the roles; pass the compute warps' function, then one for each DMA group of the layout in its order, or one for all of them, and with several compute groups also one for every role

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

struct Kernel {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>, dma::Dma<1>, dma::Dma<1>>;

  void operator()(dma::KernelCta<Kernel>& cta) const {
#if defined(DMA_MISTAKE)
    cta.take_roles([] {}, [] {}, [] {});
#else
    cta.take_roles([] {}, [] {}, [] {}, [] {});
#endif
  }
};

void run() { dma::host::launch(Kernel{}, {1}); }
