#pragma once

#include "host/proof/wrong_kernels.hpp"

#include <dma/engines/tensor/host_tensor_map.hpp>

#include <cstddef>
#include <memory>

/// Global memory, and CTAs that have to do with each other.
namespace wrong {

/// Four rows of four elements, of an array of 16 x 16.
using Box = dma::Tile2D<int, 4, 4, dma::RowLayout{.alignment = 16}>;
using BoxLoad = dma::DmaPipeline<Box, dma::MultiBuffer<Layout, 2>, Phase, dma::TensorCopy<>>;
using BoxStore = dma::DmaPipeline<dma::Store<Box>, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 1}>, Phase,
                                  dma::TensorCopy<>>;
[[nodiscard]] constexpr Box box_at(int row) {
  return {.pitch_bytes = 64, .array_rows = 16, .array_cols = 16, .row = row};
}

inline void store_box(Thread& t, int row) {
  BoxStore pipe(t.cta, t.at<BoxStore::Storage>(0));
  if (pipe.is_dma()) {
    // Not on the stack, where no launch puts a map.
    const auto map = std::make_unique<const dma::TensorMap<Box>>(dma::host::tensor_map<Box>(t.out, box_at(row)));
    pipe.as_dma().store(*map, box_at(row));
  } else if (pipe.is_compute()) {
    auto slot = pipe.as_compute().wait(box_at(row));
    if (t.rank() < 16) {
      slot[t.rank()] = t.rank();
    }
  }
}

/// Adds tiles to those of the array, by bulk copies.
inline void add_tiles(Thread& t, int tiles) {
  using Sums =
      dma::DmaPipeline<dma::StoreAdd<Tile>, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 1}>, Phase, Bulk>;
  Sums pipe(t.cta, t.at<Sums::Storage>(0));
  if (computes_after_storing(t, pipe, tiles)) {
    for (int tile = 0; tile < tiles; ++tile) {
      pipe.as_compute().wait()[t.rank()] = tile + t.rank();
    }
  }
}

