// error: dma::DmaPipeline: this pattern declares runs_are_uniform or pitches and its runs differ; remove these, or make every run max_run_bytes long and one pitch after the one before

#include <dma/dma.hpp>

struct Pair {
  using Element = float;
  static constexpr int tile_bytes = 24;
  static constexpr int max_run_count = 2;
  static constexpr int max_run_bytes = 16;
  static constexpr int run_alignment = 4;
#if defined(DMA_MISTAKE)
  static constexpr dma::PatternTraits traits{.runs_are_uniform = true};
#endif

  DMA_HOST_DEVICE constexpr bool is_full() const { return true; }
  DMA_HOST_DEVICE constexpr int size() const { return 6; }
  DMA_HOST_DEVICE constexpr int run_count() const { return 2; }
  DMA_HOST_DEVICE constexpr dma::Run run_at(int run) const { return {run * 64, run * 8, run == 0 ? 8 : 16}; }
};

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<Pair, dma::SingleBuffer<Warps>>;

Pipe::Storage storage;
