#pragma once

/// For sm_100a: products into the tensor memory of two CTAs. Each loads 128 rows of A and half of the columns of B, one
/// warp of the even CTA starts the products of both, and each writes its rows of the sums. No GPU has run it.

#include "tiles.hpp"

#include <dma/kernel/phase_barrier.hpp>
#include <dma/matrix/descriptor.hpp>
#include <dma/matrix/tensor_memory.hpp>
#include <dma/sync/pair_barrier.hpp>

namespace gemm::levels {

template <int columns = 256, int slots = 4>
struct InTensorMemoryOfPairs {
  static constexpr dma::KernelTraits traits{.cluster = 2};
  /// Who writes C, who starts products, who loads.
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Compute<1>, dma::Dma<1>>;
  using Tile = Tiles<256, columns>;      ///< of both CTAs
  using Half = Tiles<128, columns / 2>;  ///< what one loads
  using Loads = dma::DmaPipeline<typename Half::Stage, dma::UsedBy<1, dma::MultiBuffer<Layout, slots>>,
                                 dma::PairBarrier, dma::TensorCopy<>>;
  using Memory = dma::TensorMemory<(columns <= 32 ? 32 : columns <= 64 ? 64 : columns <= 128 ? 128 : 256), 2>;
  using Barrier = dma::PhaseBarrier<dma::Scope::cluster>;
  struct Shared {
    typename Loads::Storage loads;
    typename Memory::Storage memory;
    typename Barrier::State full;
    typename Barrier::State empty;  ///< of the even CTA
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<InTensorMemoryOfPairs>& cta, const typename Half::Map& map,
                                  const Problem<BFloat16>& p) const {
    auto& shared = cta.template shared<Shared>();
    Loads loads(cta, shared.loads);
    const Memory memory(cta, shared.memory);
    Barrier full(cta, shared.full, 1);
    Barrier empty(cta, shared.empty, 256);
    const auto sums = memory.template sums<columns>();
    const int rank = cta.cluster_rank();
    const dma::TileRange tiles{cta.block().x / 2, Tile::ctas(p), cta.blocks().x / 2};
    cta.take_roles(
        [&] {
          for (const int number : tiles) {
            full.wait();
            const Tile tile(p, number);
            sums.for_each([&](int row, int column, float sum) { tile.write(p, 128 * rank + row, column, sum); });
            empty.arrive_at(0);
          }
        },
        [&] {
          const auto in = loads.as_compute();
          const dma::AsyncReads reads;
          bool is_first = true;
          for ([[maybe_unused]] const int number : tiles) {
            if (!is_first && rank == 0) {
              empty.wait();
            }
            is_first = false;
            for (int at = 0; at < p.k; at += Tile::block) {
              auto slot = in.wait();
              dma::multiply_add(sums, dma::matrix_descriptor<dma::Major::k>(slot, dma::part<0>),
                                dma::matrix_descriptor<dma::Major::k>(slot, dma::part<1>), at > 0);
              reads.release_when_read(slot);
            }
            full.template arrive_when_multiplied<2>();
          }
        },
        [&] {
          for (const int number : tiles) {
            const Tile tile(p, number);
            for (int at = 0; at < p.k; at += Tile::block) {
              loads.as_dma().load(map, typename Half::Stage{Half::of_a(p, tile.row + 128 * rank, at),
                                                            Half::of_b(p, tile.column + columns / 2 * rank, at)});
            }
          }
        });
  }
};

}  // namespace gemm::levels
