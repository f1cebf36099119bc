"""A pattern of one's own from Python: the packed triangle of ../custom_pattern, summed row by row, on CuPy's arrays,
or emulated on NumPy's."""

from pathlib import Path

from anywhere import arrays, has_gpu

import dma

ROWS = 64
SOURCE = """
#include "triangle.hpp"

/// sums[r] = the sum of row r of a lower triangle, r + 1 elements; each CTA has a block of the array.
template <int Rows>
struct SumRows {
  using Tile = LowerTriangle<Rows>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Layout>>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SumRows>& cta, const float* blocks, float* sums) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const int block = cta.block().x;
    pipe.for_each_tile(
        {.first = block, .last = block + 1}, [&](const auto& dma, int b) { dma.load(blocks + b * Rows * Rows); },
        [&](const auto& compute, int b) {
          const auto tile = compute.wait();
          for (int row = compute.rank(); row < Rows; row += compute.size()) {
            float sum = 0;
            for (int col = 0; col <= row; ++col) {
              sum += tile[Tile::index(row, col)];
            }
            sums[b * Rows + row] = sum;
          }
        });
  }
};
"""

sum_rows = dma.kernel(SOURCE, f"SumRows<{ROWS}>", include_path=[Path(__file__).parents[1] / "custom_pattern"])
blocks = arrays.random.randint(0, 100, (12, ROWS, ROWS)).astype(arrays.float32)
sums = arrays.empty((12, ROWS), dtype=arrays.float32)
run = sum_rows if has_gpu else sum_rows.emulate
run(12, blocks, sums)
assert (sums == arrays.tril(blocks).sum(axis=2)).all()
