// error: dma::Repeat: its pattern is a composition, whose parts would not be uniform; repeat its parts, and put dma::Concat around them

#include <dma/dma.hpp>

using Row = dma::Sequential<float, 64>;
#if defined(DMA_MISTAKE)
using Rows = dma::Repeat<dma::Concat<Row, Row>, 4>;
#else
using Rows = dma::Concat<dma::Repeat<Row, 4>, dma::Repeat<Row, 4>>;
#endif

int bytes = Rows::tile_bytes;
