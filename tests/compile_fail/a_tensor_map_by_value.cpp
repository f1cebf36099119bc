// error: dma::launch: the kernel body takes a tensor map by value, and the hardware reads a map where launch has put it; take it by reference: const dma::TensorMap<Pattern>&
#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

using Tile = dma::Tile2D<float, 32, 8>;
using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Map = dma::TensorMap<Tile>;

struct Body {
  using Layout = Warps;
#if defined(DMA_MISTAKE)
  void operator()(dma::KernelCta<Body>& /*cta*/, Map /*map*/, int /*n*/) const {}
#else
  void operator()(dma::KernelCta<Body>& /*cta*/, const Map& /*map*/, int /*n*/) const {}
#endif
};

void run(const Map& map) { dma::host::launch(Body{}, {1}, map, 1); }
