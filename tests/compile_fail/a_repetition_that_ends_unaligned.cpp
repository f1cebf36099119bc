// error: dma::Repeat: its pattern ends between two multiples of its run_alignment, where the next copy cannot begin; give the pattern a smaller alignment

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Tile = dma::Sequential<float, 7, 16>;
#else
using Tile = dma::Sequential<float, 7, 4>;
#endif

int bytes = dma::Repeat<Tile, 4>::tile_bytes;
