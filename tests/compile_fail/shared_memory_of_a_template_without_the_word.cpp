// error: expected 'template' keyword before dependent template name
// clang: use 'template' keyword to treat 'shared' as a dependent template name
// nvcc: type name is not allowed
// fix: in a templated body write 'cta.template shared<Shared>()', and in a launch an object, 'Scale{}'

#include <dma/dma.hpp>

template <int Count>
struct Body {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  struct Shared {
    int values[Count];
  };
  DMA_HOST_DEVICE void operator()(dma::KernelCta<Body>& cta) const {
#if defined(DMA_MISTAKE)
    cta.shared<Shared>().values[0] = 0;
#else
    cta.template shared<Shared>().values[0] = 0;
#endif
  }
};
template struct Body<4>;
