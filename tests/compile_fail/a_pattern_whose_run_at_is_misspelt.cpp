// error: dma::TransferPattern: this pattern has no const 'run_at'; add 'constexpr dma::Run run_at(int run) const', the offsets of a run on both sides and its bytes

#include <dma/dma.hpp>

struct Pair {
  using Element = float;
  static constexpr int tile_bytes = 8;
  static constexpr int max_run_count = 2;
  static constexpr int max_run_bytes = 4;
  static constexpr int run_alignment = 4;
  DMA_HOST_DEVICE constexpr bool is_full() const { return true; }
  DMA_HOST_DEVICE constexpr int size() const { return 2; }
  DMA_HOST_DEVICE constexpr int run_count() const { return 2; }
#if defined(DMA_MISTAKE)
  DMA_HOST_DEVICE constexpr dma::Run run_of(int run) const { return {run * 64, run * 4, 4}; }
#else
  DMA_HOST_DEVICE constexpr dma::Run run_at(int run) const { return {run * 64, run * 4, 4}; }
#endif
};

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<Pair, dma::SingleBuffer<Warps>>;

Pipe::Storage storage;