/// Global memory that a kernel both writes and reads.
inline const std::vector<Program> global_memory = {
    {"a warp reads from global memory what another of its CTA writes",
     {Kind::race, Kind::different_outputs},
     [](Thread& t) {
       t.out[t.rank()] = t.rank();
       t.out[512 + t.rank()] = t.out[here(127 - t.rank())];
     },
     "; element 63 of output 0, read"},
    {"all threads add to one number in global memory",
     {Kind::race},
     [](Thread& t) { t.out[here(0)] += 1; },
     "global memory; element 0 of output 0, written"},
    {"the warp that counts last, by a relaxed atomic, adds up what the others wrote",
     {Kind::race, Kind::different_outputs, Kind::depends_on_schedule},
     [](Thread& t) {
       if (t.lane() == 0) {
         t.out[t.cta.warp()] = t.cta.warp() + 1;
         if (dma::machine::count(t.words, 1) == 3) {
           t.out[8] = t.out[0] + t.out[1] + t.out[2] + t.out[3];
         }
       }
     }},
    {"all CTAs write one array",
     {Kind::race, Kind::different_outputs},
     [](Thread& t) { t.out[t.rank()] = t.cta.block().x; },
     "",
     3},
    {"each CTA reads what the one before it wrote",
     {Kind::race, Kind::different_outputs, Kind::depends_on_schedule},
     [](Thread& t) {
       const int block = t.cta.block().x;
       t.out[(block + 1) * 128 + t.rank()] = block == 0 ? 1 : t.out[block * 128 + t.rank()] + 1;
     },
     "",
     3},
    {"each CTA reads what the one after it writes",
     {Kind::race, Kind::different_outputs, Kind::depends_on_schedule},
     [](Thread& t) {
       const int block = t.cta.block().x;
       t.out[1024 + block * 128 + t.rank()] = t.out[(block + 1) * 128 + t.rank()];
       t.out[block * 128 + t.rank()] = block;
     },
     "",
     3},
    {"bulk stores of two tiles overlap in global memory",
     {Kind::race, Kind::unfinished_copy},
     [](Thread& t) {
       Store pipe(t.cta, t.at<Store::Storage>(0));
       if (pipe.is_dma()) {
         for (int tile = 0; tile < 3; ++tile) {
           pipe.as_dma().store(t.out + tile * count / 2);
         }
       } else if (pipe.is_compute()) {
         for (int tile = 0; tile < 3; ++tile) {
           pipe.as_compute().wait()[t.rank()] = tile;
         }
       }
     }},
    {"CTAs store overlapping tiles",
     {Kind::race, Kind::different_outputs},
     [](Thread& t) {
       StoreByThreads pipe(t.cta, t.at<StoreByThreads::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().store(t.out + t.cta.block().x * 60, Tile{64});
       } else if (pipe.is_compute()) {
         pipe.as_compute().wait()[t.rank()] = t.cta.block().x;
       }
     },
     "",
     2},
    {"what a bulk store has read, but not written, is read from global memory",
     {Kind::race, Kind::unfinished_copy},
     [](Thread& t) {
       auto& tile = t.at<int[64]>(own);
       if (t.rank() < 64) {
         tile[t.rank()] = t.rank();
       }
       dma::machine::fence_async_proxy();
       t.cta.sync();
       if (t.rank() == 0) {
         dma::machine::copy_bulk_to_global<dma::CacheHints{}>(reinterpret_cast<unsigned char*>(t.out),
                                                              reinterpret_cast<unsigned char*>(tile), 256);
         dma::machine::commit_bulk_group();
         dma::machine::wait_for_bulk_reads<0>();
       }
       t.cta.sync();
       t.out[512 + t.rank()] = t.out[here(t.rank() % 64)];
       if (t.rank() == 0) {
         dma::machine::wait_for_bulk_groups();
       }
     }},
    {"what a pipeline stores by bulk copies is read without close()",
     {Kind::race, Kind::unfinished_copy, Kind::missing_fence},
     [](Thread& t) {
       {
         Store pipe(t.cta, t.at<Store::Storage>(0));
         if (computes_after_storing(t, pipe, 3)) {
           for (int tile = 0; tile < 3; ++tile) {
             pipe.as_compute().wait()[t.rank()] = tile;
           }
         }
       }
       t.cta.sync();
       t.out[512 + t.rank()] = t.out[here(t.rank())];
     }},
    {"threads write what a bulk copy loads later, without a proxy fence",
     {Kind::missing_fence, Kind::race, Kind::unfinished_copy},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (t.rank() < 64) {
         t.out[t.rank()] = t.rank();
       }
       t.cta.sync();
       if (pipe.is_dma()) {
         pipe.as_dma().load(t.out);
       } else if (pipe.is_compute()) {
         t.out[512 + t.rank()] = pipe.as_compute().wait()[t.rank()];
       }
     }},
    {"a tile is loaded while the tile before is written over it",
     {Kind::race, Kind::missing_fence, Kind::unfinished_copy},
     [](Thread& t) {
       LoadByThreads pipe(t.cta, t.at<LoadByThreads::Storage>(0));
       if (pipe.is_dma()) {
         for (int tile = 0; tile < 5; ++tile) {
           pipe.as_dma().load(t.out + tile * count);
         }
       } else if (pipe.is_compute()) {
         for (int tile = 0; tile < 5; ++tile) {
           const auto slot = pipe.as_compute().wait();
           t.out[(tile + 1) * count + t.rank()] = slot[t.rank()];
         }
       }
     }},
    {"sums of bulk copies are read before they are complete",
     {Kind::race, Kind::unfinished_copy},
     [](Thread& t) {
       add_tiles(t, 2);
       t.cta.sync();
       t.out[512 + t.rank()] = t.out[t.rank()];
     }},
    {"CTAs store boxes that overlap",
     {Kind::race, Kind::different_outputs},
     [](Thread& t) { store_box(t, 3 * t.cta.block().x); },
     "writes by a copy elements 48 to 51 of output 0",
     2},
    {"a box is read from global memory before it is there",
     {Kind::race, Kind::unfinished_copy},
     [](Thread& t) {
       store_box(t, 0);
       t.cta.sync();
       t.out[512 + t.rank()] = t.out[here(t.rank() % 4)];
     }},
    {"a box is loaded that a thread of the CTA has written",
     {Kind::race, Kind::missing_fence},
     [](Thread& t) {
       BoxLoad pipe(t.cta, t.at<BoxLoad::Storage>(0));
       if (pipe.is_dma()) {
         const auto map = std::make_unique<const dma::TensorMap<Box>>(dma::host::tensor_map<Box>(t.out, box_at(0)));
         pipe.as_dma().load(*map, box_at(0));
       } else if (pipe.is_compute()) {
         t.out[here(t.rank())] = 1;
         t.out[512 + t.rank()] = pipe.as_compute().wait(box_at(0))[t.rank() % 16];
       }
     }},
    {"a CTA writes what another one has written, if a third one has counted before it",
     {Kind::race},
     [](Thread& t) {
       const int block = t.cta.block().x;
       if (t.rank() == 0 && (block == 0 || (dma::machine::count(t.words, 1) == 1 && block == 1))) {
         t.out[0] = 1;
       }
     },
     "race between CTAs",
     3},
    {"a number is set while a bulk copy of another CTA adds to it",
     {Kind::race, Kind::different_outputs},
     [](Thread& t) {
       if (t.cta.block().x == 0 && t.rank() == 0) {
         t.out[5] = 7;
       } else if (t.cta.block().x == 1) {
         add_tiles(t, 1);
       }
     },
     "by a copy",
     2},
};

