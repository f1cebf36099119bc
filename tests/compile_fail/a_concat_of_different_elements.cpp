// error: dma::Concat: its parts have different Elements, and a slot has elements of one type; use patterns of one element, or a pipeline for each

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Other = double;
#else
using Other = float;
#endif

int bytes = dma::Concat<dma::Sequential<float, 64>, dma::Sequential<Other, 64>>::tile_bytes;
