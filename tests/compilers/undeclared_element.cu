// A pattern of a type that is not declared: nvcc's error names the type, and nothing of the library follows.
#include <dma/dma.hpp>

struct Scale {
  using Tile = dma::Sequential<Undeclared, 1024>;
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Scale>& cta, const float* x, float* y, int tiles) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        cta.tiles(tiles), [&](const auto& dma, int t) { dma.load(x + t * Tile::count, Tile{7}); },
        [&](const auto& compute, int t) {
          auto tile = compute.wait(Tile{7});
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            y[t * Tile::count + i] = 2 * tile[i];
          }
        });
  }
};

void scale(const float* x, float* y) { dma::launch(Scale{}, {1}, cudaStream_t{}, x, y, 4); }
