// error: 'const dma::KernelTraits' has no non-static data member named 'co_operative'
// clang: field designator 'co_operative' does not refer to any field in type 'const dma::KernelTraits'
// nvcc: class "dma::KernelTraits" has no field "co_operative"
// fix: write the member as dma::KernelTraits declares it: min_ctas, cooperative, programmatic_launch or cluster

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

struct Kernel {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
#if defined(DMA_MISTAKE)
  static constexpr dma::KernelTraits traits{.co_operative = true};
#else
  static constexpr dma::KernelTraits traits{.cooperative = true};
#endif
  void operator()(dma::KernelCta<Kernel>& cta) const { cta.sync(); }
};

void run() { dma::host::launch(Kernel{}, {1}); }
