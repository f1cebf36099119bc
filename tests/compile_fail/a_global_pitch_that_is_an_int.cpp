// error: dma::TransferPattern: this pattern's 'global_pitch_bytes()' is not of the form that engines use; declare it 'constexpr long long global_pitch_bytes() const', negative where runs go backwards, and set runs_are_uniform of the pattern's traits

#include <dma/dma.hpp>

struct Backwards {
  using Element = float;
  static constexpr int tile_bytes = 8;
  static constexpr int max_run_count = 2;
  static constexpr int max_run_bytes = 4;
  static constexpr int run_alignment = 4;
  static constexpr int shared_pitch_bytes = 4;
  static constexpr dma::PatternTraits traits{.runs_are_uniform = true};
  DMA_HOST_DEVICE constexpr bool is_full() const { return true; }
  DMA_HOST_DEVICE constexpr int size() const { return 2; }
  DMA_HOST_DEVICE constexpr int run_count() const { return 2; }
  DMA_HOST_DEVICE constexpr dma::Run run_at(int run) const { return {run * -64, run * 4, 4}; }
#if defined(DMA_MISTAKE)
  DMA_HOST_DEVICE constexpr int global_pitch_bytes() const { return -64; }
#else
  DMA_HOST_DEVICE constexpr long long global_pitch_bytes() const { return -64; }
#endif
};

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<Backwards, dma::SingleBuffer<Warps>>;

Pipe::Storage storage;
