// error: dma::take_roles: groups that one function serves have different register budgets, so that it would be compiled for all of them; give each group a function of its own

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

struct Kernel {
  using Layout = dma::WarpLayout<dma::Compute<4, dma::Registers{168}>, dma::Dma<4, dma::Registers{24}>,
                                 dma::Dma<4, dma::Registers{40}>>;

  void operator()(dma::KernelCta<Kernel>& cta) const {
#if defined(DMA_MISTAKE)
    cta.take_roles([] {}, [] {});
#else
    cta.take_roles([] {}, [] {}, [] {});
#endif
  }
};

void run() { dma::host::launch(Kernel{}, {1}); }
