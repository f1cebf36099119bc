#pragma once

#include <dma/dma.hpp>

/// sums[i] = the sum of row ids[i] of a sparse matrix, whose rows have any length up to 64.
struct SumSparseRows {
  using Tile = dma::Csr<float, 64, 16>;
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
  static constexpr dma::KernelTraits traits{.min_ctas = 8};
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, dma::AutomaticStages{.ctas_an_sm = traits.min_ctas}>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SumSparseRows>& cta, const float* values, const int* offsets,
                                  int matrix_rows, const int* ids, int n, float* sums) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const auto tile_at = [&](int first) {
      return Tile{
          .offsets = offsets, .table_rows = matrix_rows, .indices = ids + first, .rows = Tile::rows_up_to(n - first)};
    };
    pipe.for_each_tile(
        {.first = cta.block().x * 16, .last = n, .step = cta.blocks().x * 16},  //
        [&](const auto& dma, int first) { dma.load(values, tile_at(first)); },
        [&](const auto& compute, int first) {
          const Tile shape = tile_at(first);
          const auto tile = compute.wait(shape);
          for (int r = compute.rank(); r < shape.rows; r += compute.size()) {
            float sum = 0;
            for (int i = 0; i < shape.length(r); ++i) {
              sum += tile(r, i);
            }
            sums[first + r] = sum;
          }
        });
  }
};

/// sums[row] = the sum of that row, for all rows: 16 at a time, which are one run from the multiple of 16 bytes before
/// the first.
///
/// @pre The 16 rows have at most 1021 elements.
struct SumConsecutiveRows {
  static constexpr int rows = 16;
  using Tile = dma::Sequential<float, 1024>;
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SumConsecutiveRows>& cta, const float* values, const int* offsets,
                                  int n, float* sums) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const auto begin = [&](int row) { return offsets[row] / 4 * 4; };
    const auto tile_at = [&](int row) { return Tile{offsets[row + rows < n ? row + rows : n] - begin(row)}; };
    pipe.for_each_tile(
        {.first = cta.block().x * rows, .last = n, .step = cta.blocks().x * rows},  //
        [&](const auto& dma, int row) { dma.load(values + begin(row), tile_at(row)); },
        [&](const auto& compute, int row) {
          const auto tile = compute.wait(tile_at(row));
          for (int r = row + compute.rank(); r < n && r < row + rows; r += compute.size()) {
            float sum = 0;
            for (int i = offsets[r]; i < offsets[r + 1]; ++i) {
              sum += tile[i - begin(row)];
            }
            sums[r] = sum;
          }
        });
  }
};

static_assert(dma::explain<SumSparseRows::Pipe>().access_bytes == 4);
static_assert(dma::explain<SumSparseRows::Pipe>().is_coalesced());
static_assert(dma::explain<SumSparseRows::Pipe>().reads_run_lengths);
