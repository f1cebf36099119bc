#pragma once

/// The kernel: two warpgroups multiply, one warp loads tiles of A and B, and one stores C.

#include "partial_sums.hpp"
#include "plan.hpp"
#include "problem.hpp"
#include "results.hpp"

#include <dma/dma.hpp>
#include <dma/matrix/descriptor.hpp>
#include <dma/matrix/multiply_add.hpp>
#include <dma/matrix/sums.hpp>

namespace gemm {

/// As many as fit into shared memory beside the two slots of the pipeline that stores, 128 bytes of each row.
[[nodiscard]] consteval int stages_of(TileShape tile) {
  return (225 * 1024 - 2 * 128 * tile.rows) / (2 * block * (tile.rows + tile.columns));
}

/// Tiles of C, whose operands pass through `stages` slots, a block of k each.
template <class Type, TileShape tile, int stages = stages_of(tile)>
struct Gemm {
  using Element = Type;
  static constexpr int rows = tile.rows;
  static constexpr int columns = tile.columns;
  using OneGroup = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>, dma::Dma<1>>;
  using TwoGroups = dma::WarpLayout<dma::Compute<4>, dma::Compute<4>, dma::Dma<1>, dma::Dma<1>>;
  using Layout = dma::stdlib::conditional_t<rows == 64, OneGroup, TwoGroups>;
  using TileOfA = dma::Tile2D<Element, block, rows, swizzled>;
  using TileOfB = dma::Tile2D<Element, block, columns, swizzled>;
  using Stage = dma::Concat<TileOfA, TileOfB>;
  using TileOfC = typename Results<Element, rows>::Tile;
  using Loads = dma::DmaPipeline<Stage, dma::MultiBuffer<Layout, stages>, dma::CudaBarrier, dma::TensorCopy<>>;
  using Stores =
      dma::DmaPipeline<dma::Store<TileOfC>, dma::MultiBuffer<Layout, 2, 1, 1>, dma::CudaBarrier, dma::TensorCopy<>>;

  static constexpr dma::KernelTraits traits{.programmatic_launch = true};

  struct Shared {
    typename Loads::Storage loads;
    typename Stores::Storage stores;
    dma::ArrivalCounter arrivals;
  };
  struct Maps {
    dma::TensorMap<Stage> in;
    dma::TensorMap<TileOfC> out;
  };

  /// The tiles from an element of C and a k on.
  [[nodiscard]] DMA_HOST_DEVICE static TileOfA tile_of_a(const Problem<Element>& p, int row = 0, int at = 0) {
    return {p.lda * 2, p.m, p.k, row, at};
  }
  [[nodiscard]] DMA_HOST_DEVICE static TileOfB tile_of_b(const Problem<Element>& p, int column = 0, int at = 0) {
    return {p.ldb * 2, p.n, p.k, column, at};
  }
  [[nodiscard]] DMA_HOST_DEVICE static TileOfC tile_of_c(const Problem<Element>& p, int row = 0, int column = 0) {
    return {p.ldc * 2, p.m, p.n, row, column};
  }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Gemm>& cta, const Maps& maps, const Problem<Element>& p,
                                  const Plan& plan, const Workspace& workspace) const {
    auto& shared = cta.template shared<Shared>();
    Loads loads(cta, shared.loads);
    Stores stores(cta, shared.stores);
    cta.trigger_dependent_launch();
    cta.grid_dependency_wait();
    const Pieces pieces(plan, cta.block().x);
    cta.take_roles(
        [&] {
          const auto in = loads.as_compute();
          const auto out = stores.as_compute();
          const int group = in.group();
          dma::MatrixSums<64, columns> sums;
          const dma::AsyncReads reads;
          const auto multiply = [&](const auto& slot, bool adds) {
            dma::multiply_add(sums, dma::matrix_descriptor<dma::Major::k>(slot, dma::part<0>, 64 * group),
                              dma::matrix_descriptor<dma::Major::k>(slot, dma::part<1>), adds);
            reads.commit(slot);
          };
          for (const Piece piece : pieces) {
            auto held = in.wait();
            multiply(held, false);
            for (int at = piece.first + 1; at < piece.last; ++at) {
              auto slot = in.wait();
              multiply(slot, true);
              reads.wait<1>();
              held = std::move(slot);  // releases the block before, which has been read
            }
            reads.wait<0>(sums);
            held.release();
            const Results<Element, rows> results(p, piece.row + 64 * group, piece.column);
            if (plan.is_whole(piece)) {
              results.store(sums, out, group);
            } else if (add_parts(in, sums, plan, piece, p.m, workspace, cta.block().x, shared.arrivals)) {
              results.write(sums);
            }
          }
        },
        [&] {
          const auto dma = loads.as_dma();
          for (const Piece piece : pieces) {
            for (int at = piece.first; at < piece.last; ++at) {
              dma.load(maps.in, Stage{tile_of_a(p, piece.row, at * block), tile_of_b(p, piece.column, at * block)});
            }
          }
        },
        [&] {
          const auto dma = stores.as_dma();
          for (const Piece piece : pieces) {
            for (int at = 0; at < columns && plan.is_whole(piece); at += store_columns) {
              dma.store(maps.out, tile_of_c(p, piece.row, piece.column + at));
            }
          }
        });
  }
};

}  // namespace gemm
