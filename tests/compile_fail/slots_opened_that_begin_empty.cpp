// error: dma::ComputeHandle: the slots of this pipeline begin empty, with the DMA warps; put dma::BeginsHeld<...> around its buffering

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 64>;
#if defined(DMA_MISTAKE)
using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>>;
#else
using Pipe = dma::DmaPipeline<Tile, dma::BeginsHeld<dma::SingleBuffer<Warps>>>;
#endif

void kernel(Pipe& pipe) {
  pipe.as_compute().open_slots([](auto& slot) { slot[0] = 0; });
}
