#pragma once

/// The kernel of clusters: CTAs that need the same tile of A or of B each load a part of it for all of them
/// (multicast).

#include "partial_sums.hpp"
#include "plan.hpp"
#include "priorities.hpp"
#include "problem.hpp"
#include "results.hpp"

#include <dma/dma.hpp>
#include <dma/matrix/descriptor.hpp>
#include <dma/matrix/multiply_add.hpp>
#include <dma/matrix/sums.hpp>

#include <utility>

namespace gemm {

/// A tile of `rows` rows of an operand as equal parts, one for each CTA that needs it.
template <class Element, int rows, class Parts>
struct TileInParts;
template <class Element, int rows, int... Parts>
struct TileInParts<Element, rows, dma::stdlib::integer_sequence<int, Parts...>> {
  static constexpr int ctas = sizeof...(Parts);
  static constexpr int rows_of_part = rows / ctas;
  template <int>
  using Part = dma::Tile2D<Element, block, rows_of_part, swizzled>;
  using Pattern = dma::Concat<Part<Parts>...>;
  using Whole = dma::Tile2D<Element, block, rows, swizzled>;  ///< what the parts are together

  /// From element (`row`, `at`) of a matrix on, whose rows are `distance` elements apart.
  [[nodiscard]] DMA_HOST_DEVICE static Pattern tile_of(long long distance, int matrix_rows, int matrix_columns, int row,
                                                       int at) {
    return Pattern{Part<Parts>{distance * 2, matrix_rows, matrix_columns, row + Parts * rows_of_part, at}...};
  }
};
template <class Element, int rows, int ctas>
using SharedTile = TileInParts<Element, rows, dma::stdlib::make_integer_sequence<int, ctas>>;

template <bool is_first, class First, class Second>
[[nodiscard]] DMA_HOST_DEVICE const auto& first_if(const First& first, const Second& second) {
  if constexpr (is_first) {
    return first;
  } else {
    return second;
  }
}

/// `sum_products` with slots of A and B of their own, which hold tiles of patterns `A` and `B`.
template <class A, class B, class SlotsOfA, class SlotsOfB, int columns>
DMA_HOST_DEVICE void sum_products(const SlotsOfA& of_a, const SlotsOfB& of_b, dma::MatrixSums<64, columns>& sums,
                                  int blocks) {
  const int group = of_a.group();
  const dma::AsyncReads reads;
  const auto multiply = [&](const auto& a, const auto& b, bool adds) {
    dma::multiply_add(sums, dma::matrix_descriptor<dma::Major::k, A>(a.address(), 64 * group),
                      dma::matrix_descriptor<dma::Major::k, B>(b.address()), adds);
    reads.commit(a, b);
  };
  auto held_a = of_a.wait();
  auto held_b = of_b.wait();
  multiply(held_a, held_b, false);
  for (int at = 1; at < blocks; ++at) {
    auto a = of_a.wait();
    auto b = of_b.wait();
    multiply(a, b, true);
    reads.wait<1>();
    reads.release(held_a);
    reads.release(held_b);
    held_a = std::move(a);
    held_b = std::move(b);
  }
  reads.wait<0>(sums);
  reads.release(held_a);
  reads.release(held_b);
}

/// Tiles of C, one each for the CTAs of a cluster, which share A (`tile.across` of them) or B (`tile.down`).
template <class Type, TileShape tile, int stages = stages_of(tile)>
struct ClusterGemm {
  using Element = Type;
  static constexpr TileShape shape = tile;
  static constexpr int rows = tile.rows;
  static constexpr int columns = tile.columns;
  static constexpr int parts = parts_of(tile);  ///< of the results, a slot each
  static_assert(rows == 128 && (tile.down == 1 || tile.across == 1), "a multicast is for all CTAs of the cluster");
  /// The operand that is shared has two DMA warps, which take turns: each waits for the other CTAs before it loads.
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Compute<4>, dma::Dma<1>, dma::Dma<1>, dma::Dma<1>, dma::Dma<1>>;
  using TileOfA = SharedTile<Element, rows, tile.across>;
  using TileOfB = SharedTile<Element, columns, tile.down>;
  using TileOfC = typename Results<Element, tile>::Tile;
  template <class Tile, int groups, int first, dma::L2Priority priority>
  using Loads =
      dma::DmaPipeline<typename Tile::Pattern,
                       dma::MultiBuffer<Layout, stages, dma::DmaGroups{.first = first, .count = groups}>,
                       dma::stdlib::conditional_t<Tile::ctas == 1, dma::CudaBarrier, dma::ClusterBarrier<Tile::ctas>>,
                       dma::TensorCopy<dma::TensorCopyTuning{.cache = {.l2 = priority}, .multicast = Tile::ctas}>>;
  using LoadsOfA = Loads<TileOfA, (tile.across > 1 ? 2 : 1), 0, tuning_of_loads(tile).l2_of_parts.first>;
  using LoadsOfB =
      Loads<TileOfB, (tile.down > 1 ? 2 : 1), (tile.down > 1 ? 1 : 2), tuning_of_loads(tile).l2_of_parts.second>;
  using Stores = dma::DmaPipeline<dma::Store<TileOfC>,
                                  dma::MultiBuffer<Layout, slots_of(tile, stages), dma::DmaGroups{.first = 3}>,
                                  dma::CudaBarrier, dma::TensorCopy<>>;

