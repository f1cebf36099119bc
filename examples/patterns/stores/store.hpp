#pragma once

#include <dma/dma.hpp>

/// table[r][c] = r * c for an array of any extents: compute warps fill boxes, DMA warps write what is inside the array.
struct TimesTable {
  using Box = dma::Tile2D<int, 32, 8>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<dma::Store<Box>, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<TimesTable>& cta, int* table, int rows, int cols) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const int across = (cols + 31) / 32;
    const int down = (rows + 7) / 8;
    const auto box_at = [&](int t) {
      return Box{.pitch_bytes = cols * 4LL,
                 .array_rows = rows,
                 .array_cols = cols,
                 .row = t / across * 8,
                 .col = t % across * 32};
    };
    pipe.for_each_tile(
        {.last = across * down},  //
        [&](const auto& dma, int t) { dma.store(table, box_at(t)); },
        [&](const auto& compute, int t) {
          const auto box = compute.wait(box_at(t));
          for (int i = compute.rank(); i < box.size(); i += compute.size()) {
            box(i / 32, i % 32) = (t / across * 8 + i / 32) * (t % across * 32 + i % 32);
          }
        });
  }
};

using Rows = dma::Indirect<float, 32, 8>;

/// Writes rows of 32 floats to the rows of a table whose numbers `ids` lists.
template <class Tile>
struct WriteRows {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<WriteRows>& cta, const float* rows, const int* ids, int n,
                                  float* table, long long table_rows) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const auto tile_at = [&](int first) {
      return Rows{.indices = ids + first, .table_rows = table_rows, .rows = Rows::rows_up_to(n - first)};
    };
    pipe.for_each_tile(
        {.last = n, .step = 8},  //
        [&](const auto& dma, int first) { dma.store(table, tile_at(first)); },
        [&](const auto& compute, int first) {
          const auto tile = compute.wait(tile_at(first));
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            tile[i] = rows[first * 32 + i];
          }
        });
  }
};

/// table[ids[i]] = rows[i]: a scatter.
using ScatterRows = WriteRows<dma::Store<Rows>>;
/// table[ids[i]] += rows[i], by several CTAs, which may add to the same rows.
using AddRows = WriteRows<dma::StoreAdd<Rows>>;

static_assert(dma::explain<ScatterRows::Pipe>().access_bytes == 16);
static_assert(dma::explain<ScatterRows::Pipe>().is_fast());
