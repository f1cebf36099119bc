#pragma once

/// The kernel of clusters whose CTAs divide k (split K), and exchange sums through distributed shared memory.

#include "partial_sums.hpp"
#include "plan.hpp"
#include "priorities.hpp"
#include "problem.hpp"
#include "products.hpp"
#include "results.hpp"

#include <dma/dma.hpp>
#include <dma/kernel/phase_barrier.hpp>
#include <dma/matrix/sums.hpp>
#include <dma/unrolled.hpp>

namespace gemm {

/// Sends the sums of half of the columns to the other CTA of two, which stores these, and returns the other half with
/// what that CTA sent. Collective over the compute warps.
///
/// @param received  memory for what is sent, at the same place in both CTAs: a float for each sum of half of the
/// columns
template <class Compute, int columns>
[[nodiscard]] DMA_HOST_DEVICE dma::MatrixSums<64, columns / 2> exchange_halves(
    const Compute& compute, const dma::MatrixSums<64, columns>& sums, int rank,
    dma::PhaseBarrier<dma::Scope::cluster>& all_sent, dma::Vector<float>* received) {
  constexpr int half = columns / 2;
  auto own = sums.template columns_from<0, half>();
  auto sent = sums.template columns_from<half, half>();
  if (rank == 1) {
    const auto first = own;
    own = sent;
    sent = first;
  }
  if (compute.rank() == 0) {
    all_sent.expect(half / 8 * Compute::size() * int{sizeof *received});
  }
  dma::unrolled<half / 8>([&](auto i) {
    const float* const four = sent.values + 4 * i;
    all_sent.send(1 - rank, &received[i * Compute::size() + compute.rank()],
                  dma::Vector<float>{four[0], four[1], four[2], four[3]});
  });
  all_sent.wait();
  dma::unrolled<half / 8>([&](auto i) {
    const dma::Vector<float> four = received[i * Compute::size() + compute.rank()];
    dma::unrolled<4>([&](auto j) { own.values[4 * i + j] += four[j]; });
  });
  return own;
}

/// Tiles of C, of which each of a cluster's two CTAs sums half of k and stores half of the columns. A cluster has one
/// tile.
template <class Type, TileShape tile, int stages = 5>
struct SplitGemm {
  using Element = Type;
  static constexpr TileShape shape = tile;
  static constexpr int rows = tile.rows;
  static constexpr int columns = tile.columns;
  static_assert(rows == 128 && tile.deep == 2 && tile.ctas() == 2, "two CTAs divide k, and share no operand");
  static constexpr TileShape stored{.rows = rows, .columns = columns / 2};  ///< by one CTA
  static constexpr int parts = parts_of(stored);
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Compute<4>, dma::Dma<1>, dma::Dma<1>>;
  using TileOfA = dma::Tile2D<Element, block, rows, swizzled>;
  using TileOfB = dma::Tile2D<Element, block, columns, swizzled>;
  using Stage = dma::Concat<TileOfA, TileOfB>;
  using TileOfC = typename Results<Element, stored>::Tile;
  using Loads = dma::DmaPipeline<Stage, dma::MultiBuffer<Layout, stages>, dma::CudaBarrier,
                                 dma::TensorCopy<tuning_of_loads(tile)>>;
  using Stores = dma::DmaPipeline<dma::Store<TileOfC>, dma::MultiBuffer<Layout, parts, dma::DmaGroups{.first = 1}>,
                                  dma::CudaBarrier, dma::TensorCopy<>>;
  using AllSent = dma::PhaseBarrier<dma::Scope::cluster>;

  static constexpr dma::KernelTraits traits{.programmatic_launch = true, .cluster = tile.ctas()};

  struct Shared {
    typename Loads::Storage loads;
    typename Stores::Storage stores;
    dma::Vector<float> received[rows * stored.columns / 4];
    typename AllSent::State all_sent;
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

  /// The workspace is for other kernels.
  DMA_HOST_DEVICE void operator()(dma::KernelCta<SplitGemm>& cta, const Maps& maps, const Problem<Element>& p,
                                  const Plan& plan, const Workspace&) const {
    auto& shared = cta.template shared<Shared>();
    Loads loads(cta, shared.loads);
    Stores stores(cta, shared.stores);
    AllSent all_sent(cta, shared.all_sent, 1);
    cta.trigger_dependent_launch();
    cta.grid_dependency_wait();
    const int cluster = cta.block().x / tile.deep;
    const int rank = cta.cluster_rank();
    const int row = plan.row_of(cluster);
    const int column = plan.column_of(cluster);
    const int first = plan.blocks() * rank / tile.deep;
    const int last = plan.blocks() * (rank + 1) / tile.deep;
    const int first_stored = column + rank * stored.columns;
    cta.take_roles(
        [&] {
          const auto in = loads.as_compute();
          const auto out = stores.as_compute();
          dma::MatrixSums<64, columns> sums;
          sum_products(in, sums, last - first);
          auto own = exchange_halves(in, sums, rank, all_sent, shared.received);
          Results<Element, stored>(p, row + 64 * in.group(), first_stored).store(own, out, in.group());
        },
        [&] {
          const auto dma = loads.as_dma();
          for (int at = first; at < last; ++at) {
            dma.load(maps.in, Stage{tile_of_a(p, row, at * block), tile_of_b(p, column, at * block)});
          }
        },
        [&] {
          const auto dma = stores.as_dma();
          for (int part = 0; part < parts; ++part) {
            dma.store(maps.out, tile_of_c(p, row, first_stored + column_of_part(stored, part)));
          }
        });
  }
};

}  // namespace gemm
