#pragma once

/// C = alpha A B + beta C for a sparse A in ELLPACK form, and B and C of a few columns.

#include "ell_stream.hpp"
#include "operands.hpp"

#include <dma/dma.hpp>

namespace sparse {

/// A lane's part of both products: four columns of four rows that are neighbours. The columns and the values of an
/// entry of four rows are 16 bytes each, so that one access has them.
///
/// @tparam Each  entries of the four rows whose rows of B a lane has in flight
template <int Each>
struct FourRows {
  using Columns = dma::Vector<int, 4>;

  const Quad* b;  ///< of row 0, from the lane's columns on
  long long ldb;  ///< in quads
  Quad sums[4] = {};

  /// Adds `entries` entries, of which `columns(k)` and `values(k)` are those of the four rows.
  template <class ColumnsAt, class ValuesAt>
  DMA_HOST_DEVICE void add(int entries, const ColumnsAt& columns, const ValuesAt& values) {
    int entry = 0;
    for (; entry + Each <= entries; entry += Each) {
      Columns of_b[Each];
      Quad rows_of_b[Each][4];
      Quad factors[Each];
      dma::unrolled<Each>([&](auto k) { of_b[k] = columns(entry + k); });
      dma::unrolled<Each>([&](auto k) {
        dma::unrolled<4>([&](auto row) { rows_of_b[k][row] = row_of_b(of_b[k][row]); });
        factors[k] = values(entry + k);
      });
      dma::unrolled<Each>(
          [&](auto k) { dma::unrolled<4>([&](auto row) { sums[row] += rows_of_b[k][row] * factors[k][row]; }); });
    }
    for (; entry < entries; ++entry) {
      const Columns of_b = columns(entry);
      const Quad factors = values(entry);
      dma::unrolled<4>([&](auto row) { sums[row] += row_of_b(of_b[row]) * factors[row]; });
    }
  }
  DMA_HOST_DEVICE void write(const Panels& panels, int first_row, int rows, int quad) const {
    dma::unrolled<4>([&](auto row) {
      if (first_row + row < rows) {
        panels.write(first_row + row, quad, sums[row]);
      }
    });
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE Quad row_of_b(int row) const { return read(b + row * ldb); }
};

/// `Cols` columns to a CTA. Lanes read A from global memory.
template <int Cols>
struct EllSpmmOfRows {
  using Layout = dma::WarpLayout<dma::Compute<8>>;
  static constexpr dma::KernelTraits traits{.min_ctas = 3};
  static constexpr int quads = Cols / 4;
  static constexpr int rows_a_cta = Layout::threads / quads * 4;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<EllSpmmOfRows>& cta, const Ell& a, const Panels& panels) const {
    const int first_row = cta.block().x * rows_a_cta + cta.thread() / quads * 4;
    if (first_row >= a.rows) {
      return;
    }
    const int quad = cta.block().y * quads + cta.thread() % quads;
    const auto* const columns = dma::vectors(a.columns + first_row);
    const auto* const values = dma::vectors(a.values + first_row);
    const long long pitch = a.pitch / 4;
    FourRows<4> rows{dma::vectors(panels.b) + quad, panels.ldb / 4};
    rows.add(
        a.width, [&](int k) { return read_once(columns + k * pitch); },
        [&](int k) { return read_once(values + k * pitch); });
    rows.write(panels, first_row, a.rows, quad);
  }
};

/// The same with DMA warps that stream A. A tile is `Width` entries of the rows of a block.
template <int Warps, int Cols, int Width, int Stages, int MinCtas>
struct EllSpmm {
  using Layout = dma::WarpLayout<dma::Compute<Warps>, dma::Dma<1>>;
  static constexpr dma::KernelTraits traits{.min_ctas = MinCtas};
  static constexpr int quads = Cols / 4;
  static constexpr int rows = Layout::compute_threads / quads * 4;  ///< of a block

  using Stream = EllStream<Layout, rows, Width, Stages>;
  using Shared = typename Stream::Shared;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<EllSpmm>& cta, const Ell& a, const Panels& panels) const {
    Stream stream(cta, cta.template shared<Shared>(), a);
    const int quad = cta.block().y * quads + cta.thread() % quads;
    const int row_of_block = cta.thread() / quads * 4;
    cta.take_roles(
        [&] {
          const auto compute_values = stream.values.as_compute();
          const auto compute_columns = stream.columns.as_compute();
          stream.for_each_block([&](int first, int padded_rows) {
            FourRows<2> sums{dma::vectors(panels.b) + quad, panels.ldb / 4};
            stream.for_each_tile([&](int /*entry*/, int entries) {
              const auto columns = compute_columns.wait(stream.columns_of(entries, padded_rows));
              const auto values = compute_values.wait(stream.values_of(entries, padded_rows));
              if (row_of_block < padded_rows) {
                const auto columns_of_rows = columns.vectors();
                const auto values_of_rows = values.vectors();
                sums.add(
                    entries, [&](int k) { return columns_of_rows(k, row_of_block); },
                    [&](int k) { return values_of_rows(k, row_of_block); });
              }
            });
            sums.write(panels, first + row_of_block, a.rows, quad);
          });
        },
        [&] { stream.load_all(); });
  }
};

}  // namespace sparse
