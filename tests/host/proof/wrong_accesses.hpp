#pragma once

#include "host/proof/wrong_kernels.hpp"

#include <cstddef>
#include <cstring>

/// Accesses of tiles, of shared memory of one's own and of global memory, of which some only a proof that sees every
/// access can tell.
namespace wrong {

/// Bytes that no thread and no copy has written, or not for this tile.
inline const std::vector<Program> unwritten = {
    {"a short tile is read past its end",
     {Kind::unwritten_bytes},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().load(t.in, Tile{40});
       } else if (pipe.is_compute()) {
         t.out[t.rank()] = pipe.as_compute().wait(Tile{40}).data()[t.rank()];
       }
     },
     "thread 40 reads byte 160 of slot 0 of pipeline A, which no thread has written"},
    {"a short tile is read past its end, where the tile before left its elements",
     {Kind::unwritten_bytes},
     [](Thread& t) {
       LoadByThreads pipe(t.cta, t.at<LoadByThreads::Storage>(0));
       const auto tile_of = [](int tile) { return Tile{tile < 2 ? 64 : 40}; };
       if (pipe.is_dma()) {
         for (int tile = 0; tile < 4; ++tile) {
           pipe.as_dma().load(t.in + tile * count, tile_of(tile));
         }
       } else if (pipe.is_compute()) {
         for (int tile = 0; tile < 4; ++tile) {
           t.out[tile * count + t.rank()] = pipe.as_compute().wait(tile_of(tile)).data()[t.rank()];
         }
       }
     }},
    {"half of a stored tile is filled",
     {Kind::unwritten_bytes},
     [](Thread& t) {
       Store pipe(t.cta, t.at<Store::Storage>(0));
       if (computes_after_storing(t, pipe, 1)) {
         auto slot = pipe.as_compute().wait();
         if (t.rank() < 32) {
           slot[t.rank()] = t.in[t.rank()];
         }
       }
     }},
    {"half of a tile that threads store is filled",
     {Kind::unwritten_bytes},
     [](Thread& t) {
       StoreByThreads pipe(t.cta, t.at<StoreByThreads::Storage>(0));
       if (computes_after_storing(t, pipe, 1)) {
         auto slot = pipe.as_compute().wait();
         if (t.rank() < 32) {
           slot[t.rank()] = t.in[t.rank()];
         }
       }
     }},
    {"the last tile of a store is half filled, over what an earlier one left",
     {Kind::unwritten_bytes},
     [](Thread& t) {
       Store pipe(t.cta, t.at<Store::Storage>(0));
       if (computes_after_storing(t, pipe, 4)) {
         for (int tile = 0; tile < 4; ++tile) {
           auto slot = pipe.as_compute().wait();
           if (tile < 3 || t.rank() < 20) {
             slot[t.rank()] = t.in[tile * count + t.rank()];
           }
         }
       }
     }},
    {"the open middle of a ring is read",
     {Kind::unwritten_bytes},
     [](Thread& t) {
       using Ring = dma::Halo2D<int, dma::HaloShape{.cols = 4, .rows = 4, .radius = 1}>;
       using Pipe = dma::DmaPipeline<Ring, dma::MultiBuffer<Layout, 2>>;
       Pipe pipe(t.cta, t.at<Pipe::Storage>(0));
       const Ring ring{64, 16, 16, 4, 4};
       if (pipe.is_dma()) {
         pipe.as_dma().load(t.in, ring);
       } else if (pipe.is_compute()) {
         const auto slot = pipe.as_compute().wait(ring);
         if (t.rank() < 16) {
           t.out[t.rank()] = slot(t.rank() / 4, t.rank() % 4) + slot(here(0), 1);
         }
       }
     }},
    {"padding between the rows of a tile is read",
     {Kind::unwritten_bytes},
     [](Thread& t) {
       using Rows = dma::Strided<int, 8, 8, dma::RowLayout{.pitch_bytes = 48}>;
       using Pipe = dma::DmaPipeline<Rows, dma::MultiBuffer<Layout, 2>>;
       Pipe pipe(t.cta, t.at<Pipe::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().load(t.in);
       } else if (pipe.is_compute()) {
         t.out[t.rank()] = pipe.as_compute().wait()[here(t.rank())];
       }
     }},
    {"shared memory of one's own is read before it is written",
     {Kind::unwritten_bytes},
     [](Thread& t) { t.out[t.rank()] = t.at<int[128]>(own)[here(t.rank())]; },
     "thread 0 reads byte 8192 of the kernel's own shared memory, which no thread has written"},
};

