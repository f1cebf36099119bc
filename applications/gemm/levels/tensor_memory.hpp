#pragma once

/// For sm_100a: products into tensor memory. One warp starts them, the tensor cores' arrivals release the slots, and
/// four warps write the sums. No GPU has run it.

#include "tiles.hpp"

#include <dma/kernel/phase_barrier.hpp>
#include <dma/matrix/descriptor.hpp>
#include <dma/matrix/tensor_memory.hpp>

namespace gemm::levels {

template <int columns = 128, int slots = 4>
struct InTensorMemory {
  /// Who writes C, who starts products, who loads.
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Compute<1>, dma::Dma<1>>;
  using Tile = Tiles<128, columns>;
  using Loads = dma::DmaPipeline<typename Tile::Stage, dma::UsedBy<1, dma::MultiBuffer<Layout, slots>>,
                                 dma::CudaBarrier, dma::TensorCopy<>>;
  using Memory = dma::TensorMemory<(columns <= 32 ? 32 : columns <= 64 ? 64 : columns <= 128 ? 128 : 256)>;
  struct Shared {
    typename Loads::Storage loads;
    typename Memory::Storage memory;
    dma::PhaseBarrier<>::State full;
    dma::PhaseBarrier<>::State empty;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<InTensorMemory>& cta, const typename Tile::Map& map,
                                  const Problem<BFloat16>& p) const {
    auto& shared = cta.template shared<Shared>();
    Loads loads(cta, shared.loads);
    const Memory memory(cta, shared.memory);
    dma::PhaseBarrier<> full(cta, shared.full, 1);
    dma::PhaseBarrier<> empty(cta, shared.empty, 128);
    const auto sums = memory.template sums<columns>();
    const dma::TileRange tiles = cta.tiles(Tile::ctas(p));
    cta.take_roles(
        [&] {
          for (const int number : tiles) {
            full.wait();
            const Tile tile(p, number);
            sums.for_each([&](int row, int column, float sum) { tile.write(p, row, column, sum); });
            empty.arrive();
          }
        },
        [&] {
          const auto in = loads.as_compute();
          const dma::AsyncReads reads;
          bool is_first = true;
          for ([[maybe_unused]] const int number : tiles) {
            if (!is_first) {
              empty.wait();
            }
            is_first = false;
            for (int at = 0; at < p.k; at += Tile::block) {
              auto slot = in.wait();
              dma::multiply_add(sums, dma::matrix_descriptor<dma::Major::k>(slot, dma::part<0>),
                                dma::matrix_descriptor<dma::Major::k>(slot, dma::part<1>), at > 0);
              reads.release_when_read(slot);
            }
            full.arrive_when_multiplied();
          }
        },
        [&] {
          for (const int number : tiles) {
            for (int at = 0; at < p.k; at += Tile::block) {
              loads.as_dma().load(map, Tile(p, number).stage(p, at));
            }
          }
        });
  }
};

}  // namespace gemm::levels
