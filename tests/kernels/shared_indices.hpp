#pragma once

/// Gathers by a list of indices in shared memory, written there in each way that a kernel has. Every body copies row
/// `list[i]` of the table to row i of `out`.

#include <dma/buffering/multi_buffer.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/patterns/indirect.hpp>
#include <dma/patterns/sequential.hpp>
#include <dma/pipeline.hpp>
#include <dma/sync/cuda_barrier.hpp>
#include <dma/sync/named_barrier.hpp>

namespace shared_indices {

inline constexpr int rows = 8;   ///< of a tile
inline constexpr int cols = 12;  ///< elements of a row

struct Job {
  const int* table;
  int table_rows;
  const int* list;  ///< `tiles * rows` indices
  int tiles;
  int* out;
};

using Tile = dma::Indirect<int, cols, rows>;

DMA_HOST_DEVICE Tile tile_by(const int* indices, const Job& job) {
  return {.indices = indices, .table_rows = job.table_rows};
}
template <class Handle, class Slot>
DMA_HOST_DEVICE void write_out(const Handle& compute, const Slot& slot, const Job& job, int tile) {
  for (int i = compute.rank(); i < slot.size(); i += compute.size()) {
    job.out[tile * rows * cols + i] = slot[i];
  }
}

/// All threads write the whole list before they take their roles.
template <class Barrier, int DmaWarps = 1>
struct StagedOnce {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<DmaWarps>, dma::Dma<DmaWarps>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2 * DmaWarps, dma::DmaGroups{.count = 2}>, Barrier>;
  static_assert(Pipe::warp_sets == (Pipe::barrier_ids == 0 ? 2 * DmaWarps : 2), "every warp gathers tiles of its own");
  static constexpr int most_tiles = 20;
  struct Shared {
    typename Pipe::Storage storage;
    int list[most_tiles * rows];
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<StagedOnce>& cta, const Job& job) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.storage);
    for (int i = cta.thread(); i < job.tiles * rows; i += Layout::threads) {
      shared.list[i] = job.list[i];
    }
    cta.sync();
    pipe.for_each_tile(
        {.last = job.tiles}, [&](const auto& dma, int t) { dma.load(job.table, tile_by(shared.list + t * rows, job)); },
        [&](const auto& compute, int t) { write_out(compute, compute.wait(), job, t); });
  }
};

/// The compute warps write the list of a tile into the place of the one two before it, and then give that one's slot
/// back. The DMA warps read the list when they have waited for the slot: `load` would read it before.
template <class Barrier, int DmaWarps = 1>
struct StagedTileByTile {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<DmaWarps>>;
  using Pipe = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout>, Barrier>;
  struct Shared {
    typename Pipe::Storage storage;
    int lists[Pipe::stages][rows];
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<StagedTileByTile>& cta, const Job& job) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.storage);
    const auto stage = [&](int thread, int threads, int tile) {
      for (int i = thread; i < rows && tile < job.tiles; i += threads) {
        shared.lists[tile % Pipe::stages][i] = job.list[tile * rows + i];
      }
    };
    for (int tile = 0; tile < Pipe::stages; ++tile) {
      stage(cta.thread(), Layout::threads, tile);
    }
    cta.sync();  // in the first round no warp waits for an empty slot
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      for (int t = 0; t < job.tiles; ++t) {
        dma.wait_until_empty();
        dma.copy(job.table, tile_by(shared.lists[t % Pipe::stages], job));
        dma.signal_full();
      }
    } else {
      const auto compute = pipe.as_compute();
      for (int t = 0; t < job.tiles; ++t) {
        auto slot = compute.wait();
        write_out(compute, slot, job, t);
        stage(compute.rank(), compute.size(), t + Pipe::stages);
        slot.release();
      }
    }
  }
};

/// A pipeline loads the list, and a second one gathers by the slot of the first. Every warp has both roles, so that the
/// ones that gather may hold the list.
struct StagedByPipeline {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  using PipeOfLists = dma::DmaPipeline<dma::Sequential<int, rows>, dma::DoubleBuffer<Layout>, dma::CudaBarrier>;
  using PipeOfRows = dma::DmaPipeline<Tile, dma::SingleBuffer<Layout>, dma::CudaBarrier>;
  struct Shared {
    PipeOfLists::Storage lists;
    PipeOfRows::Storage rows_of_table;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<StagedByPipeline>& cta, const Job& job) const {
    auto& shared = cta.shared<Shared>();
    PipeOfLists lists(cta, shared.lists);
    PipeOfRows rows_of_table(cta, shared.rows_of_table);
    lists.for_each_tile(
        {.last = job.tiles}, [&](const auto& dma, int t) { dma.load(job.list + t * rows); },
        [&](const auto& compute, int t) {
          const auto list = compute.wait();
          rows_of_table.as_dma().load(job.table, tile_by(list.data(), job));
          write_out(compute, rows_of_table.as_compute().wait(), job, t);
        });
  }
};

/// Of four DMA warps, those that gather a tile together.
template <auto Stages, class Pattern, class Barrier>
inline constexpr int moving_warps =
    dma::detail::PipelineFacts<dma::DmaPipeline<
        Pattern, dma::MultiBuffer<dma::WarpLayout<dma::Compute<2>, dma::Dma<4>>, Stages>, Barrier>>::moving_threads /
    dma::warp_size;
static_assert(moving_warps<8, Tile, dma::CudaBarrier> == 1 && moving_warps<6, Tile, dma::CudaBarrier> == 2);
static_assert(moving_warps<3, Tile, dma::CudaBarrier> == 4 && moving_warps<2, Tile, dma::NamedBarrier> == 4);
static_assert(moving_warps<8, dma::Sequential<int, rows>, dma::CudaBarrier> == 1);
static_assert(moving_warps<dma::AutomaticStages{}, Tile, dma::CudaBarrier> == 1);

/// Elements that come back wrong, over 0, 1 and more tiles and in every way.
template <class Runner>
long long wrong_elements(Runner& runner) {
  constexpr int table_rows = 67;
  constexpr int most_tiles = StagedOnce<dma::CudaBarrier>::most_tiles;
  int* const table = reinterpret_cast<int*>(runner.bytes(table_rows * cols * 4));
  int* const list = reinterpret_cast<int*>(runner.bytes(most_tiles * rows * 4));
  int* const out = reinterpret_cast<int*>(runner.bytes(most_tiles * rows * cols * 4));
  for (int i = 0; i < table_rows * cols; ++i) {
    table[i] = i;
  }
  for (int i = 0; i < most_tiles * rows; ++i) {
    list[i] = i * i % table_rows;
  }
  long long wrong = 0;
  const auto check = [&](const auto& body) {
    for (const int tiles : {0, 1, 2, 3, most_tiles}) {
      for (int i = 0; i < most_tiles * rows * cols; ++i) {
        out[i] = -1;
      }
      runner.run(body, 1, Job{table, table_rows, list, tiles, out});
      for (int i = 0; i < most_tiles * rows * cols; ++i) {
        const int row = i / cols;
        const int expected = row < tiles * rows ? row * row % table_rows * cols + i % cols : -1;
        wrong += out[i] == expected ? 0 : 1;
      }
    }
  };
  check(StagedOnce<dma::NamedBarrier>{});
  check(StagedOnce<dma::CudaBarrier, 2>{});
  check(StagedTileByTile<dma::NamedBarrier>{});
  check(StagedTileByTile<dma::CudaBarrier, 2>{});
  check(StagedByPipeline{});
  return wrong;
}

}  // namespace shared_indices
