#pragma once

#include "host/proof/wrong_kernels.hpp"

/// Threads of one side that do not do the same, and barriers and copies by hand.
namespace wrong {

using TwoWarps = Warps<2, 2>;
using TileOfTwo = dma::Sequential<int, 256>;  // with pieces for both DMA warps
using LoadByTwo = dma::DmaPipeline<TileOfTwo, dma::MultiBuffer<TwoWarps, 2>, Phase, Registers>;
using TwoGroups = dma::DmaPipeline<Tile, dma::DoubleBuffer<Layout>, Phase, Registers>;

inline const std::vector<Program> sides = {
    {"a DMA group leaves its turns early, and the next loop begins at another slot",
     {Kind::deadlock, Kind::broken_contract, Kind::unused_tile, Kind::race, Kind::recycled_barrier},
     [](Thread& t) {
       TwoGroups pipe(t.cta, t.at<TwoGroups::Storage>(0));
       if (pipe.is_dma()) {
         const auto dma = pipe.as_dma();
         for (int tile : dma.my_tiles({.last = 8})) {
           if (tile >= 3) {
             break;
           }
           dma.load(t.in + tile * count);
         }
         for (int tile = 3; tile < 7; ++tile) {
           dma.load(t.in + tile * count);
         }
       } else {
         for (int tile = 0; tile < 7; ++tile) {
           t.out[tile * count + t.rank()] = pipe.as_compute().wait()[t.rank()];
         }
       }
     }},
    {"one of two DMA groups loads a tile too few",
     {Kind::deadlock, Kind::broken_contract},
     [](Thread& t) {
       TwoGroups pipe(t.cta, t.at<TwoGroups::Storage>(0));
       if (pipe.is_dma()) {
         for (int tile = 0; tile < (t.cta.warp() == 3 ? 5 : 6); ++tile) {
           pipe.as_dma().load(t.in + tile * count);
         }
       } else {
         for (int tile = 0; tile < 6; ++tile) {
           static_cast<void>(pipe.as_compute().wait());
         }
       }
     }},
    {"the warps of a DMA group name tiles of unlike sizes",
     {Kind::broken_contract},
     [](Thread& t) {
       LoadByTwo pipe(t.cta, t.at<LoadByTwo::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().load(t.in, TileOfTwo{t.cta.warp() == 3 ? 128 : 256});
       } else {
         t.out[t.rank()] = pipe.as_compute().wait()[t.rank()];
       }
     }},
    {"the compute warps name tiles of unlike sizes",
     {Kind::broken_contract},
     [](Thread& t) {
       LoadByTwo pipe(t.cta, t.at<LoadByTwo::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().load(t.in);
       } else {
         t.out[t.rank()] = pipe.as_compute().wait(TileOfTwo{t.cta.warp() == 1 ? 128 : 256})[t.rank() % 32];
       }
     }},
    {"the lanes of a DMA warp name sources of their own",
     {Kind::broken_contract, Kind::unconverged_lanes},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().load(t.in + t.lane() * count);
       } else if (pipe.is_compute()) {
         t.out[t.rank()] = pipe.as_compute().wait()[t.rank()];
       }
     }},
    {"a pipeline is opened by some warps only",
     {Kind::deadlock, Kind::barrier_not_open, Kind::broken_contract},
     [](Thread& t) {
       if (t.cta.warp() != 1) {
         Load pipe(t.cta, t.at<Load::Storage>(0));
         if (computes_after_loading(t, pipe, 1)) {
           static_cast<void>(pipe.as_compute().wait());
         }
       }
     }},
    {"a named barrier of one's own has another count in one warp",
     {Kind::arrival_count, Kind::deadlock, Kind::recycled_barrier, Kind::broken_contract},
     [](Thread& t) { dma::machine::barrier_sync(9, t.cta.warp() == 2 ? 96 : 128, {}); }},
    {"all warps only arrive at a named barrier",
     {Kind::no_waiter, Kind::recycled_barrier, Kind::armed_at_exit},
     [](Thread&) {
       for (int round = 0; round < 2; ++round) {
         dma::machine::barrier_arrive(9, 128, {});
       }
     }},
    {"two warps run ahead of a named barrier's last generation",
     {Kind::no_waiter, Kind::recycled_barrier, Kind::arrival_count, Kind::deadlock, Kind::race},
     [](Thread& t) {
       for (int round = 0; round < 3; ++round) {
         if (t.cta.warp() < 2) {
           dma::machine::barrier_arrive(9, 128, {});
         } else {
           dma::machine::barrier_sync(9, 128, {});
         }
       }
     }},
    {"an mbarrier has fewer arrivals than it waits for",
     {Kind::deadlock},
     [](Thread& t) {
       auto& barrier = t.at<Word>(own);
       if (t.rank() == 0) {
         dma::machine::phase_init(&barrier, 5);
       }
       t.cta.sync();
       if (t.lane() == 0) {
         dma::machine::phase_arrive(&barrier, {});
       }
       dma::machine::phase_wait(&barrier, 0, {});
     }},
    {"an mbarrier is told of more bytes than a bulk copy brings",
     {Kind::deadlock, Kind::armed_at_exit},
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
         dma::machine::phase_arrive_expecting(&barrier, 256, {});
         dma::machine::copy_bulk_to_shared<dma::CacheHints{}>(tile, from, 240, &barrier);
       }
       dma::machine::phase_wait(&barrier, 0, {});
     }},
    {"an mbarrier is opened without a proxy fence before a bulk copy",
     {Kind::missing_fence},
     [](Thread& t) {
       auto& barrier = t.at<Word>(own);
       auto& tile = t.at<unsigned char[256]>(own + 256);
       if (t.rank() == 0) {
         dma::machine::phase_init(&barrier, 1);
       }
       t.cta.sync();
       if (t.rank() == 0) {
         const auto* const from = reinterpret_cast<const unsigned char*>(t.in);
         dma::machine::phase_arrive_expecting(&barrier, 256, {});
         dma::machine::copy_bulk_to_shared<dma::CacheHints{}>(tile, from, 256, &barrier);
       }
       dma::machine::phase_wait(&barrier, 0, {});
       t.cta.sync();
       if (t.rank() == 0) {
         dma::machine::phase_invalidate(&barrier);
       }
     }},
    {"cp.async by hand is not waited for at all",
     {Kind::armed_at_exit, Kind::unfinished_copy},
     [](Thread& t) {
       auto& tile = t.at<unsigned char[512]>(own);
       const auto* const from = reinterpret_cast<const unsigned char*>(t.in);
       dma::machine::copy_async<4, dma::CacheHints{}>(tile, 4 * t.rank(), from, 4LL * t.rank());
       t.cta.sync();
     }},
    {"a warp returns before the others synchronize the CTA again",
     {Kind::deadlock, Kind::broken_contract},
     [](Thread& t) {
       t.cta.sync();
       if (t.cta.warp() == 2) {
         return;
       }
       dma::machine::barrier_sync(3, 128, {});
     }},
};

}  // namespace wrong
