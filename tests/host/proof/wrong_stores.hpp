#pragma once

#include "host/proof/wrong_kernels.hpp"

/// Tiles of which an element is left from the slot's tile before: what a turn of a slot sends or hands over is written
/// in that turn. A compute thread leaves its element out in the last of several tiles. Each sort of store is one case.
namespace wrong {

/// More than the slots of any pipeline below, so that each slot has a tile before its last.
inline constexpr int stored_tiles = 5;

/// Whether the thread that fills element `i` leaves it out.
[[nodiscard]] inline bool is_left_out(int tile, int i) { return tile == stored_tiles - 1 && i == 37; }

/// Compute warps fill tiles and DMA warps store them.
template <class Pipe>
void store_all_but_one(Thread& t) {
  Pipe pipe(t.cta, t.at<typename Pipe::Storage>(0));
  if (computes_after_storing(t, pipe, stored_tiles)) {
    for (int tile = 0; tile < stored_tiles; ++tile) {
      auto slot = pipe.as_compute().wait();
      if (!is_left_out(tile, t.rank())) {
        slot[t.rank()] = tile;
      }
    }
  }
}
/// The same by the explicit calls.
template <class Pipe>
void store_all_but_one_by_hand(Thread& t) {
  Pipe pipe(t.cta, t.at<typename Pipe::Storage>(0));
  if (pipe.is_dma()) {
    const auto dma = pipe.as_dma();
    for (int tile = 0; tile < stored_tiles; ++tile) {
      dma.wait_until_full();
      dma.copy(t.out + tile * count);
      dma.signal_empty();
    }
  } else if (pipe.is_compute()) {
    const auto compute = pipe.as_compute();
    for (int tile = 0; tile < stored_tiles; ++tile) {
      int* const slot = compute.wait_until_empty();
      if (!is_left_out(tile, t.rank())) {
        slot[t.rank()] = tile;
      }
      compute.signal_full();
    }
  }
}
/// All warps fill tiles and store them.
template <class Pipe>
void fill_and_store_all_but_one(Thread& t) {
  Pipe pipe(t.cta, t.at<typename Pipe::Storage>(0));
  for (int tile = 0; tile < stored_tiles; ++tile) {
    {
      auto slot = pipe.as_compute().wait();
      if (!is_left_out(tile, t.rank())) {
        slot[t.rank()] = tile;
      }
    }
    pipe.as_dma().store(t.out + tile * count);
  }
}
/// The same by the loop of the library, which fills tiles ahead of their stores.
template <class Pipe>
void loop_over_all_but_one(Thread& t) {
  Pipe pipe(t.cta, t.at<typename Pipe::Storage>(0));
  pipe.for_each_tile(
      {.last = stored_tiles}, [&](const auto& dma, int tile) { dma.store(t.out + tile * count); },
      [&](const auto& compute, int tile) {
        auto slot = compute.wait();
        if (!is_left_out(tile, t.rank())) {
          slot[t.rank()] = tile;
        }
      });
}

using StoreAsync =
    dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 1}>, Phase, Async>;
using StoreNamed =
    dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 1}>, Named, Registers>;
using StoreByGroups = dma::DmaPipeline<dma::Store<Tile>, dma::DoubleBuffer<Layout>, Phase, Registers>;

inline const Kinds stale{Kind::unwritten_bytes};
inline constexpr const char* left_before = "left from the tile before";

inline const std::vector<Program> stale_stores = {
    {"by bulk copies", stale, store_all_but_one<Store>, left_before},
    {"through registers", stale, store_all_but_one<StoreByThreads>, left_before},
    {"by an engine that loads by cp.async", stale, store_all_but_one<StoreAsync>, left_before},
    {"through registers, over named barriers", stale, store_all_but_one<StoreNamed>, left_before},
    {"through registers, by two groups in turn", stale, store_all_but_one<StoreByGroups>, left_before},
    {"by bulk copies, by the explicit calls", stale, store_all_but_one_by_hand<Store>, left_before},
    {"through registers, by the explicit calls", stale, store_all_but_one_by_hand<StoreByThreads>, left_before},
};

