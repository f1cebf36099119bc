// error: dma::DmaPipeline: the pipeline's WarpLayout is not the kernel body's Layout, so they would disagree on each warp's role; use one layout for all pipelines of a kernel

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
using Pipe =
    dma::DmaPipeline<dma::Sequential<float, 64>, dma::SingleBuffer<dma::WarpLayout<dma::Compute<2>, dma::Dma<2>>>>;
#else
using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, dma::SingleBuffer<Warps>>;
#endif

struct Kernel {
  using Layout = Warps;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<Kernel>& cta) const { Pipe pipe(cta, cta.shared<Shared>().storage); }
};
