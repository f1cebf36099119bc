#pragma once

/// Level 4: two warpgroups share B, in tiles of 128 x 256.
///
/// What follows is the application's kernel (../kernel.hpp): C through slots and a DMA warp, and tiles in bands.

#include "tiles.hpp"

#include "../products.hpp"

namespace gemm::levels {

/// Each group of four warps multiplies 64 rows of A with all of B; `group()` is a number that the compiler knows to be
/// uniform.
template <int columns = 256>
struct TwoWarpgroups {
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Compute<4>, dma::Dma<1>>;
  using Tile = Tiles<128, columns>;
  using Loads =
      dma::DmaPipeline<typename Tile::Stage, dma::MultiBuffer<Layout, 4>, dma::CudaBarrier, dma::TensorCopy<>>;
  struct Shared {
    typename Loads::Storage loads;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<TwoWarpgroups>& cta, const typename Tile::Map& map,
                                  const Problem<BFloat16>& p) const {
    Loads loads(cta, cta.template shared<Shared>().loads);
    const Tile tile(p, cta.block().x);
    cta.take_roles(
        [&] {
          const auto in = loads.as_compute();
          dma::MatrixSums<64, columns> sums;
          sum_products(in, sums, (p.k + Tile::block - 1) / Tile::block);
          tile.write(p, sums, 64 * in.group());
        },
        [&] {
          for (int at = 0; at < p.k; at += Tile::block) {
            loads.as_dma().load(map, tile.stage(p, at));
          }
        });
  }
};

}  // namespace gemm::levels
