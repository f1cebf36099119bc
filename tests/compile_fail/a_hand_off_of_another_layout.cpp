// error: dma::HandOff: its WarpLayout is not the kernel body's Layout, so they would disagree on each warp's role; use one layout for all pipelines of a kernel

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

using Two = dma::WarpLayout<dma::Compute<4>, dma::Compute<4>>;
using Three = dma::WarpLayout<dma::Compute<4>, dma::Compute<4>, dma::Dma<1>>;

struct Kernel {
#if defined(DMA_MISTAKE)
  using Layout = Three;
#else
  using Layout = Two;
#endif
  using Scores = dma::HandOff<dma::Sequential<float, 256>, dma::FromTo{.from = 0, .to = 1}, dma::MultiBuffer<Two, 2>>;
  struct Shared {
    Scores::Storage scores;
  };

  void operator()(dma::KernelCta<Kernel>& cta) const { Scores scores(cta, cta.shared<Shared>().scores); }
};

void run() { dma::host::launch(Kernel{}, {1}); }
