// error: dma::AsyncCopy: copies of 4 and 8 bytes go through the first-level cache, so they cannot take LoadCache::global; align the pattern's runs to 16 bytes, or leave the hint out

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

struct Kernel {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
  using Tile = dma::Sequential<float, 64, 8>;
#else
  using Tile = dma::Sequential<float, 64, 16>;
#endif
  using Engine = dma::AsyncCopy<dma::AsyncCopyTuning{.cache = {.load = dma::LoadCache::global}}>;
  using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Layout>, dma::CudaBarrier, Engine>;
  struct Shared {
    Pipe::Storage storage;
  };

  void operator()(dma::KernelCta<Kernel>& cta, const float* in) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (pipe.is_dma()) {
      pipe.as_dma().load(in);
    } else {
      static_cast<void>(pipe.as_compute().wait());
    }
  }
};

void run(const float* in) { dma::host::launch(Kernel{}, {1}, in); }
