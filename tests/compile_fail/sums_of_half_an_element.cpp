// error: dma::StoreAdd: an access would end inside an element; align the pattern's runs to its elements

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
constexpr int alignment = 4;
#else
constexpr int alignment = 8;
#endif
using Pipe = dma::DmaPipeline<dma::StoreAdd<dma::Sequential<double, 256, alignment>>, dma::SingleBuffer<Warps>>;

void store(Pipe& pipe, double* destination) { pipe.as_dma().store(destination); }
