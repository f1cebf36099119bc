// error: dma::DmaPipeline: 'Pattern{}' must be the full tile and its is_full() returns false; give the pattern's members the full tile's values as defaults

#include <dma/dma.hpp>

struct Floats {
  using Element = float;
  static constexpr int tile_bytes = 64;
  static constexpr int max_run_count = 1;
  static constexpr int max_run_bytes = 64;
  static constexpr int run_alignment = 4;
#if defined(DMA_MISTAKE)
  int count = 0;
#else
  int count = 16;
#endif

  DMA_HOST_DEVICE constexpr bool is_full() const { return count == 16; }
  DMA_HOST_DEVICE constexpr int size() const { return count; }
  DMA_HOST_DEVICE constexpr int run_count() const { return 1; }
  DMA_HOST_DEVICE constexpr dma::Run run_at(int) const { return {0, 0, 4 * count}; }
};

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<Floats, dma::SingleBuffer<Warps>>;

Pipe::Storage storage;
