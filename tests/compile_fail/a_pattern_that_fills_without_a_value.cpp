// error: dma::TransferPattern: this pattern has some of 'count', 'place_of(int)', 'is_padding(int)' and 'fill_value()' and engines fill padding by all four (dma::PaddedPattern); add the others

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
  DMA_HOST_DEVICE constexpr dma::Run run_at(int run) const { return {run * 64, run * 4, 4}; }
#if defined(DMA_MISTAKE)
  DMA_HOST_DEVICE constexpr float fill() const { return 0; }
#else
  DMA_HOST_DEVICE constexpr float fill_value() const { return 0; }
#endif
  static constexpr int count = 2;
  DMA_HOST_DEVICE static constexpr int place_of(int element) { return element; }
  DMA_HOST_DEVICE constexpr bool is_padding(int) const { return false; }
};

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<Pair, dma::SingleBuffer<Warps>>;

Pipe::Storage storage;
