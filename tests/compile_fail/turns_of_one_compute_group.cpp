// error: dma::Turns: this layout has one compute group, which has nothing to take turns with; give the WarpLayout several dma::Compute<...>

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

struct Kernel {
#if defined(DMA_MISTAKE)
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
#else
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Compute<2>, dma::Dma<1>>;
#endif

  void operator()(dma::KernelCta<Kernel>&) const { dma::Turns<Layout> turns; }
};

void run() { dma::host::launch(Kernel{}, {1}); }
