// error: dma::launch: CTAs that start early may occupy an SM that CTAs of a cooperative grid wait for; leave programmatic_launch or cooperative out

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

struct Body {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
#if defined(DMA_MISTAKE)
  static constexpr dma::KernelTraits traits{.cooperative = true, .programmatic_launch = true};
#else
  static constexpr dma::KernelTraits traits{.programmatic_launch = true};
#endif
  void operator()(dma::KernelCta<Body>& cta) const { cta.grid_dependency_wait(); }
};

void run() { dma::host::launch(Body{}, {1}); }
