#pragma once

/// Products with matrices whose rows are nearly equally long: the same number of lanes for each row, without a plan and
/// without shared memory, which leaves the whole first-level cache to x and B.

#include "csr.hpp"
#include "operands.hpp"

#include <dma/dma.hpp>

namespace sparse {

/// y = alpha A x + beta y.
template <int Lanes>
struct SpmvOfRows {
  using Layout = dma::WarpLayout<dma::Compute<8>>;
  static constexpr dma::KernelTraits traits{.min_ctas = 8};
  static constexpr int rows_a_cta = Layout::threads / Lanes;
  static constexpr int each = 4;  ///< elements of x that a lane has in flight

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SpmvOfRows>& cta, const Csr& a, const Vectors& vectors) const {
    const int row = cta.block().x * rows_a_cta + cta.thread() / Lanes;
    float sum = 0;
    if (row < a.rows) {
      const int end = a.offsets[row + 1];
      for (int i = a.offsets[row] + cta.lane() % Lanes; i < end; i += each * Lanes) {
        float factors[each];
        float values[each];
        dma::unrolled<each>([&](auto k) {
          factors[k] = i + k * Lanes < end ? read(vectors.x + read_once(a.columns + i + k * Lanes)) : 0;
        });
        dma::unrolled<each>([&](auto k) { values[k] = i + k * Lanes < end ? read_once(a.values + i + k * Lanes) : 0; });
        dma::unrolled<each>([&](auto k) { sum += values[k] * factors[k]; });
      }
    }
    sum = sum_of_lanes<Lanes, 1>(cta, sum);
    if (row < a.rows && cta.lane() % Lanes == 0) {
      vectors.write(row, sum);
    }
  }
};

/// C = alpha A B + beta C, `Cols` columns to a CTA, four of them to a lane.
template <int Cols>
struct SpmmOfRows {
  using Layout = dma::WarpLayout<dma::Compute<8>>;
  static constexpr dma::KernelTraits traits{.min_ctas = 8};
  static constexpr int quads = Cols / 4;
  static constexpr int rows_a_cta = Layout::threads / quads;
  static constexpr int each = 4;  ///< rows of B that a lane has in flight

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SpmmOfRows>& cta, const Csr& a, const Panels& panels) const {
    const int row = cta.block().x * rows_a_cta + cta.thread() / quads;
    if (row >= a.rows) {
      return;
    }
    const int quad = cta.block().y * quads + cta.thread() % quads;
    const Quad* const b = dma::vectors(panels.b) + quad;
    const int ldb = panels.ldb / 4;
    const auto row_of_b = [&](int i) { return read(b + static_cast<long long>(read(a.columns + i)) * ldb); };
    Quad sum{};
    const int end = a.offsets[row + 1];
    int i = a.offsets[row];
    for (; i + each <= end; i += each) {
      Quad rows_of_b[each];
      float factors[each];
      dma::unrolled<each>([&](auto k) { rows_of_b[k] = row_of_b(i + k); });
      dma::unrolled<each>([&](auto k) { factors[k] = read(a.values + i + k); });
      dma::unrolled<each>([&](auto k) { sum += rows_of_b[k] * factors[k]; });
    }
    for (; i < end; ++i) {
      sum += row_of_b(i) * read(a.values + i);
    }
    panels.write(row, quad, sum);
  }
};

}  // namespace sparse
