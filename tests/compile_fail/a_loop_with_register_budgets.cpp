// error: dma::DmaPipeline: for_each_tile() runs one tile at a time, so values that compute warps keep between tiles would be outside their register budget; use take_roles(), with the loops inside

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

struct Kernel {
#if defined(DMA_MISTAKE)
  using Layout = dma::WarpLayout<dma::Compute<4, dma::Registers{128}>, dma::Dma<4, dma::Registers{24}>>;
#else
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<4>>;
#endif
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, dma::SingleBuffer<Layout>>;
  struct Shared {
    Pipe::Storage storage;
  };

  void operator()(dma::KernelCta<Kernel>& cta, const float* in) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        {.last = 1}, [&](const auto& dma, int) { dma.load(in); },
        [&](const auto& compute, int) { static_cast<void>(compute.wait()); });
  }
};

void run(const float* in) { dma::host::launch(Kernel{}, {1}, in); }
