#pragma once

/// y = alpha A x + beta y for a sparse A by rows.

#include "chunk_sources.hpp"
#include "csr.hpp"
#include "operands.hpp"

#include <dma/dma.hpp>

namespace sparse {

/// The products of a chunk's nonzeros, in shared memory. Four floats are left out after each 32, so that lanes that
/// read rows of 8, 16, 32 or 64 products read other banks.
struct Products {
  float elements[Chunks::room / 32 * 36];

  [[nodiscard]] DMA_HOST_DEVICE float& operator[](int i) { return elements[i + i / 32 * 4]; }
};

/// Each warp multiplies the nonzeros of a chunk, in their order, leaves the products in shared memory, and adds up the
/// rows from there, each by as many lanes as the plan says.
///
/// @tparam Source  PlainChunks or StreamedChunks
template <class Source, int MinCtas>
struct Spmv {
  using Layout = typename Source::Layout;
  static constexpr dma::KernelTraits traits{.min_ctas = MinCtas};
  static constexpr int warps = Source::warps;
  static constexpr int each = 8;  ///< elements of x that a lane has in flight

  struct Shared {
    [[no_unique_address]] typename Source::Shared source;
    Products products[warps];
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Spmv>& cta, const Csr& a, const Chunks& chunks,
                                  const Vectors& vectors) const {
    auto& shared = cta.template shared<Shared>();
    cta.trigger_dependent_launch();
    Source::for_each(cta, shared.source, a, chunks,
                     [&](int chunk, const ChunkStart& start, const ChunkStart& next, const auto& column,
                         const auto& value, const auto& offset) {
                       Products& products = shared.products[cta.warp()];
                       const int count = next.nonzero - start.nonzero;
                       multiply(cta, start, count, products, vectors.x, column, value);
                       cta.sync_warp();
                       const int rows = next.row - start.row + next.begins_within;
                       const auto begin = [&](int row) {
                         const int first = offset(row) - start.nonzero;
                         return first < 0 ? 0 : first < count ? first : count;
                       };
                       with_lanes(start.lanes, [&](auto lanes) {
                         for_each_row<lanes>(cta, rows, [&](int row, int lane) {
                           float sum = 0;
                           if (row < rows) {
                             const int end = begin(row + 1);
                             for (int i = begin(row) + lane; i < end; i += lanes) {
                               sum += products[i];
                             }
                           }
                           sum = sum_of_lanes<lanes, 1>(cta, sum);
                           if (row < rows && lane == 0) {
                             if (row == 0 && start.begins_within != 0) {
                               chunks.heads[chunk] = sum;
                             } else {
                               vectors.write(start.row + row, sum);
                             }
                           }
                         });
                       });
                       cta.sync_warp();
                     });
  }

 private:
  /// From lines on, of 32 nonzeros: what limits gathers is how many lines the L2 looks up, and a warp that reads from
  /// within one looks up two. All columns are asked for before the first element of x is.
  template <class Column, class Value>
  DMA_HOST_DEVICE static void multiply(const dma::Cta& cta, const ChunkStart& start, int count, Products& products,
                                       const float* x, const Column& column, const Value& value) {
    for (int first = cta.lane() - start.nonzero % 32; first < count; first += each * 32) {
      int columns[each];
      float values[each];
      float factors[each];
      const auto for_each_own = [&](const auto& body) {
        dma::unrolled<each>([&](auto k) {
          const int i = first + k * 32;
          if (i >= 0 && i < count) {
            body(k, i);
          }
        });
      };
      for_each_own([&](auto k, int i) { columns[k] = column(i); });
      for_each_own([&](auto k, int i) { values[k] = value(i); });
      for_each_own([&](auto k, int) { factors[k] = read(x + columns[k]); });
      for_each_own([&](auto k, int i) { products[i] = factors[k] * values[k]; });
    }
  }
};

}  // namespace sparse
