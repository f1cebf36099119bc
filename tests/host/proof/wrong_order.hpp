#pragma once

#include "host/proof/wrong_kernels.hpp"

/// Order that no GPU makes, lanes that do not come together, and operations that depend on the schedule.
namespace wrong {

inline const std::vector<Program> orders = {
    {"a second pipeline takes the bytes of one that was not closed",
     {Kind::race, Kind::barrier_not_open, Kind::unfinished_copy, Kind::missing_fence, Kind::recycled_barrier,
      Kind::broken_contract},
     [](Thread& t) {
       {
         Load pipe(t.cta, t.at<Load::Storage>(0));
         if (computes_after_loading(t, pipe, 4)) {
           for (int tile = 0; tile < 4; ++tile) {
             t.out[tile * count + t.rank()] = pipe.as_compute().wait()[t.rank()];
           }
         }
       }
       LoadNamed second(t.cta, t.at<LoadNamed::Storage>(0));
       if (computes_after_loading(t, second, 4)) {
         for (int tile = 0; tile < 4; ++tile) {
           t.out[1024 + tile * count + t.rank()] = second.as_compute().wait()[t.rank()];
         }
       }
     }},
    {"the barriers of a pipeline are opened over the tiles of one that was not closed",
     {Kind::race, Kind::barrier_not_open, Kind::unfinished_copy, Kind::missing_fence, Kind::broken_contract},
     [](Thread& t) {
       {
         Load pipe(t.cta, t.at<Load::Storage>(0));
         if (computes_after_loading(t, pipe, 4)) {
           for (int tile = 0; tile < 4; ++tile) {
             t.out[tile * count + t.rank()] = pipe.as_compute().wait()[t.rank()];
           }
         }
       }
       using Second = dma::DmaPipeline<dma::Sequential<int, 32>, dma::MultiBuffer<Layout, 1>, Phase, Registers>;
       Second second(t.cta, t.at<Second::Storage>(256));
       if (second.is_dma()) {
         second.as_dma().load(t.in);
       } else if (second.is_compute()) {
         t.out[1024 + t.rank()] = second.as_compute().wait()[t.rank() % 32];
       }
     }},
    {"two open pipelines have bytes in common",
     {Kind::race, Kind::barrier_not_open, Kind::unfinished_copy, Kind::missing_fence, Kind::broken_contract},
     [](Thread& t) {
       using Small = dma::DmaPipeline<dma::Sequential<int, 16>, dma::MultiBuffer<Layout, 1, dma::DmaGroups{.first = 1}>,
                                      Phase, Registers>;
       Load pipe(t.cta, t.at<Load::Storage>(0));
       Small other(t.cta, t.at<Small::Storage>(128));
       if (other.is_dma()) {
         other.as_dma().load(t.in + 512);
       } else if (computes_after_loading(t, pipe, 1)) {
         const auto a = pipe.as_compute().wait();
         const auto b = other.as_compute().wait();
         t.out[t.rank()] = a[t.rank() % 32] + b[t.rank() % 16];
       }
     }},
    {"a slot's lanes exchange elements with a shuffle between, which orders no memory",
     {Kind::race},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 2)) {
         for (int tile = 0; tile < 2; ++tile) {
           auto slot = pipe.as_compute().wait();
           slot[t.rank()] += 1;
           static_cast<void>(t.cta.shuffle(1, 0));
           t.out[tile * count + t.rank()] = slot[here(t.rank() ^ 1)];
         }
       }
     }},
    {"a slot's lanes exchange elements after the warp's rank was asked for",
     {Kind::race},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 2)) {
         for (int tile = 0; tile < 2; ++tile) {
           auto slot = pipe.as_compute().wait();
           slot[t.rank()] += 1;
           const int warp = dma::machine::uniform_warp_rank();
           t.out[tile * count + t.rank()] = warp + slot[here(t.rank() ^ 1)];
         }
       }
     }},
    {"a slot's lanes exchange elements without anything between",
     {Kind::race},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 2)) {
         for (int tile = 0; tile < 2; ++tile) {
           auto slot = pipe.as_compute().wait();
           slot[t.rank()] += 1;
           t.out[tile * count + t.rank()] = slot[here(t.rank() ^ 1)];
         }
       }
     }},
    {"a slot is filled by cp.async and sent by a bulk copy without a proxy fence",
     {Kind::missing_fence},
     [](Thread& t) {
       LoadAsync pipe(t.cta, t.at<LoadAsync::Storage>(0));
       if (computes_after_loading(t, pipe, 1)) {
         const auto slot = pipe.as_compute().wait();
         pipe.as_compute().sync();
         if (t.rank() == 0) {
           auto* const tile = reinterpret_cast<unsigned char*>(slot.data());
           dma::machine::copy_bulk_to_global<dma::CacheHints{}>(reinterpret_cast<unsigned char*>(t.out), tile, 256);
           dma::machine::commit_bulk_group();
           dma::machine::wait_for_bulk_groups();
         }
       }
     }},
    {"a slot is written by threads and sent by a bulk copy without a proxy fence",
     {Kind::missing_fence},
     [](Thread& t) {
       LoadByThreads pipe(t.cta, t.at<LoadByThreads::Storage>(0));
       if (computes_after_loading(t, pipe, 1)) {
         const auto slot = pipe.as_compute().wait();
         slot[t.rank()] *= 2;
         pipe.as_compute().sync();
         if (t.rank() == 0) {
           auto* const tile = reinterpret_cast<unsigned char*>(slot.data());
           dma::machine::copy_bulk_to_global<dma::CacheHints{}>(reinterpret_cast<unsigned char*>(t.out), tile, 256);
           dma::machine::commit_bulk_group();
           dma::machine::wait_for_bulk_groups();
         }
       }
     }},
    {"a bulk copy to global memory is not waited for before its slot is released",
     {Kind::unfinished_copy, Kind::armed_at_exit},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 4)) {
         for (int tile = 0; tile < 4; ++tile) {
           const auto slot = pipe.as_compute().wait();
           if (t.rank() == 0) {
             auto* const from = reinterpret_cast<unsigned char*>(slot.data());
             auto* const to = reinterpret_cast<unsigned char*>(t.out + tile * count);
             dma::machine::copy_bulk_to_global<dma::CacheHints{}>(to, from, 256);
             dma::machine::commit_bulk_group();
           }
         }
         dma::machine::wait_for_bulk_groups();
       }
     }},
    {"a bulk copy to global memory has no commit",
     {Kind::unfinished_copy, Kind::armed_at_exit},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 2)) {
         for (int tile = 0; tile < 2; ++tile) {
           const auto slot = pipe.as_compute().wait();
           if (t.rank() == 0) {
             auto* const from = reinterpret_cast<unsigned char*>(slot.data());
             auto* const to = reinterpret_cast<unsigned char*>(t.out + tile * count);
             dma::machine::copy_bulk_to_global<dma::CacheHints{}>(to, from, 256);
             dma::machine::wait_for_bulk_groups();
           }
         }
       }
     }},
};