  static constexpr dma::KernelTraits traits{.programmatic_launch = true, .cluster = tile.ctas()};

  struct Shared {
    typename LoadsOfA::Storage a;
    typename LoadsOfB::Storage b;
    typename Stores::Storage stores;
  };
  struct Maps {
    dma::TensorMap<typename TileOfA::Pattern> a;
    dma::TensorMap<typename TileOfB::Pattern> b;
    dma::TensorMap<TileOfC> out;
  };

  /// The tiles from an element of C and a k on.
  [[nodiscard]] DMA_HOST_DEVICE static auto tile_of_a(const Problem<Element>& p, int row = 0, int at = 0) {
    return TileOfA::tile_of(p.lda, p.m, p.k, row, at);
  }
  [[nodiscard]] DMA_HOST_DEVICE static auto tile_of_b(const Problem<Element>& p, int column = 0, int at = 0) {
    return TileOfB::tile_of(p.ldb, p.n, p.k, column, at);
  }
  [[nodiscard]] DMA_HOST_DEVICE static TileOfC tile_of_c(const Problem<Element>& p, int row = 0, int column = 0) {
    return {p.ldc * 2, p.m, p.n, row, column};
  }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ClusterGemm>& cta, const Maps& maps, const Problem<Element>& p,
                                  const Plan& plan, const Workspace& workspace) const {
    auto& shared = cta.template shared<Shared>();
    LoadsOfA loads_of_a(cta, shared.a);
    LoadsOfB loads_of_b(cta, shared.b);
    Stores stores(cta, shared.stores);
    const int cluster = cta.block().x / tile.ctas();
    const Pieces pieces(plan, cluster);
    cta.trigger_dependent_launch();
    cta.grid_dependency_wait();
    const int row = tile.down > 1 ? cta.cluster_rank() * rows : 0;  // within the cluster's tile
    const int column = tile.across > 1 ? cta.cluster_rank() * columns : 0;
    const auto load_a = [&] {
      const auto dma = loads_of_a.as_dma();
      pieces.for_each([&](const Piece& piece) {
        for (int at = piece.first; at < piece.last; ++at) {
          dma.load(maps.a, tile_of_a(p, piece.row + row, at * block));
        }
      });
    };
    const auto load_b = [&] {
      const auto dma = loads_of_b.as_dma();
      pieces.for_each([&](const Piece& piece) {
        for (int at = piece.first; at < piece.last; ++at) {
          dma.load(maps.b, tile_of_b(p, piece.column + column, at * block));
        }
      });
    };
    const auto& load_shared = first_if<(tile.across > 1)>(load_a, load_b);
    cta.take_roles(
        [&] {
          const auto a = loads_of_a.as_compute();
          const auto b = loads_of_b.as_compute();
          const auto out = stores.as_compute();
          dma::MatrixSums<64, columns> sums;
          pieces.for_each([&](const Piece& piece) {
            sum_products<typename TileOfA::Whole, typename TileOfB::Whole>(a, b, sums, piece.last - piece.first);
            const int first_row = piece.row + row + 64 * a.group();
            if (plan.is_whole(piece)) {
              Results<Element, tile>(p, first_row, piece.column + column).store(sums, out, a.group());
            } else {
              leave_part(a, sums, plan, piece, first_row, p.m, workspace, cluster, cta.cluster_rank());
            }
          });
        },
        load_a, load_shared, load_b,
        [&] {
          const auto dma = stores.as_dma();
          pieces.for_each([&](const Piece& piece) {
            for (int part = 0; part < parts && plan.is_whole(piece); ++part) {
              dma.store(maps.out, tile_of_c(p, piece.row + row, piece.column + column + column_of_part(tile, part)));
            }
          });
        });
  }
};

}  // namespace gemm
