// error: dma::DmaHandle: a dma::Strided begins at its address, and the address of a view is that of its row 0; pass that of the tile's first element, &view(row, 0), or use a dma::Tile2D, which has a place
#include <dma/dma.hpp>

struct View {
  const float* data_handle() const { return first; }
  int extent(int) const { return 64; }
  long long stride(int axis) const { return axis == 0 ? 64 : 1; }
  const float& operator()(int row, int col) const { return first[row * 64 + col]; }

  const float* first;
};

using Rows = dma::Strided<float, 32, 8>;
using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<Rows, dma::SingleBuffer<Warps>>;

#if defined(DMA_MISTAKE)
void load(Pipe& pipe, const View& view, int row) { pipe.as_dma().load(view, Rows::at(view, row)); }
#else
void load(Pipe& pipe, const View& view, int row) { pipe.as_dma().load(&view(row, 0), Rows::at(view, row)); }
#endif