/// Races on tiles.
inline const std::vector<Program> tile_races = {
    {"all threads add a zero to one element",
     {Kind::race},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 2)) {
         for (int tile = 0; tile < 2; ++tile) {
           auto slot = pipe.as_compute().wait();
           slot[here(0)] += static_cast<int>(t.words[0]);
         }
       }
     },
     "; bytes 0 to 3 of slot 0 of pipeline A, written"},
    {"all threads add one to one element and take it away again",
     {Kind::race},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 2)) {
         for (int tile = 0; tile < 2; ++tile) {
           auto slot = pipe.as_compute().wait();
           volatile int* const elements = slot.data();
           elements[5] = elements[5] + 1;
           elements[5] = elements[5] - 1;
         }
       }
     }},
    {"an element is borrowed and put back while another warp reads it",
     {Kind::race},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 2)) {
         for (int tile = 0; tile < 2; ++tile) {
           auto slot = pipe.as_compute().wait();
           if (t.rank() == 0) {
             const int before = slot[7];
             slot[7] = -1;
             slot[7] = before;
           } else if (t.rank() == 40) {
             t.out[tile] = slot[7];
           }
         }
       }
     }},
    {"a reference is kept over a sync and used while its element is written",
     {Kind::race},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 2)) {
         for (int tile = 0; tile < 2; ++tile) {
           auto slot = pipe.as_compute().wait();
           const int& other = slot[63 - t.rank()];
           pipe.as_compute().sync();
           slot[t.rank()] = tile;
           t.out[tile * count + t.rank()] = other;
         }
       }
     }},
    {"an element is written that another thread reads after the same sync",
     {Kind::race},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 2)) {
         for (int tile = 0; tile < 2; ++tile) {
           auto slot = pipe.as_compute().wait();
           const int value = slot[(t.rank() + 1) % count];
           slot[t.rank()] = value + 1;
         }
       }
     }},
    {"a pointer is used after the slot was released",
     {Kind::race, Kind::unfinished_copy, Kind::missing_fence},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 6)) {
         for (int tile = 0; tile < 6; ++tile) {
           auto slot = pipe.as_compute().wait();
           const int* const elements = slot.data();
           slot.release();
           t.out[tile * count + t.rank()] = elements[here(t.rank())];
         }
       }
     }},
    {"a reference is used after the slot was released",
     {Kind::race, Kind::unfinished_copy, Kind::missing_fence},
     [](Thread& t) {
       LoadNamed pipe(t.cta, t.at<LoadNamed::Storage>(0));
       if (computes_after_loading(t, pipe, 6)) {
         for (int tile = 0; tile < 6; ++tile) {
           auto slot = pipe.as_compute().wait();
           const int& element = slot[t.rank()];
           slot.release();
           t.out[tile * count + t.rank()] = element;
         }
       }
     }},
    {"a pointer of the explicit calls is used after the signal",
     {Kind::race, Kind::unfinished_copy, Kind::missing_fence},
     [](Thread& t) {
       LoadByThreads pipe(t.cta, t.at<LoadByThreads::Storage>(0));
       if (computes_after_loading(t, pipe, 6)) {
         const auto compute = pipe.as_compute();
         for (int tile = 0; tile < 6; ++tile) {
           const int* const elements = compute.wait_until_full();
           compute.signal_empty();
           t.out[tile * count + t.rank()] = elements[here(t.rank())];
         }
       }
     }},
    {"a pointer runs on into the next slot",
     {Kind::race, Kind::unfinished_copy, Kind::broken_contract},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 4)) {
         for (int tile = 0; tile < 4; ++tile) {
           auto slot = pipe.as_compute().wait();
           t.out[tile * count + t.rank()] = slot.data()[here(tile % 2 == 0 ? t.rank() + 1 : t.rank())];
         }
       }
     }},
    {"a store slot is read by others without a sync",
     {Kind::race},
     [](Thread& t) {
       Store pipe(t.cta, t.at<Store::Storage>(0));
       if (computes_after_storing(t, pipe, 2)) {
         for (int tile = 0; tile < 2; ++tile) {
           auto slot = pipe.as_compute().wait();
           slot[t.rank()] = tile;
           t.out[1024 + t.rank()] = slot[here((t.rank() + 32) % count)];
         }
       }
     }},
    {"a store slot is written after its release, by pointer",
     {Kind::race, Kind::missing_fence, Kind::unfinished_copy},
     [](Thread& t) {
       Store pipe(t.cta, t.at<Store::Storage>(0));
       if (computes_after_storing(t, pipe, 2)) {
         for (int tile = 0; tile < 2; ++tile) {
           auto slot = pipe.as_compute().wait();
           int* const elements = slot.data();
           elements[t.rank()] = tile;
           slot.release();
           elements[here(t.rank())] += 1;
         }
       }
     }},
    {"two warps write one member of an element",
     {Kind::race},
     [](Thread& t) {
       struct Pair {
         int first, second;
       };
       using Pairs = dma::DmaPipeline<dma::Store<dma::Sequential<Pair, 32>>,
                                      dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 1}>>;
       Pairs pipe(t.cta, t.at<Pairs::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().store(reinterpret_cast<Pair*>(t.out));
       } else if (pipe.is_compute()) {
         auto slot = pipe.as_compute().wait();
         slot[t.rank() % 32].first = t.rank();
         if (t.rank() < 32) {
           slot[t.rank()].second = 0;
         }
       }
     }},
};

