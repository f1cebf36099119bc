#pragma once

#include "kernels/right.hpp"

#include <dma/kernel/pending_ctas.hpp>

/// Kernels whose CTAs take tiles from a counter, or those of CTAs that have not begun.
namespace right {

/// Loads the tiles of a queue by the DMA warps, and calls `use(t)` for each in the others.
template <class Pipe, class Queue, class Use>
DMA_HOST_DEVICE void load_and_use(Pipe& pipe, Queue& queue, const int* in, const Use& use) {
  const auto load = [&](int t) { pipe.as_dma().load(in + t * Pipe::Pattern::count); };
  if constexpr (!Pipe::Layout::is_specialized) {
    for (const int t : queue) {
      load(t);
      use(t);
    }
  } else if (pipe.is_dma()) {
    for (const int t : queue) {
      load(t);
    }
  } else {
    for (const int t : queue) {
      use(t);
    }
  }
}

/// Later tiles take longer.
template <class Layout_, int Slots, int Ahead, class Engine>
struct QueuedTiles {
  static constexpr const char* name = "tiles of unequal cost, taken from a counter and handed to all warps";
  static constexpr int tiles = 23;
  static constexpr int ctas = 3;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = in_count;
  using Layout = Layout_;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, Phase, Engine>;
  using Queue = dma::TileQueue<Layout, Slots, Ahead>;
  struct Shared {
    typename Pipe::Storage storage;
    typename Queue::Storage queue;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<QueuedTiles>& cta, const int* in, int* out, Word* words) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.storage);
    Queue queue(cta, shared.queue, *reinterpret_cast<dma::TileCounter*>(words), tiles);
    const auto use = [&](int t) {
      const auto compute = pipe.as_compute();
      const auto slot = compute.wait();
      for (int i = compute.rank(); i < count; i += compute.size()) {
        int sum = slot[i];
        for (int repeat = 0; repeat < t; ++repeat) {
          sum = (sum * 5 + 1) % 10007;
        }
        out[t * count + i] = sum;
      }
    };
    load_and_use(pipe, queue, in, use);
  }
  static int expected(const int* in, int i) {
    int sum = in[i];
    for (int repeat = 0; repeat < i / 64; ++repeat) {
      sum = (sum * 5 + 1) % 10007;
    }
    return sum;
  }
};

/// A skinny product: a row of a matrix's column sums, whose rows are split among units of work that add up in global
/// memory. Three roles take the same numbers.
struct QueuedSums {
  static constexpr const char* name = "sums over split rows, added in global memory by the CTAs that take them";
  static constexpr int units = 13;
  static constexpr int rows = 4;  ///< of a unit
  static constexpr int panels = 2;
  static constexpr int ctas = 4;
  static constexpr int in_count = units * panels * rows * count;
  static constexpr int out_count = panels * count;
  using Layout = Warps<2, 1, 1>;
  using Rows = dma::Sequential<int, rows * count>;
  using In = dma::DmaPipeline<Rows, dma::MultiBuffer<Layout, 3, dma::DmaGroups{.first = 0}>>;
  using Out = dma::DmaPipeline<dma::StoreAdd<Tile>, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 1}>>;
  using Queue = dma::TileQueue<Layout>;
  struct Shared {
    In::Storage in;
    Out::Storage out;
    Queue::Storage queue;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<QueuedSums>& cta, const int* in, int* out, Word* words) const {
    auto& shared = cta.shared<Shared>();
    In load(cta, shared.in);
    Out store(cta, shared.out);
    Queue queue(cta, shared.queue, *reinterpret_cast<dma::TileCounter*>(words), units * panels);
    cta.take_roles(
        [&] {
          const auto from = load.as_compute();
          const auto to = store.as_compute();
          for ([[maybe_unused]] const int unit : queue) {
            const auto row = from.wait();
            const auto sum = to.wait();
            const int i = from.rank();
            sum[i] = row[i] + row[count + i] + row[2 * count + i] + row[3 * count + i];
          }
        },
        [&] {
          for (const int unit : queue) {
            load.as_dma().load(in + unit * rows * count);
          }
        },
        [&] {
          for (const int unit : queue) {
            store.as_dma().store(out + unit % panels * count);
          }
        });
  }
  static int expected(const int* in, int i) {
    int sum = untouched;
    for (int row = 0; row < 104; ++row) {
      sum += row / 4 % 2 == i / 64 ? in[row * 64 + i % 64] : 0;
    }
    return sum;
  }
};

/// Tiles of CTAs that have not begun.
template <class Layout_, int Slots, int Ahead, int Cluster, class Engine>
struct PendingTiles {
  static constexpr const char* name = "tiles of CTAs that have not begun";
  static constexpr int ctas = 6;
  static constexpr int in_count = ctas * count;
  static constexpr int out_count = in_count;
  using Layout = Layout_;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, Phase, Engine>;
  using Queue = dma::TileQueue<Layout, Slots, Ahead, dma::PendingCtas<Cluster>>;
  struct Shared {
    typename Pipe::Storage storage;
    typename Queue::Storage queue;
  };
  static constexpr dma::KernelTraits traits{.cluster = Cluster};

  DMA_HOST_DEVICE void operator()(dma::KernelCta<PendingTiles>& cta, const int* in, int* out, Word*) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.storage);
    Queue queue(cta, shared.queue);
    const auto use = [&](int t) {
      const auto compute = pipe.as_compute();
      const auto slot = compute.wait();
      for (int i = compute.rank(); i < count; i += compute.size()) {
        out[t * count + i] = slot[i] + t;
      }
    };
    load_and_use(pipe, queue, in, use);
  }
  static int expected(const int* in, int i) { return in[i] + i / 64; }
};

using Pending = List<PendingTiles<Warps<2, 1>, 3, 1, 1, Bulk>, PendingTiles<Warps<1, 2>, 1, 1, 1, Async>,
                     PendingTiles<Warps<2>, 2, 2, 1, Registers>, PendingTiles<Warps<1, 1>, 2, 1, 2, Bulk>,
                     PendingTiles<Warps<1>, 4, 3, 3, Async>>;

using Queues = List<QueuedTiles<Warps<2, 1>, 8, 4, Bulk>, QueuedTiles<Warps<1, 2>, 1, 1, Async>,
                    QueuedTiles<Warps<2>, 2, 2, Registers>, QueuedTiles<Warps<1>, 3, 3, Async>, QueuedSums>;

}  // namespace right
