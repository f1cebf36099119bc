#pragma once

/// Rows of a sequence in pages, each moved by itself: by tensor maps, four at a time.

#include <dma/buffering/multi_buffer.hpp>
#include <dma/engines/tensor/tensor_copy.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/patterns/paged.hpp>
#include <dma/patterns/store.hpp>
#include <dma/pipeline.hpp>
#include <dma/sync/cuda_barrier.hpp>

namespace single_rows {

template <class Element, dma::PagedShape Shape, dma::Swizzle swizzle = dma::Swizzle::none>
using Rows = dma::Paged<Element, Shape, dma::RowLayout{.swizzle = swizzle}>;

/// What a sequence stores in column c of its row r.
template <class Element>
[[nodiscard]] DMA_HOST_DEVICE constexpr Element stored(int r, int c) {
  return static_cast<Element>(1 + (r * 37 + c * 5) % 251);
}

/// Copies the tiles of a sequence to `out`: T[rows of all tiles][planes * columns].
template <class Tile_, int dma_warps = 1>
struct Loads {
  using Tile = Tile_;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<dma_warps>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, dma::CudaBarrier, dma::TensorCopy<>>;
  static constexpr int cols = Tile::Tile::cols;
  static constexpr int width = Tile::Tile::planes * cols;
  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Loads>& cta, const dma::TensorMap<Tile>& map, Tile tile,
                                  typename Tile::Element* out) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const auto at = [&](int row) {
      Tile now = tile;
      now.row = row;
      return now;
    };
    pipe.for_each_tile(
        {.last = tile.rows, .step = Tile::Tile::rows}, [&](const auto& dma, int row) { dma.load(map, at(row)); },
        [&](const auto& compute, int row) {
          const auto slot = compute.wait(at(row));
          for (int i = compute.rank(); i < Tile::Tile::rows * width; i += compute.size()) {
            out[row * width + i] = slot[Tile::index(i % width / cols, i / width, i % cols)];
          }
        });
  }
};

/// Stores the rows of a sequence from row `first` on.
template <class Tile_>
struct Stores {
  using Tile = Tile_;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Layout, 2>, dma::CudaBarrier, dma::TensorCopy<>>;
  static constexpr int cols = Tile::Tile::cols;
  static constexpr int width = Tile::Tile::planes * cols;
  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Stores>& cta, const dma::TensorMap<Tile>& map, Tile tile,
                                  int first) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const auto at = [&](int row) {
      Tile now = tile;
      now.row = row;
      return now;
    };
    pipe.for_each_tile(
        {.first = first, .last = tile.rows, .step = Tile::Tile::rows},
        [&](const auto& dma, int row) { dma.store(map, at(row)); },
        [&](const auto& compute, int row) {
          const auto slot = compute.wait(at(row));
          for (int i = compute.rank(); i < Tile::Tile::rows * width; i += compute.size()) {
            slot[Tile::index(i % width / cols, i / width, i % cols)] =
                stored<typename Tile::Element>(row + i / width, i % width);
          }
        });
  }
};

}  // namespace single_rows
