// error: dma: at() takes a view whose last stride is 1, since rows move as bytes, and this view's layout has another; use a row-major layout, or exchange the axes of view and tile
#include <dma/dma.hpp>

/// A matrix of 64 columns as a view: `mapping_type` tells the strides, as that of an mdspan does.
struct View {
  struct mapping_type {
#if defined(DMA_MISTAKE)
    constexpr long long stride(int axis) const { return axis == 0 ? 1 : 64; }
#else
    constexpr long long stride(int axis) const { return axis == 0 ? 64 : 1; }
#endif
  };
  constexpr int extent(int) const { return 64; }
  constexpr long long stride(int axis) const { return mapping_type{}.stride(axis); }
};

long long pitch = dma::Tile2D<float, 32, 8>::at(View{}, 0, 0).pitch_bytes;
