#pragma once

#include <dma/dma.hpp>

/// sums[b] = table[ids[offsets[b]]] + ... + table[ids[offsets[b + 1] - 1]]: the sum of the rows of each bag, as in an
/// embedding bag. A bag may have any number of rows, also none.
///
/// CTA c of C has the bags from `bags * c / C` on. Their ids are one list, which is moved `Rows` rows at a time,
/// whatever the sizes of the bags: a tile may end within a bag or contain many. Each compute thread adds up the same
/// few columns of every row, so that all of them are busy in bags of any size.
///
/// @pre `offsets` has bags + 1 elements and begins with 0; ids are rows of the table, whose address is a multiple
/// of 16.
template <class Layout_, int Cols, int Rows, int Stages, int Groups = 1>
struct SumBags {
  using Tile = dma::Indirect<float, Cols, Rows>;
  using Layout = Layout_;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, Stages, dma::DmaGroups{.count = Groups}>>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  static constexpr int columns = Cols / Layout::compute_threads;  ///< of a thread
  static_assert(columns * Layout::compute_threads == Cols, "each thread has equally many columns");

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SumBags>& cta, const float* table, long long table_rows,
                                  const int* ids, const int* offsets, int bags, float* sums) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const int bag = first_bag(cta.block().x, cta.blocks().x, bags);
    const int end = first_bag(cta.block().x + 1, cta.blocks().x, bags);
    const int first = offsets[bag];
    const int last = offsets[end];
    const auto tile_at = [&](int id) {
      return Tile{.indices = ids + id, .table_rows = table_rows, .rows = last - id < Rows ? last - id : Rows};
    };

    Sum sum(offsets, bag, end, sums + cta.thread() * columns);
    pipe.for_each_tile(
        {.first = first, .last = last, .step = Rows},  //
        [&](const auto& dma, int id) { dma.load(table, tile_at(id)); },
        [&](const auto& compute, int id) {
          const Tile tile = tile_at(id);
          const auto slot = compute.wait(tile);
          const auto vectors = slot.template vectors<columns>();
          const auto add = [&](int row) { sum.add(vectors(row, compute.rank() * columns)); };
          for (int row = 0; row < tile.rows;) {
            sum.finish_bags_before(id + row);
            const int stop = sum.end_of_bag() - id < tile.rows ? sum.end_of_bag() - id : tile.rows;
            constexpr int at_once = 8;
            for (; row + at_once <= stop; row += at_once) {
              dma::unrolled<at_once>([&](auto k) { add(row + k); });
            }
            for (; row < stop; ++row) {
              add(row);
            }
          }
        });
    if (cta.thread() < Layout::compute_threads) {
      sum.finish_all_bags();
    }
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE static int first_bag(int cta, int ctas, int bags) {
    return static_cast<int>(static_cast<long long>(bags) * cta / ctas);
  }

  /// A thread's columns of the bags `bag` to `last` - 1, one after another.
  class Sum {
   public:
    DMA_HOST_DEVICE Sum(const int* offsets, int bag, int last, float* sums)
        : offsets_(offsets), sums_(sums), bag_(bag), last_(last), end_(end_of(bag)), next_end_(end_of(bag + 1)) {}

    /// The position of the first id behind the bag's.
    [[nodiscard]] DMA_HOST_DEVICE int end_of_bag() const { return end_; }
    DMA_HOST_DEVICE void add(const dma::Vector<float, columns>& row) { sum_ += row; }
    DMA_HOST_DEVICE void finish_bags_before(int id) {
      while (end_ == id) {
        finish_bag();
      }
    }
    DMA_HOST_DEVICE void finish_all_bags() {
      while (bag_ < last_) {
        finish_bag();
      }
    }

   private:
    [[nodiscard]] DMA_HOST_DEVICE int end_of(int bag) const { return offsets_[bag < last_ ? bag + 1 : last_]; }
    DMA_HOST_DEVICE void finish_bag() {
      *dma::vectors<columns>(sums_ + static_cast<long long>(bag_) * Cols) = sum_;
      sum_ = {};
      ++bag_;
      end_ = next_end_;
      next_end_ = end_of(bag_ + 1);
    }

    const int* offsets_;
    float* sums_;
    int bag_;
    int last_;
    int end_;
    int next_end_;  ///< read a bag ahead, so that no thread waits for it
    dma::Vector<float, columns> sum_{};
  };
};
