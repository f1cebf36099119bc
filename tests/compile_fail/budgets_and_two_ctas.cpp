// error: dma::launch: register budgets divide the registers of a whole SM, so that it holds one CTA; leave min_ctas out, or the budgets

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

struct Kernel {
  using Layout = dma::WarpLayout<dma::Compute<4, dma::Registers{128}>, dma::Dma<4, dma::Registers{24}>>;
#if defined(DMA_MISTAKE)
  static constexpr dma::KernelTraits traits{.min_ctas = 2};
#endif

  void operator()(dma::KernelCta<Kernel>& cta) const {
    cta.take_roles([] {}, [] {});
  }
};

void run() { dma::host::launch(Kernel{}, {1}); }