/// Combines what the CTAs left, with `before` and `after` the counter, as is_last_cta does with two syncs.
template <bool before, bool after>
void add_in_the_last(Thread& t) {
  const int block = t.cta.block().x;
  auto& shared = t.at<dma::ArrivalCounter>(own);
  t.out[block * 128 + t.rank()] = block;
  if constexpr (before) {
    t.cta.sync();
  } else {
    t.cta.sync_warp();
  }
  if (t.rank() == 0) {
    shared.arrived = dma::machine::count_around(reinterpret_cast<unsigned*>(t.words), 2);
  }
  if constexpr (after) {
    t.cta.sync();
  } else {
    t.cta.sync_warp();
  }
  if (shared.arrived == 2) {
    int sum = 0;
    for (int other = 0; other < 3; ++other) {
      sum += t.out[other * 128 + 127 - t.rank()];
    }
    t.out[1024 + t.rank()] = sum;
  }
}

inline const std::vector<Program> last_ctas = {
    {"the last CTA is asked for without a sync before the counter",
     {Kind::race, Kind::different_outputs},
     add_in_the_last<false, true>,
     "",
     3},
    {"the last CTA is asked for without a sync after the counter",
     {Kind::race, Kind::different_outputs, Kind::depends_on_schedule, Kind::broken_contract},
     add_in_the_last<true, false>,
     "",
     3},
    {"a CTA reads what the one before it left, and asks the counter afterwards",
     {Kind::race, Kind::different_outputs, Kind::depends_on_schedule},
     [](Thread& t) {
       const int block = t.cta.block().x;
       int* const mine = t.out + block * 128;
       mine[t.rank()] = block == 0 ? 0 : mine[t.rank() - 128];
       static_cast<void>(dma::is_last_cta(t.cta, *reinterpret_cast<dma::ArrivalCounter*>(t.words), 3,
                                          t.at<dma::ArrivalCounter>(own)));
     },
     "race between CTAs",
     3},
    {"what the CTAs left is read by the last without asking the counter",
     {Kind::race, Kind::different_outputs},
     [](Thread& t) {
       const int block = t.cta.block().x;
       t.out[block * 128 + t.rank()] = block;
       t.cta.sync();
       if (block == 2) {
         t.out[1024 + t.rank()] = t.out[t.rank()] + t.out[128 + t.rank()];
       }
     },
     "",
     3},
    {"one CTA does not ask whether it is the last",
     {Kind::broken_contract, Kind::armed_at_exit, Kind::depends_on_schedule, Kind::deadlock},
     [](Thread& t) {
       const int block = t.cta.block().x;
       t.out[block * 128 + t.rank()] = block;
       if (block != 1 && dma::is_last_cta(t.cta, *reinterpret_cast<dma::ArrivalCounter*>(t.words), 3,
                                          t.at<dma::ArrivalCounter>(own))) {
         t.out[1024 + t.rank()] = t.out[t.rank()];
       }
     },
     "",
     3},
    {"the last CTA is asked for among more CTAs than there are",
     {Kind::broken_contract, Kind::armed_at_exit, Kind::depends_on_schedule, Kind::deadlock},
     [](Thread& t) {
       if (dma::is_last_cta(t.cta, *reinterpret_cast<dma::ArrivalCounter*>(t.words), 4,
                            t.at<dma::ArrivalCounter>(own))) {
         t.out[t.rank()] = 1;
       }
     },
     "",
     3},
    {"the last CTA is asked for by the compute warps alone",
     {Kind::broken_contract, Kind::deadlock, Kind::unconverged_lanes, Kind::race},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 1)) {
         static_cast<void>(pipe.as_compute().wait());
         static_cast<void>(dma::is_last_cta(t.cta, *reinterpret_cast<dma::ArrivalCounter*>(t.words), 2,
                                            t.at<dma::ArrivalCounter>(own)));
       }
     },
     "",
     2},
};

