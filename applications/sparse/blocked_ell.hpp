#pragma once

/// C = alpha A B + beta C for a sparse A of dense blocks, in Blocked-ELLPACK form, and B and C of a few columns.

#include "operands.hpp"

#include <dma/dma.hpp>

namespace sparse {

/// Rows of blocks, each of `width` blocks of `Edge` x `Edge` elements: those behind its last one with values of 0 and
/// any column. Block k of row r is block `r * width + k` of both arrays.
template <int Edge>
struct BlockedEll {
  static constexpr int elements = Edge * Edge;  ///< of a block

  int rows;  ///< of blocks
  int width;
  const int* columns;   ///< of blocks
  const float* values;  ///< a block after another, each by columns
};

/// A DMA warp brings a block of A and the rows of B that it is multiplied with, both by bulk copies; each row of B is
/// read from global memory once a block. A lane has four columns of four rows.
///
/// @tparam Cols  of C to a CTA. Those behind them have CTAs of their own along y
template <int Edge, int Cols, int Stages, int MinCtas>
struct BlockedEllSpmm {
  static constexpr int quads = Cols / 4;
  using Layout = dma::WarpLayout<dma::Compute<Edge / 4 * quads / 32>, dma::Dma<1>>;
  static constexpr dma::KernelTraits traits{.min_ctas = MinCtas};

  using Buffering = dma::MultiBuffer<Layout, Stages>;
  using Block = dma::Sequential<float, Edge * Edge>;
  using RowsOfB = dma::Strided<float, Cols, Edge, dma::RowLayout{.alignment = 16}>;
  using PipeOfBlocks =
      dma::DmaPipeline<Block, Buffering, dma::CudaBarrier,
                       dma::BulkCopy<dma::BulkCopyTuning{.cache = {.l2 = dma::L2Priority::evict_first}}>>;
  using PipeOfRows = dma::DmaPipeline<RowsOfB, Buffering, dma::CudaBarrier, dma::BulkCopy<>>;

  struct Shared {
    typename PipeOfBlocks::Storage blocks;
    typename PipeOfRows::Storage rows;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<BlockedEllSpmm>& cta, const BlockedEll<Edge>& a,
                                  const Panels& panels) const {
    auto& shared = cta.template shared<Shared>();
    PipeOfBlocks blocks(cta, shared.blocks);
    PipeOfRows rows(cta, shared.rows);
    const RowsOfB shape{panels.ldb * 4LL};
    cta.take_roles(
        [&] {
          const auto compute_blocks = blocks.as_compute();
          const auto compute_rows = rows.as_compute();
          const int quad = compute_blocks.rank() % quads;
          const int four_rows = compute_blocks.rank() / quads;
          for (int row : cta.tiles(a.rows)) {
            Quad sums[4] = {};
            for (int k = 0; k < a.width; ++k) {
              const auto rows_of_b = compute_rows.wait(shape);
              const auto block = compute_blocks.wait();
              add_product(block.vectors(), rows_of_b.vectors(), four_rows, quad, sums);
            }
            dma::unrolled<4>(
                [&](auto i) { panels.write(row * Edge + four_rows * 4 + i, cta.block().y * quads + quad, sums[i]); });
          }
        },
        [&] {
          const auto dma_blocks = blocks.as_dma();
          const auto dma_rows = rows.as_dma();
          for (int row : cta.tiles(a.rows)) {
            for (int k = 0; k < a.width; ++k) {
              const long long at = static_cast<long long>(row) * a.width + k;
              dma_blocks.load(a.values + at * BlockedEll<Edge>::elements);
              const long long row_of_b = static_cast<long long>(read(a.columns + at)) * Edge;
              dma_rows.load(panels.b + row_of_b * panels.ldb + cta.block().y * Cols, shape);
            }
          }
        });
  }

 private:
  template <class BlockVectors, class RowVectors>
  DMA_HOST_DEVICE static void add_product(const BlockVectors& block, const RowVectors& rows_of_b, int four_rows,
                                          int quad, Quad (&sums)[4]) {
    constexpr int each = 8;  // reads of both that a lane has in flight
    for (int first = 0; first < Edge; first += each) {
      dma::unrolled<each>([&](auto k) {
        const Quad factors = block[(first + k) * (Edge / 4) + four_rows];
        const Quad row_of_b = rows_of_b(first + k, quad * 4);
        dma::unrolled<4>([&](auto i) { sums[i] += row_of_b * factors[i]; });
      });
    }
  }
};

}  // namespace sparse
