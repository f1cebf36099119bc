// error: dma::Paged: the tile's rows are no multiple of those of a box, which never crosses a page; make box_rows a divisor of rows and of a page's rows
#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Tile = dma::Paged<float, dma::PagedShape{.cols = 32, .rows = 24, .box_rows = 16}>;
#else
using Tile = dma::Paged<float, dma::PagedShape{.cols = 32, .rows = 24, .box_rows = 8}>;
#endif

static_assert(Tile{}.is_full());
