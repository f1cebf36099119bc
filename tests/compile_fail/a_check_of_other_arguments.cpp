// error: dma::launch: the body's expects() does not take the arguments of this launch, so it would check nothing; give it the parameters that operator() has after the CTA

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

struct Kernel {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
#if defined(DMA_MISTAKE)
  static void expects(const float*) {}
#else
  static void expects(const float*, int) {}
#endif
  void operator()(const dma::Cta&, const float*, int) const {}
};

void run(const float* x) { dma::host::launch(Kernel{}, {1}, x, 3); }
