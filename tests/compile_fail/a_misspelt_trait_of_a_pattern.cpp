// error: 'const dma::PatternTraits' has no non-static data member named 'run_is_uniform'
// clang: field designator 'run_is_uniform' does not refer to any field in type 'const dma::PatternTraits'
// nvcc: class "dma::PatternTraits" has no field "run_is_uniform"
// fix: write the member as dma::PatternTraits declares it: runs_are_uniform, is_indexed or tile_alignment

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
  static constexpr dma::PatternTraits traits{.run_is_uniform = true};
#else
  static constexpr dma::PatternTraits traits{.runs_are_uniform = true};
#endif
};

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<Pair, dma::SingleBuffer<Warps>>;

Pipe::Storage storage;
