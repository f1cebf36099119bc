// error: dma::TransferPattern: this pattern has no const 'size'; add 'constexpr int size() const', the number of elements in the tile

#include <dma/dma.hpp>

struct Pair {
  using Element = float;
  static constexpr int tile_bytes = 8;
  static constexpr int max_run_count = 2;
  static constexpr int max_run_bytes = 4;
  static constexpr int run_alignment = 4;
  DMA_HOST_DEVICE constexpr bool is_full() const { return true; }
#if defined(DMA_MISTAKE)
  DMA_HOST_DEVICE constexpr long long size() const { return 2; }
#else
  DMA_HOST_DEVICE constexpr int size() const { return 2; }
#endif
  DMA_HOST_DEVICE constexpr int run_count() const { return 2; }
  DMA_HOST_DEVICE constexpr dma::Run run_at(int run) const { return {run * 64, run * 4, 4}; }
};

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<dma::Store<Pair>, dma::SingleBuffer<Warps>>;

Pipe::Storage storage;
