// error: dma::launch: the kernel body has its dma::KernelTraits under another name than 'traits', which nothing reads; name the member 'traits'

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

struct Kernel {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
#if defined(DMA_MISTAKE)
  static constexpr dma::KernelTraits trait{.cooperative = true};
#else
  static constexpr dma::KernelTraits traits{.cooperative = true};
#endif
  void operator()(dma::KernelCta<Kernel>& cta) const { cta.sync(); }
};

void run() { dma::host::launch(Kernel{}, {1}); }
