#pragma once

/// Sparse matrices in ELLPACK form, and how a DMA warp streams them.

#include <dma/dma.hpp>

namespace sparse {

/// ELLPACK: each row has `width` entries, those behind its last nonzero with the value 0 and any column. Entry k of row
/// r is element `k * pitch + r`, so that the entries k of all rows are one after another. Entries of the rows behind
/// the last are those of an empty row.
struct Ell {
  int rows;
  int width;
  int pitch;  ///< at least rows, and a multiple of 4
  const int* columns;
  const float* values;
};

/// A DMA warp's stream of blocks of `Rows` rows. A tile is `Width` entries of a block's rows, in two pipelines.
template <class Layout, int Rows, int Width, int Stages>
class EllStream {
  static constexpr dma::RowLayout row_layout{.alignment = 16};
  using Engine = dma::BulkCopy<dma::BulkCopyTuning{.cache = {.l2 = dma::L2Priority::evict_first}}>;
  using Buffering = dma::MultiBuffer<Layout, Stages>;
  using Values = dma::Strided<float, Rows, Width, row_layout>;
  using Columns = dma::Strided<int, Rows, Width, row_layout>;
  using PipeOfValues = dma::DmaPipeline<Values, Buffering, dma::CudaBarrier, Engine>;
  using PipeOfColumns = dma::DmaPipeline<Columns, Buffering, dma::CudaBarrier, Engine>;

 public:
  struct Shared {
    typename PipeOfValues::Storage values;
    typename PipeOfColumns::Storage columns;
  };

  DMA_HOST_DEVICE EllStream(const dma::Cta& cta, Shared& shared, const Ell& a)
      : values(cta, shared.values), columns(cta, shared.columns), a_(a), first_(cta.block().x), step_(cta.blocks().x) {}

  /// Passes the CTA's blocks: the first row, and how many of them and of those that complete 16 bytes there are.
  template <class Body>
  DMA_HOST_DEVICE void for_each_block(const Body& body) const {
    for (int first = first_ * Rows; first < a_.rows; first += step_ * Rows) {
      body(first, a_.pitch - first < Rows ? a_.pitch - first : Rows);
    }
  }
  /// Passes a block's tiles: the first entry, and how many.
  template <class Body>
  DMA_HOST_DEVICE void for_each_tile(const Body& body) const {
    for (int entry = 0; entry < a_.width; entry += Width) {
      body(entry, a_.width - entry < Width ? a_.width - entry : Width);
    }
  }
  [[nodiscard]] DMA_HOST_DEVICE Values values_of(int entries, int padded_rows) const {
    return {a_.pitch * 4LL, entries, padded_rows};
  }
  [[nodiscard]] DMA_HOST_DEVICE Columns columns_of(int entries, int padded_rows) const {
    return {a_.pitch * 4LL, entries, padded_rows};
  }

  /// What the DMA warp does.
  DMA_HOST_DEVICE void load_all() {
    const auto dma_values = values.as_dma();
    const auto dma_columns = columns.as_dma();
    for_each_block([&](int first, int padded_rows) {
      for_each_tile([&](int entry, int entries) {
        const long long at = static_cast<long long>(entry) * a_.pitch + first;
        dma_columns.load(a_.columns + at, columns_of(entries, padded_rows));
        dma_values.load(a_.values + at, values_of(entries, padded_rows));
      });
    });
  }

  PipeOfValues values;
  PipeOfColumns columns;

 private:
  const Ell& a_;
  int first_;
  int step_;
};

}  // namespace sparse
