// error: dma::TensorCopy: it names an L2 priority of more parts than the pattern has; name one for each part of the dma::Concat (TensorCopyTuning::l2_of_parts), or one for all (CacheHints::l2)

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Box = dma::Tile2D<float, 32, 8>;
using Tile = dma::Concat<Box, Box>;
using enum dma::L2Priority;
#if defined(DMA_MISTAKE)
constexpr dma::TensorCopyTuning tuning{.l2_of_parts = {normal, normal, evict_first}};
#else
constexpr dma::TensorCopyTuning tuning{.l2_of_parts = {normal, evict_first}};
#endif
using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>, dma::CudaBarrier, dma::TensorCopy<tuning>>;

void load(Pipe& pipe, const dma::TensorMap<Tile>& map) { pipe.as_dma().load(map, Tile{}); }
