#pragma once

/// Level 3: a slot is released one stage late, so that the products of two are in flight.

#include "tiles.hpp"

#include "../products.hpp"

namespace gemm::levels {

/// The loop of level 2 becomes `sum_products` (products.hpp), which the application's kernel has.
template <int columns = 256>
struct LateRelease {
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
  using Tile = Tiles<64, columns>;
  using Loads =
      dma::DmaPipeline<typename Tile::Stage, dma::MultiBuffer<Layout, 4>, dma::CudaBarrier, dma::TensorCopy<>>;
  struct Shared {
    typename Loads::Storage loads;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<LateRelease>& cta, const typename Tile::Map& map,
                                  const Problem<BFloat16>& p) const {
    Loads loads(cta, cta.template shared<Shared>().loads);
    const Tile tile(p, cta.block().x);
    cta.take_roles(
        [&] {
          dma::MatrixSums<64, columns> sums;
          sum_products(loads.as_compute(), sums, (p.k + Tile::block - 1) / Tile::block);
          tile.write(p, sums);
        },
        [&] {
          for (int at = 0; at < p.k; at += Tile::block) {
            loads.as_dma().load(map, tile.stage(p, at));
          }
        });
  }
};

}  // namespace gemm::levels
