#pragma once

/// How the warps of a CTA get the nonzeros of their chunks: each reads its own, or a DMA warp streams them.

#include "csr.hpp"
#include "operands.hpp"

#include <dma/dma.hpp>

namespace sparse {

/// Each warp reads its chunks from global memory.
template <int Warps>
struct PlainChunks {
  using Layout = dma::WarpLayout<dma::Compute<Warps>>;
  static constexpr int warps = Warps;
  struct Shared {};

  /// Passes each chunk of this CTA to one warp: `body(chunk, start, next, column, value, offset)`, where `column(i)`
  /// and `value(i)` are those of the chunk's nonzero i, and its row r begins at `offset(r)`.
  template <class Body>
  DMA_HOST_DEVICE static void for_each(const dma::Cta& cta, Shared&, const Csr& a, const Chunks& chunks,
                                       const Body& body) {
    for (int chunk = cta.block().x * Warps + cta.warp(); chunk < chunks.count; chunk += cta.blocks().x * Warps) {
      const ChunkStart start = chunks.starts[chunk];
      const ChunkStart next = chunks.starts[chunk + 1];
      body(
          chunk, start, next, [&](int i) { return read_once(a.columns + start.nonzero + i); },
          [&](int i) { return read_once(a.values + start.nonzero + i); },
          [&](int row) { return a.offsets[start.row + row]; });
    }
  }
};

/// A DMA warp streams the chunks of all compute warps into shared memory, one of each at a time. Compute warps wait for
/// one another only when all slots are full.
template <int Warps, int Stages>
struct StreamedChunks {
  using Layout = dma::WarpLayout<dma::Compute<Warps>, dma::Dma<1>>;
  static constexpr int warps = Warps;

  /// Elements `first` to `last` - 1 of an array of `count`, and those beside them that complete 16 bytes.
  struct Span {
    static constexpr int alignment = 4;  ///< elements

    int from;
    int elements;

    DMA_HOST_DEVICE Span(int first, int last, int count) : from(first / alignment * alignment) {
      const int end = (last + alignment - 1) / alignment * alignment;
      elements = (end < count ? end : count) - from;
    }
  };

  static constexpr int room = Warps * Chunks::items + Chunks::longest_whole_row + 2 * Span::alignment;
  static constexpr int room_of_offsets = Warps * Chunks::items + 3 * Span::alignment;

  using Engine = dma::BulkCopy<dma::BulkCopyTuning{.cache = {.l2 = dma::L2Priority::evict_first}}>;
  using Buffering = dma::MultiBuffer<Layout, Stages>;
  using Values = dma::Sequential<float, room>;
  using Columns = dma::Sequential<int, room>;
  using Offsets = dma::Sequential<int, room_of_offsets>;
  using PipeOfValues = dma::DmaPipeline<Values, Buffering, dma::CudaBarrier, Engine>;
  using PipeOfColumns = dma::DmaPipeline<Columns, Buffering, dma::CudaBarrier, Engine>;
  using PipeOfOffsets = dma::DmaPipeline<Offsets, Buffering, dma::CudaBarrier, Engine>;

  struct Shared {
    typename PipeOfValues::Storage values;
    typename PipeOfColumns::Storage columns;
    typename PipeOfOffsets::Storage offsets;
  };

  /// As `PlainChunks::for_each`.
  template <class Body>
  DMA_HOST_DEVICE static void for_each(const dma::Cta& cta, Shared& shared, const Csr& a, const Chunks& chunks,
                                       const Body& body) {
    PipeOfValues values(cta, shared.values);
    PipeOfColumns columns(cta, shared.columns);
    PipeOfOffsets offsets(cta, shared.offsets);
    const int step = cta.blocks().x * Warps;
    const auto start_of = [&](int chunk) { return chunks.starts[chunk < chunks.count ? chunk : chunks.count]; };
    const auto nonzeros_of = [&](const ChunkStart& start, const ChunkStart& next) {
      return Span(start.nonzero, next.nonzero, a.nonzeros);
    };
    const auto offsets_of = [&](const ChunkStart& start, const ChunkStart& next) {
      return Span(start.row, next.row + 2, a.rows + 1);
    };
    const auto compute = [&] {
      const auto compute_values = values.as_compute();
      const auto compute_columns = columns.as_compute();
      const auto compute_offsets = offsets.as_compute();
      for (int first = cta.block().x * Warps; first < chunks.count; first += step) {
        const ChunkStart tile = start_of(first);
        const ChunkStart next_tile = start_of(first + Warps);
        const int chunk = first + cta.warp();
        const ChunkStart start = start_of(chunk);
        const ChunkStart next = start_of(chunk + 1);
        const Span nonzeros = nonzeros_of(tile, next_tile);
        const Span rows = offsets_of(tile, next_tile);
        const auto tile_columns = compute_columns.wait(Columns{nonzeros.elements});
        const auto tile_values = compute_values.wait(Values{nonzeros.elements});
        const auto tile_offsets = compute_offsets.wait(Offsets{rows.elements});
        body(
            chunk, start, next, [&](int i) { return tile_columns[start.nonzero - nonzeros.from + i]; },
            [&](int i) { return tile_values[start.nonzero - nonzeros.from + i]; },
            [&](int row) { return tile_offsets[start.row - rows.from + row]; });
      }
    };
    const auto move = [&] {
      const auto dma_values = values.as_dma();
      const auto dma_columns = columns.as_dma();
      const auto dma_offsets = offsets.as_dma();
      for (int first = cta.block().x * Warps; first < chunks.count; first += step) {
        const ChunkStart tile = start_of(first);
        const ChunkStart next_tile = start_of(first + Warps);
        const Span nonzeros = nonzeros_of(tile, next_tile);
        const Span rows = offsets_of(tile, next_tile);
        dma_columns.load(a.columns + nonzeros.from, Columns{nonzeros.elements});
        dma_values.load(a.values + nonzeros.from, Values{nonzeros.elements});
        dma_offsets.load(a.offsets + rows.from, Offsets{rows.elements});
      }
    };
    dma::take_roles<Layout>(compute, move);
  }
};

}  // namespace sparse
