// error: dma::Pace: its CTAs wait for one another, so all of them have to be resident; give the kernel body 'static constexpr dma::KernelTraits traits{.cooperative = true};', so that launch sees to it

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

struct Kernel {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, dma::SingleBuffer<Layout>>;
  struct Shared {
    Pipe::Storage storage;
  };
#if !defined(DMA_MISTAKE)
  static constexpr dma::KernelTraits traits{.cooperative = true};
#endif

  void operator()(dma::KernelCta<Kernel>& cta, dma::PaceCounter* counter) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    dma::Pace<2> pace(cta, pipe, counter);
  }
};

void run(dma::PaceCounter* counter) { dma::host::launch(Kernel{}, {1}, counter); }
