// error: dma::cudadma::start_load: this pipeline stores, and a store waits for its slot first; call store()

#include <dma/cudadma/started_load.hpp>
#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 64>;
#if defined(DMA_MISTAKE)
using Pattern = dma::Store<Tile>;
#else
using Pattern = Tile;
#endif
using Pipe = dma::DmaPipeline<Pattern, dma::SingleBuffer<Warps>, dma::CudaBarrier, dma::RegisterCopy<>>;

void kernel(Pipe& pipe, float* x) {
  auto started = dma::cudadma::start_load(pipe.as_dma(), x);
  started.finish();
}
