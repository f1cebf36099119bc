// error: dma::CopyEngine: this engine has no 'store_completion'; add 'static constexpr dma::Completion store_completion = ...;', how its stores complete, or store by dma::RegisterCopy<>

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 64>;

/// Its loads are those of the registers' engine.
struct LoadsOnly {
  static constexpr dma::Completion completion = dma::Completion::sync;
  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void load(const Pattern& pattern, const unsigned char* source, int thread, const Slot& slot) {
    dma::RegisterCopy<>::load<Pattern, Threads>(pattern, source, thread, slot);
  }
};

#if defined(DMA_MISTAKE)
using Pattern = dma::Update<Tile>;
#else
using Pattern = Tile;
#endif
using Pipe = dma::DmaPipeline<Pattern, dma::MultiBuffer<Warps, 3>, dma::CudaBarrier, LoadsOnly>;

void kernel(Pipe& pipe, float* x) { pipe.as_dma().load(x); }