/// Arrives without `sync_warp`, which `Lanes::unknown` asks for.
struct Hasty : dma::NamedBarrier {
  template <dma::Participants participants, dma::Lanes>
  static void arrive(dma::BarrierPoint<State> point, const dma::machine::Site& site) {
    dma::machine::barrier_arrive(point.id, participants.arriving + participants.waiting, site);
  }
};

/// Lanes of a warp that are not together where the instruction needs all of them.
inline const std::vector<Program> lanes = {
    {"half a warp synchronizes the CTA on another line",
     {Kind::broken_contract, Kind::unconverged_lanes, Kind::deadlock},
     [](Thread& t) {
       if (t.lane() < 16) {
         t.cta.sync();
       } else {
         t.cta.sync_warp();
         t.cta.sync();
       }
       if (t.lane() < 16) {
         t.cta.sync_warp();
       }
     }},
    {"the lanes of a warp synchronize the CTA in two branches",
     {Kind::broken_contract, Kind::unconverged_lanes},
     [](Thread& t) {
       if (t.lane() < 16) {
         t.cta.sync();
         t.out[t.rank()] = 1;
       } else {
         t.out[t.rank()] = 2;
         t.cta.sync();
       }
     }},
    {"one lane of each warp synchronizes the CTA",
     {Kind::broken_contract, Kind::unconverged_lanes, Kind::deadlock},
     [](Thread& t) {
       if (t.lane() == 0) {
         t.cta.sync();
       }
     }},
    {"half a warp arrives at a named barrier, the other half at another",
     {Kind::broken_contract, Kind::unconverged_lanes, Kind::deadlock, Kind::arrival_count},
     [](Thread& t) { dma::machine::barrier_sync(t.lane() < 16 ? 3 : 4, 128, {}); }},
    {"half a warp elects",
     {Kind::broken_contract, Kind::unconverged_lanes},
     [](Thread& t) {
       if (t.lane() >= 16 && t.cta.elect()) {
         t.out[t.rank()] = 1;
       }
     }},
    {"half a warp shuffles",
     {Kind::broken_contract, Kind::unconverged_lanes, Kind::deadlock},
     [](Thread& t) {
       if (t.lane() < 16) {
         t.out[t.rank()] = t.cta.shuffle(t.rank(), 3);
       }
     }},
    {"half a warp synchronizes it",
     {Kind::broken_contract, Kind::unconverged_lanes, Kind::deadlock},
     [](Thread& t) {
       if (t.lane() < 16) {
         t.cta.sync_warp();
       }
     }},
    {"half a warp waits for a tile",
     {Kind::broken_contract, Kind::unconverged_lanes, Kind::deadlock, Kind::race},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 4)) {
         for (int tile = 0; tile < 4; ++tile) {
           if (t.lane() < 16) {
             auto slot = pipe.as_compute().wait();
             t.out[t.rank()] = slot[t.rank()];
           }
         }
       }
     }},
    {"half a warp loads",
     {Kind::broken_contract, Kind::unconverged_lanes, Kind::deadlock, Kind::race},
     [](Thread& t) {
       LoadByThreads pipe(t.cta, t.at<LoadByThreads::Storage>(0));
       if (pipe.is_dma()) {
         for (int tile = 0; tile < 4; ++tile) {
           if (t.lane() < 16) {
             pipe.as_dma().load(t.in + tile * count);
           }
         }
       } else if (pipe.is_compute()) {
         for (int tile = 0; tile < 4; ++tile) {
           t.out[tile * count + t.rank()] = pipe.as_compute().wait()[t.rank()];
         }
       }
     }},
    {"half a warp releases a slot on another line than the other half",
     {Kind::broken_contract, Kind::unconverged_lanes, Kind::deadlock, Kind::race},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 4)) {
         for (int tile = 0; tile < 4; ++tile) {
           auto slot = pipe.as_compute().wait();
           if (t.lane() < 16) {
             slot.release();
           } else {
             t.out[tile * count + t.rank()] = slot[t.rank()];
             slot.release();
           }
         }
       }
     }},
    {"a lane leaves before the last tile",
     {Kind::broken_contract, Kind::unconverged_lanes, Kind::deadlock},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 4)) {
         for (int tile = 0; tile < 4; ++tile) {
           if (tile == 3 && t.rank() == 63) {
             return;
           }
           t.out[tile * count + t.rank()] = pipe.as_compute().wait()[t.rank()];
         }
       }
     }},
    {"lanes wait for a phase, each by itself, and go to a named barrier",
     {Kind::unconverged_lanes},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 1)) {
         const auto slot = pipe.as_compute().wait();
         dma::machine::barrier_sync(9, 64, {});
         t.out[t.rank()] = slot[t.rank()];
       }
     },
     "each waited for a phase since the warp last synchronized"},
    {"some lanes copy more than others, and the warp goes to a named barrier",
     {Kind::unconverged_lanes},
     [](Thread& t) {
       auto* const tile = &t.at<unsigned char>(own + t.cta.warp() * 256);
       const auto* const from = reinterpret_cast<const unsigned char*>(t.in);
       for (int i = t.lane(); i < 40; i += 32) {
         dma::machine::copy_async<4, dma::CacheHints{}>(tile, 4 * i, from, 4 * i);
       }
       dma::machine::wait_for_async_copies();
       dma::machine::barrier_sync(9, 128, {});
     },
     "lane 0 made 2 accesses and lane 8 1 since the warp last synchronized"},
    {"a barrier takes lanes for converged that the pipeline does not",
     {Kind::unconverged_lanes},
     [](Thread& t) {
       using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, Hasty, Registers>;
       Pipe pipe(t.cta, t.at<Pipe::Storage>(0));
       if (computes_after_loading(t, pipe, 1)) {
         const auto slot = pipe.as_compute().wait();
         t.out[t.rank()] = slot[t.rank()];
       }
     },
     "each ran code of the kernel since the warp last synchronized"},
    {"one lane of a warp constructs no pipeline",
     {Kind::broken_contract, Kind::unconverged_lanes, Kind::deadlock},
     [](Thread& t) {
       if (t.rank() != 127) {
         Load pipe(t.cta, t.at<Load::Storage>(0));
         if (computes_after_loading(t, pipe, 1)) {
           static_cast<void>(pipe.as_compute().wait());
         }
       }
     }},
};

