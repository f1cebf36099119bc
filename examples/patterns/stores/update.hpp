#pragma once

#include <dma/dma.hpp>

/// array[r][c] *= factor in place, for an array of any extents: each box is loaded, changed and stored in one slot.
struct ScaleInPlace {
  using Box = dma::Tile2D<float, 32, 8>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<dma::Update<Box>, dma::MultiBuffer<Layout, 3>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ScaleInPlace>& cta, float* array, int rows, int cols,
                                  float factor) const {
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
        cta.tiles(across * down),  //
        [&](const auto& dma, int t) { dma.load(array, box_at(t)); },
        [&](const auto& compute, int t) {
          const auto box = compute.wait(box_at(t));
          for (int i = compute.rank(); i < box.size(); i += compute.size()) {
            box[i] *= factor;
          }
        },
        [&](const auto& dma, int t) { dma.store(array, box_at(t)); });
  }
};

/// table[ids[i]] += step * gradient[i] for rows of 32 floats, named once each: a gather and a scatter through one ring,
/// in roles with loops of their own.
struct UpdateRows {
  using Rows = dma::Indirect<float, 32, 8>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<dma::Update<Rows>, dma::MultiBuffer<Layout, 3>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<UpdateRows>& cta, float* table, long long table_rows, const int* ids,
                                  const float* gradient, float step, int n) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const auto rows_at = [&](int first) {
      return Rows{.indices = ids + first, .table_rows = table_rows, .rows = Rows::rows_up_to(n - first)};
    };
    const int begin = 8 * cta.block().x;
    const int stride = 8 * cta.blocks().x;
    cta.take_roles(
        [&] {
          const auto compute = pipe.as_compute();
          for (int first = begin; first < n; first += stride) {
            const auto rows = compute.wait(rows_at(first));
            for (int i = compute.rank(); i < rows.size(); i += compute.size()) {
              rows[i] += step * gradient[first * 32 + i];
            }
          }
        },
        [&] {
          const auto dma = pipe.as_dma();
          dma.for_each_tile(
              {.first = begin, .last = n, .step = stride},  //
              [&](int first) { dma.load(table, rows_at(first)); },
              [&](int first) { dma.store(table, rows_at(first)); });
        });
  }
};
