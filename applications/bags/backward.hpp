#pragma once

#include <dma/dma.hpp>

/// The backward of SumBags: table_gradient[ids[k]] += sums_gradient[b] for each id of each bag b.
///
/// The same tiles the other way: compute warps fill each row with the gradient of its bag, and the DMA warps add it to
/// the row of the table that the id names. Several ids, of any CTAs, may name one row.
///
/// @pre As for SumBags. The order of the additions is not defined.
template <class Layout_, int Cols, int Rows, int Stages>
struct AddToRowsOfBags {
  using Tile = dma::Indirect<float, Cols, Rows>;
  using Layout = Layout_;
  using Pipe = dma::DmaPipeline<dma::StoreAdd<Tile>, dma::MultiBuffer<Layout, Stages>>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  static constexpr int columns = Cols / Layout::compute_threads;  ///< of a thread
  static_assert(columns * Layout::compute_threads == Cols, "each thread has equally many columns");

  DMA_HOST_DEVICE void operator()(dma::KernelCta<AddToRowsOfBags>& cta, const float* sums_gradient, const int* ids,
                                  const int* offsets, int bags, float* table_gradient, long long table_rows) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    int bag = static_cast<int>(static_cast<long long>(bags) * cta.block().x / cta.blocks().x);
    const int last_bag = static_cast<int>(static_cast<long long>(bags) * (cta.block().x + 1) / cta.blocks().x);
    const int first = offsets[bag];
    const int last = offsets[last_bag];
    const auto tile_at = [&](int id) {
      return Tile{.indices = ids + id, .table_rows = table_rows, .rows = last - id < Rows ? last - id : Rows};
    };

    dma::Vector<float, columns> gradient{};
    int end = first;  // of the ids of the bags before `bag`, whose gradient is that of the last of them
    pipe.for_each_tile(
        {.first = first, .last = last, .step = Rows},  //
        [&](const auto& dma, int id) { dma.store(table_gradient, tile_at(id)); },
        [&](const auto& compute, int id) {
          const int column = compute.rank() * columns;
          const Tile tile = tile_at(id);
          const auto slot = compute.wait(tile);
          const auto vectors = slot.template vectors<columns>();
          for (int row = 0; row < tile.rows; ++row) {
            while (id + row == end) {
              gradient = *dma::vectors<columns>(sums_gradient + static_cast<long long>(bag) * Cols + column);
              ++bag;
              end = offsets[bag];
            }
            vectors(row, column) = gradient;
          }
        });
  }
};
