// error: dma::launch: a kernel body is copied to the GPU, where a reference to host memory is an illegal access, so it must be copy assignable; replace members that are references or const by values or device pointers

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

struct Body {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
#if defined(DMA_MISTAKE)
  const int& factor;
#else
  int factor;
#endif
  void operator()(dma::KernelCta<Body>& cta, int* out) const { out[cta.thread()] = factor * cta.thread(); }
};

void run(const int& factor, int* out) { dma::host::launch(Body{factor}, {1}, out); }