/// Shared memory that no pipeline has, and barrier words.
inline const std::vector<Program> own_memory = {
    {"own shared memory is read by others without a sync",
     {Kind::race},
     [](Thread& t) {
       auto& shared = t.at<int[128]>(own);
       shared[t.rank()] = t.rank();
       t.out[t.rank()] = shared[here(127 - t.rank())];
     },
     " of the kernel's own shared memory, read"},
    {"own shared memory is written again before all have read it",
     {Kind::race},
     [](Thread& t) {
       auto& shared = t.at<int[128]>(own);
       for (int round = 0; round < 3; ++round) {
         shared[t.rank()] = round;
         t.cta.sync();
         t.out[round * 128 + t.rank()] = shared[127 - t.rank()];
       }
     }},
    {"a sum through own shared memory has one sync too few",
     {Kind::race},
     [](Thread& t) {
       auto& shared = t.at<int[128]>(own);
       shared[t.rank()] = 1;
       for (int half = 64; half > 0; half /= 2) {
         if (half != 32) {
           t.cta.sync();
         }
         if (t.rank() < half) {
           shared[t.rank()] += shared[t.rank() + half];
         }
       }
     }},
    {"the compute warps synchronize where the DMA warps write too",
     {Kind::race},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       auto& shared = t.at<int[128]>(own);
       shared[t.rank()] = t.rank();
       if (computes_after_loading(t, pipe, 1)) {
         static_cast<void>(pipe.as_compute().wait());
         pipe.as_compute().sync();
         t.out[t.rank()] = shared[here(127 - t.rank())];
       }
     }},
    {"lanes exchange own shared memory without a sync of the warp",
     {Kind::race},
     [](Thread& t) {
       auto& shared = t.at<int[128]>(own);
       shared[t.rank()] = t.rank();
       t.out[t.rank()] = shared[here(t.rank() ^ 1)];
     }},
    {"a list of indices is overwritten while the DMA warps read it",
     {Kind::race},
     [](Thread& t) {
       using Rows = dma::Indirect<int, 16, 4>;
       using Pipe = dma::DmaPipeline<Rows, dma::MultiBuffer<Layout, 2>, Phase, Async>;
       Pipe pipe(t.cta, t.at<Pipe::Storage>(0));
       auto& rows = t.at<int[4]>(own);
       if (t.rank() < 4) {
         rows[t.rank()] = t.rank();
       }
       t.cta.sync();
       const Rows tile{.indices = rows, .table_rows = 32};
       if (pipe.is_dma()) {
         for (int i = 0; i < 3; ++i) {
           pipe.as_dma().load(t.in, tile);
         }
       } else if (pipe.is_compute()) {
         for (int i = 0; i < 3; ++i) {
           t.out[i * count + t.rank()] = pipe.as_compute().wait(tile)[t.rank()];
           if (t.rank() < 4) {
             rows[t.rank()] = (t.rank() + i) % 32;
           }
         }
       }
     }},
    {"a thread writes over a live barrier",
     {Kind::accessed_barrier},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (t.rank() == 0) {
         t.at<int>(here(512)) = 0;
       }
       if (computes_after_loading(t, pipe, 4)) {
         for (int tile = 0; tile < 4; ++tile) {
           static_cast<void>(pipe.as_compute().wait());
         }
       }
     }},
    {"the bytes of a pipeline that was not closed are used as own memory",
     {Kind::race, Kind::accessed_barrier, Kind::barrier_not_open, Kind::unfinished_copy, Kind::missing_fence,
      Kind::broken_contract},
     [](Thread& t) {
       {
         Load pipe(t.cta, t.at<Load::Storage>(0));
         if (computes_after_loading(t, pipe, 4)) {
           for (int tile = 0; tile < 4; ++tile) {
             t.out[tile * count + t.rank()] = pipe.as_compute().wait()[63 - t.rank()];
           }
         }
       }
       t.at<int[128]>(0)[t.rank()] = t.rank();
     }},
    {"the bytes of a store pipeline that was not closed are used as own memory",
     {Kind::race, Kind::accessed_barrier, Kind::barrier_not_open, Kind::unfinished_copy, Kind::missing_fence,
      Kind::broken_contract},
     [](Thread& t) {
       {
         Store pipe(t.cta, t.at<Store::Storage>(0));
         if (computes_after_storing(t, pipe, 4)) {
           for (int tile = 0; tile < 4; ++tile) {
             pipe.as_compute().wait()[t.rank()] = tile;
           }
         }
       }
       t.at<int[128]>(0)[here(t.rank())] = t.rank();
     }},
    {"all threads clear the shared memory just before a pipeline is opened in it",
     {Kind::race, Kind::accessed_barrier, Kind::barrier_not_open, Kind::missing_fence, Kind::broken_contract},
     [](Thread& t) {
       for (int i = t.rank(); i < 256; i += 128) {
         t.at<int[256]>(0)[here(255 - i)] = 0;
       }
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 2)) {
         for (int tile = 0; tile < 2; ++tile) {
           t.out[tile * count + t.rank()] = pipe.as_compute().wait()[t.rank()];
         }
       }
     }},
    {"own memory is written by threads and then by a bulk copy without a proxy fence",
     {Kind::missing_fence},
     [](Thread& t) {
       auto& barrier = t.at<Word>(own);
       auto& tile = t.at<unsigned char[256]>(own + 256);
       if (t.rank() == 0) {
         dma::machine::phase_init(&barrier, 1);
         dma::machine::fence_async_proxy();
       }
       if (t.rank() < 64) {
         reinterpret_cast<int*>(tile)[t.rank()] = t.rank();
       }
       t.cta.sync();
       if (t.rank() == 0) {
         const auto* const from = reinterpret_cast<const unsigned char*>(t.in);
         dma::machine::phase_expect(&barrier, 256, {});
         dma::machine::copy_bulk_to_shared<dma::CacheHints{}>(tile, from, 256, &barrier);
         dma::machine::phase_arrive(&barrier, {});
       }
       dma::machine::phase_wait(&barrier, 0, {});
       t.out[t.rank()] = reinterpret_cast<int*>(tile)[t.rank() % 64];
       t.cta.sync();
       if (t.rank() == 0) {
         dma::machine::phase_invalidate(&barrier);
       }
     }},
    {"own memory is read while a bulk copy fills it",
     {Kind::race, Kind::unfinished_copy},
     [](Thread& t) {
       auto& barrier = t.at<Word>(own);
       auto& tile = t.at<unsigned char[256]>(own + 256);
       if (t.rank() == 0) {
         dma::machine::phase_init(&barrier, 1);
         dma::machine::fence_async_proxy();
       }
       t.cta.sync();
       if (t.rank() == 0) {
         const auto* const from = reinterpret_cast<const unsigned char*>(t.in);
         dma::machine::phase_expect(&barrier, 256, {});
         dma::machine::copy_bulk_to_shared<dma::CacheHints{}>(tile, from, 256, &barrier);
         dma::machine::phase_arrive(&barrier, {});
       }
       t.out[t.rank()] = reinterpret_cast<int*>(tile)[here(t.rank() % 64)];
       dma::machine::phase_wait(&barrier, 0, {});
     }},
};

}  // namespace wrong
