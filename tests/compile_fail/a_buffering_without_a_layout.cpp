// error: dma::Buffering: this buffering has no 'Layout'; add 'using Layout = ...;', the dma::WarpLayout of the kernel

#include <dma/dma.hpp>

struct ThreeStages {
#if defined(DMA_MISTAKE)
  using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
#else
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
#endif
  static constexpr int groups = 1;
  static constexpr int first_group = 0;
  static consteval int stages_for(int, int) { return 3; }
};

using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, ThreeStages>;

Pipe::Storage storage;
