// error: dma::Buffering: this buffering has no 'stages_for'; add 'static consteval int stages_for(int slot_bytes, int most_stages)', the number of its stages

#include <dma/dma.hpp>

struct ThreeStages {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  static constexpr int groups = 1;
  static constexpr int first_group = 0;
#if defined(DMA_MISTAKE)
  static consteval int stages(int, int) { return 3; }
#else
  static consteval int stages_for(int, int) { return 3; }
#endif
};

using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, ThreeStages>;

Pipe::Storage storage;
