#pragma once

/// C = alpha A B + beta C for a sparse A by rows, and B and C of a few columns.

#include "chunk_sources.hpp"
#include "csr.hpp"
#include "operands.hpp"

#include <dma/dma.hpp>

namespace sparse {

/// Each lane has four columns. `Cols` / 4 lanes read a row of B at once, as many rows side by side as fill the warp:
/// those of one row of A or of several, as the plan says. B is read through the caches.
///
/// @tparam Source  PlainChunks or StreamedChunks
/// @tparam Cols    of C to a CTA: 8, 16, 32, 64 or 128. Those behind them have CTAs of their own along y
template <class Source, int Cols, int MinCtas>
struct Spmm {
  using Layout = typename Source::Layout;
  static constexpr dma::KernelTraits traits{.min_ctas = MinCtas};
  static constexpr int warps = Source::warps;
  static constexpr int quads = Cols / 4;
  static constexpr int each = 4;  ///< rows of B that a lane has in flight

  using Shared = typename Source::Shared;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Spmm>& cta, const Csr& a, const Chunks& chunks,
                                  const Panels& panels) const {
    const int quad = cta.block().y * quads + cta.lane() % quads;
    const Quad* const b = dma::vectors(panels.b) + quad;
    const int ldb = panels.ldb / 4;
    const int all_quads = cta.blocks().y * quads;
    Source::for_each(
        cta, cta.template shared<Shared>(), a, chunks,
        [&](int chunk, const ChunkStart& start, const ChunkStart& next, const auto& column, const auto& value,
            const auto& offset) {
          const int count = next.nonzero - start.nonzero;
          const int rows = next.row - start.row + next.begins_within;
          const auto begin = [&](int row) {
            const int first = offset(row) - start.nonzero;
            return first < 0 ? 0 : first < count ? first : count;
          };
          const auto row_of_b = [&](int i) { return read(b + static_cast<long long>(column(i)) * ldb); };
          with_lanes(start.lanes < quads ? quads : start.lanes, [&](auto lanes) {
            if constexpr (lanes >= quads) {
              constexpr int side_by_side = lanes / quads;
              for_each_row<lanes>(cta, rows, [&](int row, int lane) {
                Quad sum{};
                if (row < rows) {
                  const int end = begin(row + 1);
                  int i = begin(row) + lane / quads;
                  for (; i + (each - 1) * side_by_side < end; i += each * side_by_side) {
                    Quad rows_of_b[each];
                    dma::unrolled<each>([&](auto k) { rows_of_b[k] = row_of_b(i + k * side_by_side); });
                    dma::unrolled<each>([&](auto k) { sum += rows_of_b[k] * value(i + k * side_by_side); });
                  }
                  for (; i < end; i += side_by_side) {
                    sum += row_of_b(i) * value(i);
                  }
                }
                sum = sum_of_lanes<lanes, quads>(cta, sum);
                if (row < rows && lane < quads) {
                  if (row == 0 && start.begins_within != 0) {
                    dma::vectors(chunks.heads)[static_cast<long long>(chunk) * all_quads + quad] = sum;
                  } else {
                    panels.write(start.row + row, quad, sum);
                  }
                }
              });
            }
          });
        });
  }
};

}  // namespace sparse
