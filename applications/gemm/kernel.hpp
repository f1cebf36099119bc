#pragma once

/// The kernel: two warpgroups multiply, one warp loads tiles of A and B, and one stores C.

#include "partial_sums.hpp"
#include "plan.hpp"
#include "priorities.hpp"
#include "problem.hpp"
#include "products.hpp"
#include "results.hpp"

#include <dma/dma.hpp>
#include <dma/matrix/sums.hpp>

namespace gemm {

/// Tiles of C, whose operands pass through `stages` slots, a block of k each.
template <class Type, TileShape tile, int stages = stages_of(tile)>
struct Gemm {
  using Element = Type;
  static constexpr TileShape shape = tile;
  static constexpr int rows = tile.rows;
  static constexpr int columns = tile.columns;
  static constexpr int parts = parts_of(tile);  ///< of the results, a slot each
  using OneGroup = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>, dma::Dma<1>>;
  using TwoGroups = dma::WarpLayout<dma::Compute<4>, dma::Compute<4>, dma::Dma<1>, dma::Dma<1>>;
  using Layout = dma::stdlib::conditional_t<rows == 64, OneGroup, TwoGroups>;
  using TileOfA = dma::Tile2D<Element, block, rows, swizzled>;
  using TileOfB = dma::Tile2D<Element, block, columns, swizzled>;
  using Stage = dma::Concat<TileOfA, TileOfB>;
  using TileOfC = typename Results<Element, tile>::Tile;
  using Loads = dma::DmaPipeline<Stage, dma::MultiBuffer<Layout, stages>, dma::CudaBarrier,
                                 dma::TensorCopy<tuning_of_loads(tile)>>;
  using Stores =
      dma::DmaPipeline<dma::Store<TileOfC>,
                       dma::MultiBuffer<Layout, slots_of(tile, stages), dma::DmaGroups{.first = 1}>, dma::CudaBarrier,
                       dma::TensorCopy<dma::TensorCopyTuning{.cache = {.l2 = priority_of_c(tile)}}>>;

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
    return {p.ldc * 2, tile.is_transposed ? p.n : p.m, tile.is_transposed ? p.m : p.n, row, column};
  }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Gemm>& cta, const Maps& maps, const Problem<Element>& p,
                                  const Plan& plan, const Workspace& workspace) const {
    auto& shared = cta.template shared<Shared>();
    Loads loads(cta, shared.loads);
    Stores stores(cta, shared.stores);
    const Pieces pieces(plan, cta.block().x);
    cta.trigger_dependent_launch();
    cta.grid_dependency_wait();
    cta.take_roles(
        [&] {
          const auto in = loads.as_compute();
          const auto out = stores.as_compute();
          dma::MatrixSums<64, columns> sums;
          pieces.for_each([&](const Piece& piece) {
            sum_products(in, sums, piece.last - piece.first);
            const Results<Element, tile> results(p, piece.row + 64 * in.group(), piece.column);
            if (parts > 0 && plan.is_whole(piece)) {
              results.store(sums, out, in.group());
            } else if (plan.is_whole(piece) ||
                       add_parts(in, sums, plan, piece, p.m, workspace, cta.block().x, shared.arrivals)) {
              results.write(sums);
            }
          });
        },
        [&] {
          const auto dma = loads.as_dma();
          pieces.for_each([&](const Piece& piece) {
            for (int at = piece.first; at < piece.last; ++at) {
              dma.load(maps.in, Stage{tile_of_a(p, piece.row, at * block), tile_of_b(p, piece.column, at * block)});
            }
          });
        },
        [&] {
          const auto dma = stores.as_dma();
          pieces.for_each([&](const Piece& piece) {
            for (int part = 0; part < parts && plan.is_whole(piece); ++part) {
              dma.store(maps.out, tile_of_c(p, piece.row, piece.column + column_of_part(tile, part)));
            }
          });
        });
  }
};

}  // namespace gemm
