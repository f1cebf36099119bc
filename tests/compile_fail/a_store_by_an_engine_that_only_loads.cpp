// error: dma::CopyEngine: this engine has no 'store_completion'; add 'static constexpr dma::Completion store_completion = ...;', how its stores complete, or store by dma::RegisterCopy<>

#include <dma/dma.hpp>

struct MovesNothing {
  static constexpr dma::Completion completion = dma::Completion::sync;
  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void load(const Pattern&, const unsigned char*, int, const Slot& slot) {
    slot.wait_until_empty();
  }
};

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 64>;
#if defined(DMA_MISTAKE)
using Moved = dma::Store<Tile>;
#else
using Moved = Tile;
#endif
using Pipe = dma::DmaPipeline<Moved, dma::SingleBuffer<Warps>, dma::CudaBarrier, MovesNothing>;

Pipe::Storage storage;
