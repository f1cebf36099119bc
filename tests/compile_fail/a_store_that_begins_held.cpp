// error: dma::DmaPipeline: dma::cudadma::BeginsHeld is for loads, and slots of a pipeline that stores begin empty with the compute warps, which fill them; leave it out

#include <dma/cudadma/begins_held.hpp>
#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 64>;
#if defined(DMA_MISTAKE)
using Pipe = dma::DmaPipeline<dma::Store<Tile>, dma::cudadma::BeginsHeld<dma::SingleBuffer<Warps>>>;
#else
using Pipe = dma::DmaPipeline<dma::Store<Tile>, dma::SingleBuffer<Warps>>;
#endif

void kernel(Pipe& pipe, float* x) { pipe.as_dma().store(x); }
