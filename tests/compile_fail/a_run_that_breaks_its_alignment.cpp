// error: dma::DmaPipeline: a run of this pattern does not begin on a multiple of the run_alignment that it declares (a power of two); declare a smaller run_alignment, or align the run's offsets

#include <dma/dma.hpp>

struct Pair {
  using Element = float;
  static constexpr int tile_bytes = 24;
  static constexpr int max_run_count = 2;
  static constexpr int max_run_bytes = 8;
#if defined(DMA_MISTAKE)
  static constexpr int run_alignment = 8;
#else
  static constexpr int run_alignment = 4;
#endif

  DMA_HOST_DEVICE constexpr bool is_full() const { return true; }
  DMA_HOST_DEVICE constexpr int size() const { return 4; }
  DMA_HOST_DEVICE constexpr int run_count() const { return 2; }
  DMA_HOST_DEVICE constexpr dma::Run run_at(int run) const { return {run * 64, run * 12, 8}; }
};

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<Pair, dma::SingleBuffer<Warps>>;

Pipe::Storage storage;
