#include <dma/dma.hpp>
#include <dma/host/launch.hpp>
#include <dma/proof/prove.hpp>

#include <vector>

struct Copy {
  using Tile = dma::Sequential<float, 64>;
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Copy>& cta, const float* x, float* y, int tiles) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        {.last = tiles}, [&](const auto& dma, int t) { dma.load(x + t * Tile::count); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            y[t * Tile::count + i] = tile[i];
          }
        });
  }
};

int main() {
  constexpr int tiles = 3;
  const std::vector<float> x(tiles * 64, 3.0F);
  std::vector<float> y(x.size());
  dma::host::launch(Copy{}, {1}, x.data(), y.data(), tiles);
  if (y != x) {
    return 1;
  }
  const auto verdict = dma::proof::prove({.inputs = {dma::proof::input(x)}, .outputs = {dma::proof::output(y)}}, Copy{},
                                         {1}, x.data(), y.data(), tiles);
  return verdict.is_proved() ? 0 : 2;
}
