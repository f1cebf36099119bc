// error: dma::DmaPipeline: its stages need more named barriers than its DMA groups' share of the 15 that a CTA has, two a stage (three where several warps update); use fewer stages, or dma::CudaBarrier

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
inline constexpr int stages = 8;
#else
inline constexpr int stages = 7;
#endif
using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, dma::MultiBuffer<Warps, stages>, dma::NamedBarrier>;

Pipe::Storage storage;
