// error: dma::StoreAdd: the memory instructions add int, unsigned, float, double, integers of 8 bytes, __half and __nv_bfloat16; convert the tile's elements to one of these, or use dma::Store

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
using Element = short;
#else
using Element = int;
#endif
using Pipe = dma::DmaPipeline<dma::StoreAdd<dma::Sequential<Element, 256>>, dma::SingleBuffer<Warps>>;

void store(Pipe& pipe, Element* destination) { pipe.as_dma().store(destination); }
