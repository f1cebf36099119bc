#pragma once

#include <dma/dma.hpp>

/// Appends new rows to a sequence in a cache of pages, [page][row][head][column], a CTA a head. The first new row may
/// be anywhere in its page.
struct AppendRows {
  static constexpr int cols = 32;
  static constexpr int page_rows = 16;
  using Tile = dma::Paged<float, dma::PagedShape{.cols = cols, .rows = 8, .box_rows = 1}>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  /// @param added      `count` rows of each head, [row][head][column]
  /// @param page_list  the pages of the sequence, of the `pages` in the cache
  /// @param length     rows that the sequence has already
  DMA_HOST_DEVICE void operator()(dma::KernelCta<AppendRows>& cta, const float* added, float* cache,
                                  const int* page_list, int pages, int length, int count) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const int head = cta.block().x;
    const int heads = cta.blocks().x;
    const long long row_bytes = heads * cols * 4LL;
    const dma::PageArray array{.pages = pages,
                               .rows = page_rows,
                               .page_pitch_bytes = page_rows * row_bytes,
                               .head_pitch_bytes = cols * 4,
                               .row_pitch_bytes = row_bytes};
    const auto tile_at = [&](int first) {
      return Tile{.array = array, .pages = page_list, .rows = length + count, .row = length + first, .head = head};
    };
    pipe.for_each_tile(
        {.last = count, .step = 8},  //
        [&](const auto& dma, int first) { dma.store(cache, tile_at(first)); },
        [&](const auto& compute, int first) {
          const auto tile = compute.wait(tile_at(first));
          for (int i = compute.rank(); i < 8 * cols; i += compute.size()) {
            const int row = first + i / cols;
            if (row < count) {
              tile(0, i / cols, i % cols) = added[(row * heads + head) * cols + i % cols];
            }
          }
        });
  }
};
