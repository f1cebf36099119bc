// error: dma::DmaPipeline: its stages need more named barriers than its DMA groups' share of the 15 that a CTA has, two a stage (three where several warps update); use fewer stages, or dma::CudaBarrier

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
inline constexpr int stages = 4;  // enough for one pipeline, but the other group has half of the barriers
#else
inline constexpr int stages = 3;
#endif
using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, dma::MultiBuffer<Warps, stages, dma::DmaGroups{.first = 1}>,
                              dma::NamedBarrier>;

Pipe::Storage storage;