/// Operations that depend on which thread is first.
inline const std::vector<Program> schedules = {
    {"a tile more is waited for where a racing flag is not yet set",
     {Kind::race, Kind::depends_on_schedule, Kind::deadlock, Kind::armed_at_exit, Kind::unused_tile,
      Kind::different_outputs},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 4)) {
         auto* const flag = reinterpret_cast<volatile int*>(t.words);
         const auto compute = pipe.as_compute();
         for (int tile = 0; tile < 3; ++tile) {
           static_cast<void>(compute.wait());
         }
         if (t.cta.warp() == 0) {
           *flag = 1;
         }
         const bool is_set = t.cta.shuffle(*flag, 0) != 0;
         if (is_set) {
           static_cast<void>(compute.wait());
         }
       }
     }},
    {"the second warp does more where the first has not finished",
     {Kind::race, Kind::depends_on_schedule, Kind::different_outputs},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 4)) {
         auto* const flag = reinterpret_cast<volatile int*>(t.words);
         for (int tile = 0; tile < 4; ++tile) {
           static_cast<void>(pipe.as_compute().wait());
         }
         if (t.cta.warp() == 0) {
           *flag = 1;
         } else if (t.cta.shuffle(*flag, 0) == 0) {
           dma::machine::fence_async_proxy();
         }
       }
     }},
    {"warps take tickets of a counter that is no atomic",
     {Kind::race, Kind::depends_on_schedule, Kind::different_outputs},
     [](Thread& t) {
       if (t.lane() == 0) {
         const Word ticket = t.words[0]++;
         t.out[t.cta.warp()] = static_cast<int>(ticket);
       }
     }},
    {"warps write where an atomic ticket says",
     {Kind::depends_on_schedule, Kind::different_outputs},
     [](Thread& t) {
       if (t.lane() == 0) {
         const Word ticket = dma::machine::count(t.words, 1);
         t.out[ticket] = t.cta.warp();
       }
       t.cta.sync();
     }},
    {"the CTA that takes the first ticket does something else",
     {Kind::depends_on_schedule, Kind::different_outputs},
     [](Thread& t) {
       if (t.rank() == 0) {
         const Word ticket = dma::machine::count(t.words, 1);
         t.out[t.cta.block().x] = ticket == 0 ? 100 : 200;
       }
     },
     "",
     3},
    {"a kernel polls a phase by itself",
     {Kind::depends_on_schedule},
     [](Thread& t) {
       auto& barrier = t.at<Word>(own);
       if (t.rank() == 0) {
         dma::machine::phase_init(&barrier, 1);
       }
       t.cta.sync();
       if (t.rank() == 0) {
         dma::machine::phase_arrive(&barrier, {});
       }
       if (!dma::machine::phase_is_complete(&barrier, 0)) {
         dma::machine::phase_wait(&barrier, 0, {});
       }
     }},
};

/// Threads that spin without an operation of the library: the emulator can only stop them.
inline const std::vector<Program> spins = {
    {"a thread spins on a flag that another sets later",
     {Kind::spinning},
     [](Thread& t) {
       auto* const flag = reinterpret_cast<volatile int*>(t.words);
       if (t.cta.warp() == 0) {
         while (*flag == 0) {
         }
       }
       if (t.rank() == 32) {
         *flag = 1;
       }
       t.cta.sync();
     }},
    {"a thread spins on a flag that no thread sets",
     {Kind::spinning},
     [](Thread& t) {
       auto* const flag = reinterpret_cast<volatile int*>(t.words);
       if (t.rank() == 32) {
         while (*flag == 0) {
         }
       }
       t.cta.sync();
     }},
};

}  // namespace wrong
