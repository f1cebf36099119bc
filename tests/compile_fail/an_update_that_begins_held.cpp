// error: dma::DmaPipeline: dma::cudadma::BeginsHeld is for loads, and slots of a dma::Update begin empty with the DMA warps; leave it out

#include <dma/cudadma/begins_held.hpp>
#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 64>;
#if defined(DMA_MISTAKE)
using Buffering = dma::cudadma::BeginsHeld<dma::MultiBuffer<Warps, 3>>;
#else
using Buffering = dma::MultiBuffer<Warps, 3>;
#endif
using Pipe = dma::DmaPipeline<dma::Update<Tile>, Buffering>;

void kernel(Pipe& pipe, float* x) { pipe.as_dma().load(x); }
