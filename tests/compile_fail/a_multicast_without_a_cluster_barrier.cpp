// error: dma::DmaPipeline: this engine loads for several CTAs of a cluster (multicast), and its barrier does not wait for the consumers of all of them; use dma::ClusterBarrier<Ctas> with the same number

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Part = dma::Tile2D<float, 32, 8>;
using Engine = dma::TensorCopy<dma::TensorCopyTuning{.multicast = 2}>;
#if defined(DMA_MISTAKE)
using Barrier = dma::CudaBarrier;
#else
using Barrier = dma::ClusterBarrier<2>;
#endif
using Pipe = dma::DmaPipeline<dma::Concat<Part, Part>, dma::SingleBuffer<Warps>, Barrier, Engine>;

Pipe::Storage storage;
