// error: dma::launch: CTAs that start early may take the place of those that others wait for; leave starts_early or needs_resident_grid out

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

struct Body {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  static constexpr bool starts_early = true;
#if defined(DMA_MISTAKE)
  static constexpr bool needs_resident_grid = true;
#endif
  void operator()(dma::KernelCta<Body>& cta) const { cta.wait_for_earlier_grids(); }
};

void run() { dma::host::launch(Body{}, {1}); }
