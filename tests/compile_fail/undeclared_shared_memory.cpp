// error: dma::KernelCta: a kernel body has the shared memory that it declares; name it 'using Shared = ...' and ask for cta.shared<Shared>()

#include <dma/dma.hpp>

struct Kernel {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  struct Shared {
    int value;
  };
  struct Other {
    int value;
  };

  void operator()(dma::KernelCta<Kernel>& cta) const {
#if defined(DMA_MISTAKE)
    cta.shared<Other>().value = 1;
#else
    cta.shared<Shared>().value = 1;
#endif
  }
};
