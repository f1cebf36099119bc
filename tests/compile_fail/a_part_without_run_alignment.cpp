// error: dma::TransferPattern: this pattern has no 'run_alignment'; add 'static constexpr int run_alignment = ...;', the power of two that divides every address and pitch

#include <dma/dma.hpp>

struct Pair {
  using Element = float;
  static constexpr int tile_bytes = 8;
  static constexpr int max_run_count = 2;
  static constexpr int max_run_bytes = 4;
#if defined(DMA_MISTAKE)
  static constexpr int alignment = 4;
#else
  static constexpr int run_alignment = 4;
#endif
  DMA_HOST_DEVICE constexpr bool is_full() const { return true; }
  DMA_HOST_DEVICE constexpr int size() const { return 2; }
  DMA_HOST_DEVICE constexpr int run_count() const { return 2; }
  DMA_HOST_DEVICE constexpr dma::Run run_at(int run) const { return {run * 64, run * 4, 4}; }
};

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<dma::Concat<dma::Sequential<float, 64>, Pair>, dma::SingleBuffer<Warps>>;

Pipe::Storage storage;
