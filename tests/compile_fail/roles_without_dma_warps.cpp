// error: dma::DmaPipeline: on a layout without DMA warps every warp has both roles, so there is no role to ask for; call as_dma() and as_compute(), or use for_each_tile()

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<2>>;
using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, dma::SingleBuffer<Warps>>;

void kernel(Pipe& pipe, const float* x) {
#if defined(DMA_MISTAKE)
  if (pipe.is_dma()) {
    pipe.as_dma().load(x);
  }
#else
  pipe.as_dma().load(x);
#endif
}
