#pragma once

#include <dma/dma.hpp>

/// sums[col] += the sum of column col, for a tall array: its rows are split, since a few panels of columns would leave
/// SMs without work. CTAs take boxes of 32 rows from a counter and add what they found to global memory.
struct SplitSums {
  using Box = dma::Tile2D<float, 64, 32, dma::RowLayout{.alignment = 16}>;
  using Row = dma::Sequential<float, 64>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<1>>;
  using Load = dma::DmaPipeline<Box, dma::MultiBuffer<Layout, 3, dma::DmaGroups{.first = 0}>>;
  using Add = dma::DmaPipeline<dma::StoreAdd<Row>, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 1}>>;
  using Queue = dma::TileQueue<Layout>;
  struct Shared {
    Load::Storage boxes;
    Add::Storage sums;
    Queue::Storage queue;
  };

  /// @param cols     a multiple of 64
  /// @param counter  zero, in global memory; zero again after the launch
  DMA_HOST_DEVICE void operator()(dma::KernelCta<SplitSums>& cta, const float* array, int rows, int cols, float* sums,
                                  dma::TileCounter* counter) const {
    auto& shared = cta.shared<Shared>();
    Load load(cta, shared.boxes);
    Add add(cta, shared.sums);
    const int panels = cols / 64;
    const auto box_at = [&](int t) {
      return Box{.pitch_bytes = cols * 4LL,
                 .array_rows = rows,
                 .array_cols = cols,
                 .row = t / panels * 32,
                 .col = t % panels * 64};
    };
    Queue queue(cta, shared.queue, *counter, (rows + 31) / 32 * panels);
    cta.take_roles(
        [&] {  // the compute warps: a column each
          const auto boxes = load.as_compute();
          const auto rows_of_sums = add.as_compute();
          for (const int t : queue) {
            const auto box = boxes.wait(box_at(t));
            const auto row = rows_of_sums.wait();
            const int col = boxes.rank();
            float sum = 0;
            for (int k = 0; k < 32; ++k) sum += box(k, col);
            row[col] = sum;
          }
        },
        [&] {  // DMA group 0
          for (const int t : queue) load.as_dma().load(array, box_at(t));
        },
        [&] {  // DMA group 1
          for (const int t : queue) add.as_dma().store(sums + t % panels * 64);
        });
  }
};
