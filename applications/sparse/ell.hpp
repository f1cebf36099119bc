#pragma once

/// y = alpha A x + beta y for a sparse A in ELLPACK form.

#include "ell_stream.hpp"
#include "operands.hpp"

#include <dma/dma.hpp>

namespace sparse {

/// A thread a row: its reads are coalesced as they are.
struct EllSpmvOfRows {
  using Layout = dma::WarpLayout<dma::Compute<8>>;
  static constexpr dma::KernelTraits traits{.min_ctas = 8};
  static constexpr int rows = Layout::threads;  ///< of a CTA
  static constexpr int each = 4;                ///< elements of x that a thread has in flight

  DMA_HOST_DEVICE void operator()(dma::KernelCta<EllSpmvOfRows>& cta, const Ell& a, const Vectors& vectors) const {
    const int row = cta.block().x * rows + cta.thread();
    if (row >= a.rows) {
      return;
    }
    const long long pitch = a.pitch;
    float sum = 0;
    for (int entry = 0; entry < a.width; entry += each) {
      const long long first = entry * pitch + row;
      float factors[each];
      float values[each];
      dma::unrolled<each>([&](auto k) {
        factors[k] = entry + k < a.width ? read(vectors.x + read_once(a.columns + first + k * pitch)) : 0;
      });
      dma::unrolled<each>(
          [&](auto k) { values[k] = entry + k < a.width ? read_once(a.values + first + k * pitch) : 0; });
      dma::unrolled<each>([&](auto k) { sum += values[k] * factors[k]; });
    }
    vectors.write(row, sum);
  }
};

/// DMA warps stream the entries. A thread has `RowsEach` rows, a CTA those of one block after another. A tile is
/// `Width` entries of a block's rows.
template <int Warps, int RowsEach, int Width, int Stages, int MinCtas>
struct EllSpmv {
  using Layout = dma::WarpLayout<dma::Compute<Warps>, dma::Dma<1>>;
  static constexpr dma::KernelTraits traits{.min_ctas = MinCtas};
  static constexpr int rows = RowsEach * Layout::compute_threads;  ///< of a block

  using Stream = EllStream<Layout, rows, Width, Stages>;
  using Shared = typename Stream::Shared;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<EllSpmv>& cta, const Ell& a, const Vectors& vectors) const {
    Stream stream(cta, cta.template shared<Shared>(), a);
    cta.take_roles(
        [&] {
          const auto compute_values = stream.values.as_compute();
          const auto compute_columns = stream.columns.as_compute();
          stream.for_each_block([&](int first, int padded_rows) {
            float sums[RowsEach] = {};
            stream.for_each_tile([&](int /*entry*/, int entries) {
              const auto tile_columns = compute_columns.wait(stream.columns_of(entries, padded_rows));
              float x[RowsEach][Width];
              each_entry(compute_values.rank(), entries, padded_rows, [&](auto j, auto k, int row) {
                x[j][k] = row < 0 ? 0 : read(vectors.x + tile_columns(k, row));
              });
              const auto tile_values = compute_values.wait(stream.values_of(entries, padded_rows));
              each_entry(compute_values.rank(), entries, padded_rows,
                         [&](auto j, auto k, int row) { sums[j] += row < 0 ? 0 : x[j][k] * tile_values(k, row); });
            });
            dma::unrolled<RowsEach>([&](auto j) {
              const int row = first + compute_values.rank() + j * Layout::compute_threads;
              if (row < a.rows) {
                vectors.write(row, sums[j]);
              }
            });
          });
        },
        [&] { stream.load_all(); });
  }

 private:
  /// Passes the thread's rows of the tile and their entries, a row of -1 where the tile has none.
  template <class Body>
  DMA_HOST_DEVICE static void each_entry(int rank, int entries, int padded_rows, const Body& body) {
    dma::unrolled<RowsEach>([&](auto j) {
      const int row = rank + j * Layout::compute_threads;
      dma::unrolled<Width>([&](auto k) { body(j, k, row < padded_rows && k < entries ? row : -1); });
    });
  }
};

}  // namespace sparse