/// A layout whose warps do both.
using NoDma = dma::WarpLayout<dma::Compute<2>>;
using BothByThreads = dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<NoDma, 2>, Phase, Registers>;
using BothNamed = dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<NoDma, 2>, Named, Registers>;
using BothInOneSlot = dma::DmaPipeline<dma::Store<Tile>, dma::SingleBuffer<NoDma>, Phase, Registers>;
using BothBulk = dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<NoDma, 2>, Phase, Bulk>;

inline const std::vector<Program> stale_stores_without_dma_warps = {
    {"by bulk copies", stale, fill_and_store_all_but_one<BothBulk>, left_before},
    {"through registers", stale, fill_and_store_all_but_one<BothByThreads>, left_before},
    {"through registers, over named barriers", stale, fill_and_store_all_but_one<BothNamed>, left_before},
    {"through registers, of one slot", stale, fill_and_store_all_but_one<BothInOneSlot>, left_before},
    {"through registers, in the library's loop", stale, loop_over_all_but_one<BothByThreads>, left_before},
};

/// Compute groups that hand over tiles.
using TwoSides = dma::WarpLayout<dma::Compute<2>, dma::Compute<2>>;
using Handed = dma::HandOff<Tile, dma::FromTo{.from = 0, .to = 1}, dma::MultiBuffer<TwoSides, 2>>;
using HandedBack = dma::HandOff<Tile, dma::FromTo{.from = 1, .to = 0}, dma::MultiBuffer<TwoSides, 2>>;

/// @param change  `change(slot, tile)` in the threads of the producers
template <class Pipe, class Change>
void hand_over(Thread& t, const Change& change, int tiles = stored_tiles) {
  Pipe pipe(t.cta, t.at<typename Pipe::Storage>(0));
  for (int tile = 0; tile < tiles; ++tile) {
    if (pipe.is_producer()) {
      auto slot = pipe.as_producer().wait();
      change(slot, tile);
    } else {
      t.out[tile * count + t.rank() % count] = pipe.as_consumer().wait()[t.rank() % count];
    }
  }
  pipe.close();
}

inline const std::vector<Program> stale_hand_offs = {
    {"a producer leaves an element out", stale,
     [](Thread& t) {
       hand_over<Handed>(t, [&](auto& slot, int tile) {
         if (!is_left_out(tile, t.rank())) {
           slot[t.rank()] = tile;
         }
       });
     },
     left_before},
    {"a producer adds to the element of the tile before", stale,
     [](Thread& t) {
       hand_over<Handed>(t, [&](auto& slot, int tile) {
         if (is_left_out(tile, t.rank())) {
           slot[here(t.rank())] += tile;
         } else {
           slot[t.rank()] = tile;
         }
       });
     },
     left_before},
    {"a producer reads an element of the tile before, and then fills its own", stale,
     [](Thread& t) {
       hand_over<Handed>(t, [&](auto& slot, int tile) {
         const int before = is_left_out(tile, t.rank()) ? slot[here(t.rank())] : 0;
         slot[t.rank()] = tile + before;
       });
     },
     left_before},
    {"a producer adds to the element of the tile before, in the second hand-off of its storage", stale,
     [](Thread& t) {
       hand_over<HandedBack>(
           t, [&](auto& slot, int tile) { slot[t.rank() - count] = tile; }, 2 * stored_tiles);
       hand_over<Handed>(t, [&](auto& slot, int tile) {
         if (is_left_out(tile, t.rank())) {
           slot[here(t.rank())] += tile;
         } else {
           slot[t.rank()] = tile;
         }
       });
     },
     left_before},
    {"a producer leaves an element out that a consumer wrote after another one's release", stale,
     [](Thread& t) {
       Handed pipe(t.cta, t.at<Handed::Storage>(0));
       for (int tile = 0; tile < stored_tiles; ++tile) {
         if (pipe.is_producer()) {
           auto slot = pipe.as_producer().wait();
           if (!is_left_out(tile, t.rank())) {
             slot[t.rank()] = tile;
           }
         } else {
           auto slot = pipe.as_consumer().wait();
           if (t.rank() % count == 37 && tile == stored_tiles - 1 - Handed::stages) {
             slot[37] = -1;
           }
           if (t.rank() % count == 36 && tile == stored_tiles - 1) {
             t.out[0] = slot[37];
           }
         }
       }
       pipe.close();
     },
     left_before},
};

}  // namespace wrong
