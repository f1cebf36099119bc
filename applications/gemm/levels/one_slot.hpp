#pragma once

/// Level 1: one warpgroup, tiles of 64 x 256, one slot.

#include "tiles.hpp"

#include <dma/matrix/descriptor.hpp>
#include <dma/matrix/multiply_add.hpp>

namespace gemm::levels {

/// @tparam slots  level 2 has four
template <int columns = 256, int slots = 1>
struct OneSlot {
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
  using Tile = Tiles<64, columns>;
  using Loads =
      dma::DmaPipeline<typename Tile::Stage, dma::MultiBuffer<Layout, slots>, dma::CudaBarrier, dma::TensorCopy<>>;
  struct Shared {
    typename Loads::Storage loads;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<OneSlot>& cta, const typename Tile::Map& map,
                                  const Problem<BFloat16>& p) const {
    Loads loads(cta, cta.template shared<Shared>().loads);
    const Tile tile(p, cta.block().x);
    cta.take_roles(
        [&] {
          const auto in = loads.as_compute();
          const dma::AsyncReads reads;
          dma::MatrixSums<64, columns> sums;
          for (int at = 0; at < p.k; at += Tile::block) {
            const auto slot = in.wait();
            dma::multiply_add(sums, dma::matrix_descriptor<dma::Major::k>(slot, dma::part<0>),
                              dma::matrix_descriptor<dma::Major::k>(slot, dma::part<1>), at > 0);
            reads.commit(slot);
            reads.wait<0>(sums);  // the tensor cores have read the slot, which ends here
          }
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
