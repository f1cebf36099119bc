// error: dma::DmaPipeline: this engine does not declare that it fills (EngineTraits::can_fill), so padding elements of the tile would keep old bytes; call dma::fill_outside in its load, or use dma::RegisterCopy<>

#include <dma/dma.hpp>

struct MovesNothing {
  static constexpr dma::Completion completion = dma::Completion::sync;
  static constexpr dma::Completion store_completion = dma::Completion::sync;
  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void load(const Pattern&, const unsigned char*, int, const Slot& slot) {
    slot.wait_until_empty();
  }
  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void store(const Pattern&, unsigned char*, int, const Slot& slot) {
    slot.wait_until_full();
  }
};

#if defined(DMA_MISTAKE)
using Tile = dma::Tile2D<float, 8, 8>;
#else
using Tile = dma::Strided<float, 8, 8>;
#endif
using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>, dma::CudaBarrier, MovesNothing>;

Pipe::Storage storage;
