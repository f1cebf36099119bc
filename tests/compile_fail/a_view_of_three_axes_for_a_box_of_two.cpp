// error: dma: at() takes a view with as many axes as the tile; pass a part of the view that has so many
#include <dma/dma.hpp>

template <int Rank>
struct View {
  static constexpr int rank() { return Rank; }
  constexpr int extent(int) const { return 64; }
  constexpr long long stride(int axis) const { return axis == Rank - 1 ? 1 : 64; }
};

#if defined(DMA_MISTAKE)
long long pitch = dma::Tile2D<float, 32, 8>::at(View<3>{}, 0, 0).pitch_bytes;
#else
long long pitch = dma::Tile2D<float, 32, 8>::at(View<2>{}, 0, 0).pitch_bytes;
#endif
