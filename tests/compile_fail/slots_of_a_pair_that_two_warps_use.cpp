// error: dma::PairBarrier: products of a pair release a slot by one arrival, and several warps use it; name the one that starts them: dma::UsedBy<Group, Buffering>
#include <dma/dma.hpp>
#include <dma/sync/pair_barrier.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Compute<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
using Buffering = dma::MultiBuffer<Warps, 2>;
#else
using Buffering = dma::UsedBy<1, dma::MultiBuffer<Warps, 2>>;
#endif
using Pipe = dma::DmaPipeline<dma::Tile2D<float, 32, 8>, Buffering, dma::PairBarrier, dma::TensorCopy<>>;

void open(const dma::Cta& cta, Pipe::Storage& storage) { Pipe pipe(cta, storage); }
