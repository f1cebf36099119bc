#pragma once

/// Tiles that are lists of more boxes than a warp has lanes, each in a page of its own.

#include <dma/buffering/multi_buffer.hpp>
#include <dma/engines/tensor/tensor_copy.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/patterns/box.hpp>
#include <dma/patterns/paged.hpp>
#include <dma/pipeline.hpp>
#include <dma/sync/cuda_barrier.hpp>

#include <cstddef>
#include <vector>

namespace box_list {

inline constexpr int cols = 32;
inline constexpr int planes = 2;
inline constexpr int tile_rows = 144;
inline constexpr int page_rows = 8;
inline constexpr int pages = 64;
inline constexpr int page_ints = page_rows * planes * cols;

using Tile = dma::Paged<int, dma::PagedShape{.cols = cols, .rows = tile_rows, .box_rows = page_rows, .planes = planes}>;
static_assert(Tile::boxes == 36 && dma::detail::has_hardware_boxes<Tile>, "16 are copied at a time, and 32 looked up");

/// Rows of the sequences, one a CTA: a full tile, partial ones, none.
inline constexpr int sequence_rows[] = {2 * tile_rows, tile_rows + 77, tile_rows + 1, 5, 0};
inline constexpr int sequences = 5;
inline constexpr int tiles = 2;
inline constexpr int out_ints = sequences * tiles * tile_rows * planes * cols;

/// The page of rows `8 * position` to `8 * position + 7` of a sequence.
[[nodiscard]] DMA_HOST_DEVICE constexpr int page_of(int sequence, int position) {
  return (position * 23 + sequence * 5 + 11) % pages;
}

struct Body {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, dma::CudaBarrier, dma::TensorCopy<>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Body>& cta, const dma::TensorMap<Tile>& map, Tile tile,
                                  int* out) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const int sequence = cta.block().x;
    constexpr int rows[] = {sequence_rows[0], sequence_rows[1], sequence_rows[2], sequence_rows[3], sequence_rows[4]};
    tile.rows = rows[sequence];
    tile.pages += sequence * pages;
    const auto at = [&](int t) {
      Tile now = tile;
      now.row = t * tile_rows;
      return now;
    };
    pipe.for_each_tile(
        {.last = tiles}, [&](const auto& dma, int t) { dma.load(map, at(t)); },
        [&](const auto& compute, int t) {
          const auto slot = compute.wait(at(t));
          int* const to = out + (sequence * tiles + t) * slot.size();
          for (int i = compute.rank(); i < slot.size(); i += compute.size()) {
            to[i] = slot[Tile::place_of(i)];
          }
        });
  }
};

[[nodiscard]] inline Tile tile_of(const int* page_table) {
  return {.array = {pages, page_rows, page_ints * 4, 0, planes * cols * 4}, .pages = page_table};
}
[[nodiscard]] inline std::vector<int> page_table() {
  std::vector<int> table;
  for (int sequence = 0; sequence < sequences; ++sequence) {
    for (int position = 0; position < pages; ++position) {
      table.push_back(page_of(sequence, position));
    }
  }
  return table;
}
/// What memory has at column c of plane p of row r of a page.
[[nodiscard]] constexpr int number(int page, int r, int p, int c) {
  return ((page * page_rows + r) * planes + p) * cols + c + 1;
}
[[nodiscard]] inline std::vector<int> memory() {
  std::vector<int> all;
  for (int i = 0; i < pages * page_ints; ++i) {
    all.push_back(i + 1);
  }
  return all;
}
/// Elements of `out` that are not those of the sequences, plane by plane and row by row in each tile.
[[nodiscard]] inline int count_wrong(const std::vector<int>& out) {
  int wrong = 0;
  std::size_t i = 0;
  for (int sequence = 0; sequence < sequences; ++sequence) {
    for (int t = 0; t < tiles; ++t) {
      for (int p = 0; p < planes; ++p) {
        for (int row = t * tile_rows; row < (t + 1) * tile_rows; ++row) {
          for (int c = 0; c < cols; ++c) {
            const int page = page_of(sequence, row / page_rows);
            wrong += out[i++] == (row < sequence_rows[sequence] ? number(page, row % page_rows, p, c) : 0) ? 0 : 1;
          }
        }
      }
    }
  }
  return wrong;
}

}  // namespace box_list
