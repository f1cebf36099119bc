// The kernel of README.md as a body, right or with a mistake. Included once for each, in a namespace of its own, where
// MISTAKE is one of these.
#include <dma/dma.hpp>

// clang-format off

#define NO_MISTAKE 0
#define NO_WAIT 1        // of the DMA warp, until a slot is empty
#define NO_RELEASE 2     // of the slots
#define EXTRA_TILE 3     // of the compute warps
#define EARLY_RELEASE 4  // before the tile is read
#define NO_FENCE 5       // between reading a tile and the bulk copy of the next one into its slot

struct Scale {
  using Tile = dma::Sequential<float, 1024>;
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, dma::CudaBarrier, dma::BulkCopy<>>;
  struct Shared { Pipe::Storage storage; };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Scale>& cta, const float* x, float* y, float a, int tiles) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (pipe.is_dma()) {
      auto dma = pipe.as_dma();
      for (int t : cta.tiles(tiles)) {
#if MISTAKE == NO_WAIT
        dma.copy(x + t * Tile::count);
        dma.signal_full();
#else
        dma.load(x + t * Tile::count);
#endif
      }
    } else {
      auto compute = pipe.as_compute();
#if MISTAKE == EXTRA_TILE
      for (int t : cta.tiles(tiles + 1)) {
#else
      for (int t : cta.tiles(tiles)) {
#endif
#if MISTAKE == NO_RELEASE
        auto x4 = dma::vectors(compute.wait_until_full());
#elif MISTAKE == EARLY_RELEASE
        auto x4 = dma::vectors(compute.wait_until_full());
        compute.signal_empty();
        dma::machine::touched(x4, Tile::tile_bytes, dma::machine::Access::read);  // says to a proof what the loop does
#else
        auto tile = compute.wait();
        auto x4 = tile.vectors();
#endif
        auto y4 = dma::vectors(y + t * Tile::count);
        for (int i = compute.rank(); i < Tile::count / 4; i += compute.size()) y4[i] = a * x4[i];
#if MISTAKE == NO_FENCE
        dma::AsyncReads().release(tile);  // is for tiles that tensor cores alone have read
#endif
      }
    }
  }
};
