// error: dma::launch: which clusters are resident at once is not known as it is for CTAs; leave cluster or cooperative out

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

struct Body {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
#if defined(DMA_MISTAKE)
  static constexpr dma::KernelTraits traits{.cooperative = true, .cluster = 2};
#else
  static constexpr dma::KernelTraits traits{.cluster = 2};
#endif
  void operator()(dma::KernelCta<Body>& cta) const { cta.cluster_sync(); }
};

void run() { dma::host::launch(Body{}, {2}); }
