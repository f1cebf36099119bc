// error: dma::launch: the kernel body has min_ctas, cooperative, programmatic_launch or cluster as a member of its own, which nothing reads; put it into 'static constexpr dma::KernelTraits traits{...};'

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

struct Kernel {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
#if defined(DMA_MISTAKE)
  static constexpr bool cooperative = true;
#else
  static constexpr dma::KernelTraits traits{.cooperative = true};
#endif
  void operator()(dma::KernelCta<Kernel>& cta) const { cta.sync(); }
};

void run() { dma::host::launch(Kernel{}, {1}); }
