#pragma once

#include <dma/dma.hpp>

/// out[i] = table[ids[i]], rows of 32 floats.
struct GatherRows {
  using Tile = dma::Indirect<float, 32, 8>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<GatherRows>& cta, const float* table, long long table_rows,
                                  const int* ids, int n, float* out) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const auto tile_at = [&](int first) {
      return Tile{.indices = ids + first, .table_rows = table_rows, .rows = Tile::rows_up_to(n - first)};
    };
    pipe.for_each_tile(
        {.last = n, .step = 8},  //
        [&](const auto& dma, int first) { dma.load(table, tile_at(first)); },
        [&](const auto& compute, int first) {
          const auto rows = compute.wait(tile_at(first));
          for (int i = compute.rank(); i < rows.size(); i += compute.size()) {
            out[first * 32 + i] = rows[i];
          }
        });
  }
};

// A list of 64-bit indices.
using RowsByLongs = dma::Indirect<float, 32, 8, dma::IndexedRows<long long>{}>;
static_assert(sizeof(RowsByLongs::Index) == 8);

/// The same for ids that a CTA computes itself: rows 0, `step`, 2 `step`, ... of the table, listed in shared memory.
struct GatherEverySoMany {
  using Tile = dma::Indirect<float, 32, 8>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
    int ids[64];
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<GatherEverySoMany>& cta, const float* table, long long table_rows,
                                  int step, float* out) const {
    auto& shared = cta.shared<Shared>();
    Pipe pipe(cta, shared.storage);
    for (int i = cta.thread(); i < 64; i += Layout::threads) {
      shared.ids[i] = i * step;
    }
    cta.sync();  // the DMA warps read the list as soon as they load
    const auto tile_at = [&](int first) { return Tile{.indices = shared.ids + first, .table_rows = table_rows}; };
    pipe.for_each_tile(
        {.last = 64, .step = 8},  //
        [&](const auto& dma, int first) { dma.load(table, tile_at(first)); },
        [&](const auto& compute, int first) {
          const auto rows = compute.wait(tile_at(first));
          for (int i = compute.rank(); i < rows.size(); i += compute.size()) {
            out[first * 32 + i] = rows[i];
          }
        });
  }
};

static_assert(dma::explain<GatherRows::Pipe>().access_bytes == 16);
static_assert(dma::explain<GatherRows::Pipe>().run_bytes == 128);
static_assert(dma::explain<GatherRows::Pipe>().is_fast());
