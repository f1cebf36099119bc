#pragma once

#include <dma/dma.hpp>

/// values[index] of an array that stays in registers, where data say the index.
template <int Count, class T>
DMA_HOST_DEVICE T pick(const T (&values)[Count], int index) {
  T picked = values[0];
  dma::unrolled<Count>([&](auto k) { picked = k == index ? values[k] : picked; });
  return picked;
}

/// y = p(x), a polynomial of up to 8 coefficients in an array of the body.
///
/// @tparam IsUnrolled  whether constants index the array, so that it stays in registers
template <bool IsUnrolled>
struct Polynomial {
  static constexpr int terms = 8;
  using Tile = dma::Sequential<float, 2048>;
  using Layout = dma::WarpLayout<dma::Compute<8>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout>>;
  struct Shared { typename Pipe::Storage storage; };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Polynomial>& cta, const float* x, float* y, const float* p,
                                  int degree, int tiles) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    float coefficients[terms];
    dma::unrolled<terms>([&](auto k) { coefficients[k] = p[k]; });
    pipe.for_each_tile(cta.tiles(tiles),
        [&](const auto& dma, int t) { dma.load(x + t * Tile::count); },
        [&](const auto& compute, int t) {
          auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            float sum = 0;
            if constexpr (IsUnrolled) {
              dma::unrolled<terms>([&](auto k) {
                if (terms - 1 - k <= degree) sum = sum * tile[i] + coefficients[terms - 1 - k];
              });
            } else {
              for (int k = degree; k >= 0; --k) sum = sum * tile[i] + coefficients[k];
            }
            y[t * Tile::count + i] = sum;
          }
        });
  }
};