/// For a cooperative body.
inline const std::vector<Program> paces = {
    {"a CTA takes no part in the pace of the others",
     {Kind::deadlock, Kind::broken_contract, Kind::armed_at_exit, Kind::depends_on_schedule},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       auto* const counter = reinterpret_cast<dma::PaceCounter*>(t.words);
       const auto load = [&] {
         dma::Pace<1> pace(t.cta, pipe, counter);
         for (int tile = 0; tile < 4; ++tile) {
           pace.step();
           pipe.as_dma().load(t.in + tile * count);
         }
       };
       if (pipe.is_dma()) {
         if (t.cta.block().x != 1) {
           load();
         } else {
           for (int tile = 0; tile < 4; ++tile) {
             pipe.as_dma().load(t.in + tile * count);
           }
         }
       } else if (pipe.is_compute()) {
         for (int tile = 0; tile < 4; ++tile) {
           static_cast<void>(pipe.as_compute().wait());
         }
       }
     },
     "",
     3},
    {"the counter of a pace is not zero before the launch",
     {Kind::deadlock, Kind::broken_contract, Kind::armed_at_exit, Kind::depends_on_schedule},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (t.rank() == 0 && t.cta.block().x == 0) {
         t.words[0] = 3;
       }
       t.cta.sync();
       dma::Pace<1> pace(t.cta, pipe, reinterpret_cast<dma::PaceCounter*>(t.words));
       if (pipe.is_dma()) {
         pace.step();
         pipe.as_dma().load(t.in);
       } else if (pipe.is_compute()) {
         static_cast<void>(pipe.as_compute().wait());
       }
     },
     "",
     2},
};

/// For a body with programmatic launch.
inline const std::vector<Program> early_starts = {
    {"a tile is loaded before the wait for the grids before",
     {Kind::race, Kind::broken_contract},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().load(t.in);
         t.cta.grid_dependency_wait();
       } else {
         t.cta.grid_dependency_wait();
         if (pipe.is_compute()) {
           t.out[t.rank()] = pipe.as_compute().wait()[t.rank()];
         }
       }
     }},
    {"global memory is written before the wait for the grids before",
     {Kind::race, Kind::broken_contract},
     [](Thread& t) {
       t.out[here(t.rank())] = 1;
       t.cta.grid_dependency_wait();
     }},
    {"the DMA warps do not wait for the grids before",
     {Kind::race, Kind::broken_contract},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (!pipe.is_dma()) {
         t.cta.grid_dependency_wait();
       }
       if (computes_after_loading(t, pipe, 1)) {
         t.out[t.rank()] = pipe.as_compute().wait()[t.rank()];
       }
     }},
    {"one thread waits for the grids before, and the others only synchronize before that",
     {Kind::broken_contract},
     [](Thread& t) {
       t.cta.sync();
       if (t.rank() == 0) {
         t.cta.grid_dependency_wait();
       }
       t.out[here(t.rank())] = 1;
     },
     "cta.grid_dependency_wait()"},
    {"a warp waits for the grids before, and one that does not meet it writes",
     {Kind::broken_contract},
     [](Thread& t) {
       if (t.cta.warp() == 0) {
         t.cta.grid_dependency_wait();
       }
       if (t.cta.warp() != 1) {
         dma::machine::barrier_sync(1, 96, {});
       }
       t.out[here(t.rank())] = 1;
     },
     "synchronize with a thread that has"},
    {"one thread waits for the grids before, and the others write behind a sync",
     {Kind::none},
     [](Thread& t) {
       if (t.rank() == 40) {
         t.cta.grid_dependency_wait();
       }
       t.cta.sync();
       t.out[t.rank()] = 1;
     }},
    {"no thread waits for the grids before",
     {Kind::race, Kind::broken_contract},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 1)) {
         t.out[t.rank()] = pipe.as_compute().wait()[t.rank()];
       }
     }},
};

}  // namespace wrong
