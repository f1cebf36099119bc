#pragma once

#include "host/proof/wrong_kernels.hpp"

#include <dma/matrix/fragment.hpp>
#include <dma/pipeline/async_reads.hpp>

#include <utility>
#include <vector>

/// Slots whose tensor cores' reads are not over: no products, since what `AsyncReads` says of them is all that counts.
namespace wrong {

/// A warpgroup that computes, and a DMA warp.
using Group = Warps<4, 1>;
using GroupLoad = dma::DmaPipeline<Tile, dma::MultiBuffer<Group, 2>, Phase, Bulk>;
using GroupLoadAsync = dma::DmaPipeline<Tile, dma::MultiBuffer<Group, 2>, Phase, Async>;
using GroupLoadNamed = dma::DmaPipeline<Tile, dma::MultiBuffer<Group, 2>, Named, Registers>;

/// One loop over four tiles, whose slots are released one stage late.
template <class Pipe, class Turn>
void release_late(Thread& t, const Turn& turn) {
  Pipe pipe(t.cta, t.at<typename Pipe::Storage>(0));
  if (computes_after_loading(t, pipe, 4)) {
    const auto compute = pipe.as_compute();
    const dma::AsyncReads reads;
    auto held = compute.wait();
    reads.begin(held);
    reads.commit(held);
    for (int tile = 1; tile < 4; ++tile) {
      auto slot = compute.wait();
      reads.begin(slot);
      turn(reads, slot);
      held = std::move(slot);
    }
    reads.wait<0>();
  }
}

inline const std::vector<Program> async_reads = {
    {"a slot is released while tensor cores read it",
     {Kind::broken_contract},
     [](Thread& t) {
       GroupLoad pipe(t.cta, t.at<GroupLoad::Storage>(0));
       if (computes_after_loading(t, pipe, 4)) {
         const dma::AsyncReads reads;
         for (int tile = 0; tile < 4; ++tile) {
           const auto slot = pipe.as_compute().wait();
           reads.commit(slot);
         }
         reads.wait<0>();
       }
     },
     "a slot is released while tensor cores may still read it, since no wait covers that commit() (wrong_reads.hpp"},
    {"a thread reads a slot that is released as one that tensor cores alone have read",
     {Kind::missing_fence},
     [](Thread& t) {
       GroupLoad pipe(t.cta, t.at<GroupLoad::Storage>(0));
       if (computes_after_loading(t, pipe, 4)) {
         const dma::AsyncReads reads;
         for (int tile = 0; tile < 4; ++tile) {
           auto slot = pipe.as_compute().wait();
           reads.commit(slot);
           if (t.cta.thread() == 0) {
             t.out[tile] = slot[0];
           }
           reads.wait<0>();
           reads.release(slot);
         }
       }
     },
     ""},
    {"an operand in registers is changed while a product reads it",
     {Kind::broken_contract},
     [](Thread&) {
       const dma::AsyncReads reads;
       dma::MatrixFragment<__half> operand;
       for (int tile = 0; tile < 2; ++tile) {
         operand.set(0, 1, 2);
         dma::machine::use_registers(&operand);
         reads.commit();
       }
       reads.wait<0>();
     },
     "dma::MatrixFragment: an operand in registers is changed, or its scope ends, while a product may still read it"},
    {"one group too many may be pending when a slot is released",
     {Kind::broken_contract},
     [](Thread& t) {
       release_late<GroupLoad>(t, [](const dma::AsyncReads& reads, auto& slot) {
         reads.commit(slot);
         reads.wait<2>();
       });
     },
     "call wait<1>() before, or release later"},
    {"the wait for the reads is left out",
     {Kind::broken_contract},
     [](Thread& t) {
       release_late<GroupLoad>(t, [](const dma::AsyncReads& reads, auto& slot) { reads.commit(slot); });
     },
     "call wait<1>() before, or release later"},
    {"reads are not committed before they are waited for",
     {Kind::broken_contract},
     [](Thread& t) {
       release_late<GroupLoad>(t, [](const dma::AsyncReads& reads, auto& slot) {
         dma::machine::begin_async_reads(slot.address(), 256);
         reads.wait<0>();
       });
     },
     "call commit() after the products (wrong_reads.hpp"},
    {"one warp waits for the reads of another",
     {Kind::broken_contract},
     [](Thread& t) {
       release_late<GroupLoad>(t, [&](const dma::AsyncReads& reads, auto& slot) {
         reads.commit(slot);
         if (t.rank() < 32) {
           reads.wait<1>();
         }
       });
     },
     "no wait covers that commit()"},
    {"the last reads are not waited for",
     {Kind::broken_contract},
     [](Thread& t) {
       GroupLoad pipe(t.cta, t.at<GroupLoad::Storage>(0));
       if (computes_after_loading(t, pipe, 1)) {
         const auto slot = pipe.as_compute().wait();
         dma::AsyncReads{}.commit(slot);
       }
     },
     "a slot is released while tensor cores may still read it"},
    {"a pipeline is closed while tensor cores read its slots",
     {Kind::broken_contract},
     [](Thread& t) {
       GroupLoad pipe(t.cta, t.at<GroupLoad::Storage>(0));
       if (computes_after_loading(t, pipe, 1)) {
         const auto* const place = [&] {
           const auto slot = pipe.as_compute().wait();
           return slot.address();
         }();
         dma::machine::begin_async_reads(place, 256);
         dma::machine::commit_async_reads();
       }
       pipe.close();
     },
     "close() is called, while tensor cores may still read it"},
    {"a kernel ends while tensor cores read its shared memory",
     {Kind::armed_at_exit},
     [](Thread& t) {
       dma::machine::begin_async_reads(t.shared, 256);
       dma::machine::commit_async_reads();
     },
     "a thread ends while tensor cores may still read"},
    {"a thread writes a tile that tensor cores read",
     {Kind::unfinished_copy},
     [](Thread& t) {
       GroupLoad pipe(t.cta, t.at<GroupLoad::Storage>(0));
       if (computes_after_loading(t, pipe, 1)) {
         const auto slot = pipe.as_compute().wait();
         const dma::AsyncReads reads;
         pipe.as_compute().sync();
         reads.commit(slot);
         if (t.rank() < count) {
           slot[t.rank()] += 1;
         }
         reads.wait<0>();
       }
     },
     "has tensor cores read a tile (wrong_reads.hpp"},
    {"a thread writes a tile that another warp's tensor cores read",
     {Kind::unfinished_copy},
     [](Thread& t) {
       GroupLoad pipe(t.cta, t.at<GroupLoad::Storage>(0));
       if (computes_after_loading(t, pipe, 1)) {
         const auto slot = pipe.as_compute().wait();
         const dma::AsyncReads reads;
         if (t.rank() >= 32) {
           reads.commit(slot);
         }
         pipe.as_compute().sync();
         if (t.rank() < 32) {
           slot[t.rank()] += 1;
         }
         if (t.rank() >= 32) {
           reads.wait<0>();
         }
       }
     }},
    {"tensor cores read what cp.async wrote without a proxy fence",
     {Kind::missing_fence},
     [](Thread& t) {
       GroupLoadAsync pipe(t.cta, t.at<GroupLoadAsync::Storage>(0));
       if (computes_after_loading(t, pipe, 1)) {
         const auto slot = pipe.as_compute().wait();
         const dma::AsyncReads reads;
         reads.commit(slot);
         reads.wait<0>();
       }
     }},
    {"tensor cores read what threads wrote without a proxy fence",
     {Kind::missing_fence},
     [](Thread& t) {
       GroupLoadNamed pipe(t.cta, t.at<GroupLoadNamed::Storage>(0));
       if (computes_after_loading(t, pipe, 1)) {
         const auto slot = pipe.as_compute().wait();
         const dma::AsyncReads reads;
         reads.commit(slot);
         reads.wait<0>();
       }
     }},
    {"lanes of a warp commit apart",
     {Kind::unconverged_lanes},
     [](Thread& t) {
       GroupLoad pipe(t.cta, t.at<GroupLoad::Storage>(0));
       if (computes_after_loading(t, pipe, 1)) {
         const auto slot = pipe.as_compute().wait();
         const dma::AsyncReads reads;
         if (t.lane() == 0) {
           reads.commit(slot);
           reads.wait<0>();
         }
       }
     },
     "AsyncReads::commit()"},
    {"a part of a warpgroup commits",
     {Kind::broken_contract},
     [](Thread& t) {
       GroupLoad pipe(t.cta, t.at<GroupLoad::Storage>(0));
       if (!computes_after_loading(t, pipe, 0)) {
         dma::AsyncReads{}.commit();
       }
     },
     "products are made by warpgroups of four warps, and the CTA ends inside this one"},
};

}  // namespace wrong
