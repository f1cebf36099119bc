#pragma once

#include "host/proof/wrong_kernels.hpp"

/// Loads, waits, releases and ends of pipelines that do not fit.
namespace wrong {

inline const std::vector<Program> protocols = {
    {"a tile is loaded that no warp waits for",
     {Kind::unused_tile},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 5)) {
         for (int tile = 0; tile < 4; ++tile) {
           t.out[tile * count + t.rank()] = pipe.as_compute().wait()[t.rank()];
         }
       }
     }},
    {"a tile is loaded that no warp waits for, over named barriers",
     {Kind::deadlock, Kind::armed_at_exit},
     [](Thread& t) {
       LoadNamed pipe(t.cta, t.at<LoadNamed::Storage>(0));
       if (computes_after_loading(t, pipe, 5)) {
         for (int tile = 0; tile < 4; ++tile) {
           t.out[tile * count + t.rank()] = pipe.as_compute().wait()[t.rank()];
         }
       }
     }},
    {"a tile too many is waited for",
     {Kind::deadlock},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 2)) {
         for (int tile = 0; tile < 3; ++tile) {
           auto slot = pipe.as_compute().wait();
         }
       }
     },
     "waits for full"},
    {"a tile is skipped by the side that loads",
     {Kind::deadlock},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (pipe.is_dma()) {
         for (int tile = 0; tile < 6; ++tile) {
           if (t.in[tile] != t.in[4]) {
             pipe.as_dma().load(t.in + tile * count);
           }
         }
       } else if (pipe.is_compute()) {
         for (int tile = 0; tile < 6; ++tile) {
           auto slot = pipe.as_compute().wait();
         }
       }
     }},
    {"a tile is skipped by one compute warp",
     {Kind::deadlock, Kind::recycled_barrier, Kind::race, Kind::armed_at_exit, Kind::unused_tile,
      Kind::broken_contract},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 6)) {
         for (int tile = 0; tile < 6; ++tile) {
           if (t.cta.warp() == 0 || tile != 3) {
             auto slot = pipe.as_compute().wait();
           }
         }
       }
     }},
    {"a DMA group waits for a tile to store before it loads what that tile is made of",
     {Kind::deadlock},
     [](Thread& t) {
       using Out = dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Layout, 2>, Phase, Bulk>;
       Load in(t.cta, t.at<Load::Storage>(0));
       Out out(t.cta, t.at<Out::Storage>(4096));
       if (in.is_dma()) {
         for (int tile = 0; tile < 3; ++tile) {
           out.as_dma().store(t.out + tile * count);
           in.as_dma().load(t.in + tile * count);
         }
       } else if (in.is_compute()) {
         for (int tile = 0; tile < 3; ++tile) {
           const auto from = in.as_compute().wait();
           const auto to = out.as_compute().wait();
           to[t.rank()] = from[t.rank()];
         }
       }
     }},
    {"a slot is touched after its release",
     {Kind::broken_contract},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 3)) {
         for (int tile = 0; tile < 3; ++tile) {
           auto slot = pipe.as_compute().wait();
           slot.release();
           t.out[t.rank()] = slot[t.rank()];
         }
       }
     },
     "touched after its release"},
    {"the vectors of a slot are touched after its end",
     {Kind::broken_contract},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 3)) {
         for (int tile = 0; tile < 3; ++tile) {
           const auto vectors = [&] {
             auto slot = pipe.as_compute().wait();
             return slot.vectors();
           }();
           t.out[t.rank()] = vectors[0][0];
         }
       }
     },
     "the vectors of a slot are touched after its end"},
    {"all slots are held and one more is waited for",
     {Kind::broken_contract, Kind::deadlock},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 3)) {
         auto a = pipe.as_compute().wait();
         auto b = pipe.as_compute().wait();
         auto c = pipe.as_compute().wait();
       }
     }},
    {"a pipeline is closed while a slot is held",
     {Kind::broken_contract},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 1)) {
         auto slot = pipe.as_compute().wait();
         pipe.close();
       } else {
         pipe.close();
       }
     },
     "close()"},
    {"a pipeline is closed by the compute warps alone",
     {Kind::deadlock, Kind::armed_at_exit},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 1)) {
         static_cast<void>(pipe.as_compute().wait());
         pipe.close();
       }
     }},
    {"a DMA warp's handle is asked for in a warp of another group",
     {Kind::broken_contract},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (t.cta.warp() == 3) {
         pipe.as_dma().load(t.in);
       }
     },
     "as_dma()"},
    {"a tile is waited for in a DMA warp",
     {Kind::broken_contract},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (pipe.is_dma()) {
         dma::ComputeHandle<Load> compute(pipe);
         static_cast<void>(compute.wait());
       }
     },
     "compute warps"},
    {"an element outside the tile is read",
     {Kind::broken_contract},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 2)) {
         for (int tile = 0; tile < 2; ++tile) {
           t.out[t.rank()] = pipe.as_compute().wait()[t.rank() + 1];
         }
       }
     },
     "outside the tile"},
    {"only the side that loads calls the last tile short",
     {Kind::broken_contract},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().load(t.in);
         pipe.as_dma().load(t.in + count, Tile{20});
       } else if (pipe.is_compute()) {
         t.out[t.rank()] = pipe.as_compute().wait()[t.rank()];
         t.out[count + t.rank()] = pipe.as_compute().wait()[t.rank()];
       }
     },
     "20"},
    {"the two sides name tiles of equal size and other shape",
     {Kind::broken_contract},
     [](Thread& t) {
       using Block = dma::Strided<int, 8, 8>;
       using Pipe = dma::DmaPipeline<Block, dma::MultiBuffer<Layout, 2>, Phase, Async>;
       Pipe pipe(t.cta, t.at<Pipe::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().load(t.in, {.rows = 8, .cols = 4});
       } else if (pipe.is_compute()) {
         auto slot = pipe.as_compute().wait({.rows = 4, .cols = 8});
         t.out[t.rank()] = t.rank() < 16 ? slot(t.rank() / 4, t.rank() % 4) : 0;
       }
     }},
    {"a tile larger than its pattern",
     {Kind::broken_contract},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().load(t.in, Tile{count + 1});
       } else if (pipe.is_compute()) {
         static_cast<void>(pipe.as_compute().wait(Tile{count + 1}));
       }
     },
     "larger than its pattern"},
    {"a misaligned source",
     {Kind::broken_contract},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().load(t.in + 1);
       } else if (pipe.is_compute()) {
         static_cast<void>(pipe.as_compute().wait());
       }
     },
     "run_alignment"},
    {"an index outside its table",
     {Kind::broken_contract},
     [](Thread& t) {
       using Rows = dma::Indirect<int, 16, 4>;
       using Pipe = dma::DmaPipeline<Rows, dma::MultiBuffer<Layout, 2>, Phase, Async>;
       Pipe pipe(t.cta, t.at<Pipe::Storage>(0));
       static constexpr int rows[] = {0, 3, -1, 2};
       const Rows tile{.indices = rows, .table_rows = 8};
       if (pipe.is_dma()) {
         pipe.as_dma().load(t.in, tile);
       } else if (pipe.is_compute()) {
         static_cast<void>(pipe.as_compute().wait(tile));
       }
     },
     "index -1 at position 2"},
    {"a source in shared memory",
     {Kind::broken_contract},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().load(&t.at<int>(own));
       } else if (pipe.is_compute()) {
         static_cast<void>(pipe.as_compute().wait());
       }
     },
     "global memory"},
    {"a destination in shared memory",
     {Kind::broken_contract},
     [](Thread& t) {
       Store pipe(t.cta, t.at<Store::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().store(&t.at<int>(own));
       } else if (pipe.is_compute()) {
         pipe.as_compute().wait()[t.rank()] = 1;
       }
     },
     "global memory"},
    {"a null source",
     {Kind::broken_contract},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().load(nullptr);
       } else if (pipe.is_compute()) {
         static_cast<void>(pipe.as_compute().wait());
       }
     }},
    {"a null destination",
     {Kind::broken_contract},
     [](Thread& t) {
       StoreByThreads pipe(t.cta, t.at<StoreByThreads::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().store(nullptr);
       } else if (pipe.is_compute()) {
         pipe.as_compute().wait()[t.rank()] = 1;
       }
     }},
    {"a storage that is not in shared memory",
     {Kind::broken_contract},
     [](Thread& t) {
       static Load::Storage storage;
       Load pipe(t.cta, storage);
       if (computes_after_loading(t, pipe, 1)) {
         static_cast<void>(pipe.as_compute().wait());
       }
     },
     "shared memory"},
    {"two pipelines over the named barriers of one group",
     {Kind::broken_contract},
     [](Thread& t) {
       LoadNamed a(t.cta, t.at<LoadNamed::Storage>(0));
       LoadNamed b(t.cta, t.at<LoadNamed::Storage>(4096));
       if (a.is_dma()) {
         a.as_dma().load(t.in);
         b.as_dma().load(t.in);
       } else if (a.is_compute()) {
         static_cast<void>(a.as_compute().wait());
         static_cast<void>(b.as_compute().wait());
       }
     }},
    {"a barrier of one's own with a number that the pipeline has",
     {Kind::arrival_count, Kind::recycled_barrier, Kind::deadlock, Kind::race, Kind::broken_contract},
     [](Thread& t) {
       LoadNamed pipe(t.cta, t.at<LoadNamed::Storage>(0));
       if (computes_after_loading(t, pipe, 4)) {
         for (int tile = 0; tile < 4; ++tile) {
           auto slot = pipe.as_compute().wait();
           dma::machine::barrier_sync(2, 64, {});
         }
       }
     }},
    {"one compute warp leaves out a sync of the compute warps",
     {Kind::deadlock},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 2)) {
         for (int tile = 0; tile < 2; ++tile) {
           auto slot = pipe.as_compute().wait();
           if (tile == 0 || t.cta.warp() == 0) {
             pipe.as_compute().sync();
           }
         }
       }
     }},
    {"the explicit calls signal a slot twice",
     {Kind::broken_contract},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 3)) {
         const auto compute = pipe.as_compute();
         for (int tile = 0; tile < 3; ++tile) {
           static_cast<void>(compute.wait_until_full());
           compute.signal_empty();
           if (tile == 1) {
             compute.signal_empty();
           }
         }
       }
     },
     "twice"},
    {"a barrier of one's own is used before all threads know that it is open",
     {Kind::barrier_not_open, Kind::race, Kind::deadlock, Kind::broken_contract},
     [](Thread& t) {
       auto& barrier = t.at<Word>(own);
       if (t.rank() == 0) {
         dma::machine::phase_init(&barrier, 4);
       }
       t.cta.sync_warp();
       if (t.lane() == 0) {
         dma::machine::phase_arrive(&barrier, {});
       }
       dma::machine::phase_wait(&barrier, 0, {});
     }},
    {"a barrier of one's own is closed while others may still wait",
     {Kind::barrier_not_open, Kind::race, Kind::armed_at_exit},
     [](Thread& t) {
       auto& barrier = t.at<Word>(own);
       if (t.rank() == 0) {
         dma::machine::phase_init(&barrier, 4);
       }
       t.cta.sync();
       if (t.lane() == 0) {
         dma::machine::phase_arrive(&barrier, {});
       }
       dma::machine::phase_wait(&barrier, 0, {});
       if (t.rank() == 0) {
         dma::machine::phase_invalidate(&barrier);
       }
     }},
    {"a barrier of one's own is opened twice",
     {Kind::barrier_not_open, Kind::broken_contract},
     [](Thread& t) {
       auto& barrier = t.at<Word>(own);
       for (int round = 0; round < 2; ++round) {
         if (t.rank() == 0) {
           dma::machine::phase_init(&barrier, 4);
         }
         t.cta.sync();
         if (t.lane() == 0) {
           dma::machine::phase_arrive(&barrier, {});
         }
         dma::machine::phase_wait(&barrier, 0, {});
         t.cta.sync();
       }
     }},
    {"three warps wait for phases that only two arrive at, and the third slips one",
     {Kind::recycled_barrier, Kind::race, Kind::deadlock},
     [](Thread& t) {
       auto& barrier = t.at<Word>(own);
       if (t.rank() == 0) {
         dma::machine::phase_init(&barrier, 2);
       }
       t.cta.sync();
       for (unsigned phase = 0; phase < 6; ++phase) {
         t.cta.sync_warp();
         if (t.cta.warp() < 2 && t.lane() == 0) {
           dma::machine::phase_arrive(&barrier, {});
         }
         dma::machine::phase_wait(&barrier, phase & 1U, {});
       }
     }},
};

}  // namespace wrong
