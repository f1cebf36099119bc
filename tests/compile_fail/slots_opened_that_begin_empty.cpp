// error: dma::cudadma::open_slots: the slots of this pipeline begin empty, with the DMA warps; put dma::cudadma::BeginsHeld<...> around its buffering

#include <dma/cudadma/begins_held.hpp>
#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 64>;
#if defined(DMA_MISTAKE)
using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>>;
#else
using Pipe = dma::DmaPipeline<Tile, dma::cudadma::BeginsHeld<dma::SingleBuffer<Warps>>>;
#endif

void kernel(Pipe& pipe) {
  dma::cudadma::open_slots(pipe.as_compute(), [](auto& slot) { slot[0] = 0; });
}
