// error: dma::Slot: a vector is larger than the tile_alignment of the pattern's traits, so that an access would be misaligned; name a smaller size, as in tile.template vectors<1>(), or raise the alignment

#include <dma/dma.hpp>

struct Halves : dma::Sequential<float, 64, 8> {
  static constexpr dma::PatternTraits traits{.runs_are_uniform = true, .tile_alignment = 8};
};
using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<Halves, dma::SingleBuffer<Warps>>;

float first_of(Pipe& pipe) {
  const auto tile = pipe.as_compute().wait();
#if defined(DMA_MISTAKE)
  return tile.vectors<4>()[0][0];
#else
  return tile.vectors<2>()[0][0];
#endif
}
