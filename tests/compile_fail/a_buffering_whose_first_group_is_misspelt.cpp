// error: dma::Buffering: this buffering has no 'first_group'; add 'static constexpr int first_group = ...;', the first of its DMA groups in the layout, 0 on a layout without DMA warps

#include <dma/dma.hpp>

struct ThreeStages {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  static constexpr int groups = 1;
#if defined(DMA_MISTAKE)
  static constexpr int firstgroup = 0;
#else
  static constexpr int first_group = 0;
#endif
  static consteval int stages_for(int, int) { return 3; }
};

using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, ThreeStages>;

Pipe::Storage storage;
