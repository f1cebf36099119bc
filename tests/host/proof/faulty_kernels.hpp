#pragma once

#include <dma/buffering/multi_buffer.hpp>
#include <dma/engines/async_copy.hpp>
#include <dma/engines/bulk_copy.hpp>
#include <dma/engines/register_copy.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/sequential.hpp>
#include <dma/patterns/store.hpp>
#include <dma/pipeline.hpp>
#include <dma/proof/finding.hpp>
#include <dma/sync/cuda_barrier.hpp>
#include <dma/sync/named_barrier.hpp>

#include <vector>

/// Kernels with one mistake each, of the kinds that users of DMA warps make.
namespace faulty {

using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 64>;
inline constexpr int tiles = 7;

using Phase = dma::CudaBarrier;
using Named = dma::NamedBarrier;
using Registers = dma::RegisterCopy<>;
using Async = dma::AsyncCopy<>;
using Bulk = dma::BulkCopy<>;

/// What may be said of a fault: its cause, or what came of it.
using Kinds = std::vector<dma::proof::FindingKind>;

template <class Barrier, class Engine>
using Loads = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout>, Barrier, Engine>;
template <class Barrier, class Engine>
using Second = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout, 1>, Barrier, Engine>;
template <class Barrier, class Engine>
using Stores = dma::DmaPipeline<dma::Store<Tile>, dma::ManualDoubleBuffer<Layout>, Barrier, Engine>;

enum class Fault {
  none,
  no_release,             ///< of one tile
  released_twice,         ///< by the explicit calls
  release_before_wait,    ///< of a tile that has not come
  one_warp_leaves,        ///< before its last tile
  one_warp_skips_a_tile,  ///< in the middle
  one_trip_too_many,      ///< of the compute warps
  one_trip_too_few,
  one_load_too_many,
  copy_before_wait,  ///< for empty
  copy_without_wait,
  copy_after_signal,     ///< of full
  signal_without_copy,   ///< reported where the copies are what completes a phase: nothing was to be copied
  writes_its_element,    ///< into a tile that was loaded
  writes_one_element,    ///< all threads
  reads_its_neighbours,  ///< in a tile that it fills, without synchronization
  synchronizes_half,     ///< cta.sync() in the compute warps only
  swaps_releases,        ///< of two pipelines
  forgets_second,        ///< pipeline: its tiles are loaded and never taken
  holds_and_waits,       ///< takes all slots and one more
  depends_on_order,      ///< of the threads: the first one does more
};

template <class A, class B>
struct Kernel {
  using Layout = faulty::Layout;
  struct Shared {
    typename A::Storage a;
    typename B::Storage b;
  };

  void operator()(dma::KernelCta<Kernel>& cta, const float* in, float* out, int* order, Fault fault) const {
    auto& shared = cta.template shared<Shared>();
    A a(cta, shared.a);
    B b(cta, shared.b);
    if (a.is_dma()) {
      load(a, in, fault);
    } else if (b.is_dma()) {
      load(b, in, Fault::none);
    } else {
      compute(cta, a, b, out, order, fault);
    }
  }

 private:
  template <class Pipe>
  static void load(Pipe& pipe, const float* in, Fault fault) {
    const auto dma = pipe.as_dma();
    for (int t = 0; t < tiles + (fault == Fault::one_load_too_many ? 1 : 0); ++t) {
      const bool is_now = t == 3;
      if (fault != Fault::copy_without_wait && !(fault == Fault::copy_before_wait && is_now)) {
        dma.wait_until_empty();
      }
      if (is_now && fault == Fault::copy_after_signal) {
        dma.signal_full();
        dma.copy(in);
        continue;
      }
      if (!(is_now && fault == Fault::signal_without_copy)) {
        dma.copy(in + t % tiles * Tile::count);
      }
      if (fault == Fault::copy_before_wait && is_now) {
        dma.wait_until_empty();
      }
      dma.signal_full();
    }
  }

  static void compute(dma::KernelCta<Kernel>& cta, A& a, B& b, float* out, int* order, Fault fault) {
    const auto first = a.as_compute();
    const auto second = b.as_compute();
    const int trips = tiles + (fault == Fault::one_trip_too_many) - (fault == Fault::one_trip_too_few);
    for (int t = 0; t < trips; ++t) {
      const bool is_now = t == 3;
      const bool is_second_warp = cta.warp() == 1;
      if (fault == Fault::one_warp_leaves && is_second_warp && t == trips - 1) {
        return;
      }
      if (fault == Fault::one_warp_skips_a_tile && is_second_warp && is_now) {
        continue;
      }
      if (fault == Fault::release_before_wait && is_now) {
        first.signal_empty();
        first.signal_empty();
      }
      if (fault == Fault::synchronizes_half && is_now) {
        cta.sync();
      }
      if (fault == Fault::depends_on_order && is_now && ++*order == 1) {
        dma::machine::fence_async_proxy();
      }
      const float* const tile = first.wait_until_full();
      out[t % tiles * Tile::count + first.rank()] = tile[first.rank()];
      if (fault == Fault::swaps_releases) {
        second.signal_empty();
        static_cast<void>(second.wait_until_full());
        first.signal_empty();
        continue;
      }
      if (!(fault == Fault::no_release && is_now)) {
        first.signal_empty();
      }
      if (fault == Fault::released_twice && is_now) {
        first.signal_empty();
      }
      if (fault != Fault::forgets_second) {
        auto slot = second.wait();
        if (fault == Fault::writes_its_element) {
          slot[second.rank()] += 1.0F;
        }
        if (fault == Fault::writes_one_element) {
          slot[0] += 1.0F;
        }
        if (fault == Fault::holds_and_waits && is_now) {
          auto next = second.wait();
          auto one_more = second.wait();
        }
      }
    }
  }
};

/// One that stores: threads fill what they are given.
template <class Pipe>
struct StoreKernel {
  using Layout = faulty::Layout;
  struct Shared {
    typename Pipe::Storage storage;
  };

  void operator()(dma::KernelCta<StoreKernel>& cta, float* out, Fault fault) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      for (int t = 0; t < tiles; ++t) {
        if (fault == Fault::copy_before_wait && t == 3) {
          dma.copy(out);
          dma.wait_until_full();
          dma.signal_empty();
        } else {
          dma.store(out + t * Tile::count);
        }
      }
    } else if (pipe.is_compute()) {
      const auto compute = pipe.as_compute();
      for (int t = 0; t < tiles; ++t) {
        auto slot = compute.wait();
        slot[compute.rank()] = static_cast<float>(t);
        if (fault == Fault::reads_its_neighbours) {
          slot[(compute.rank() + 1) % slot.size()] += 1.0F;
        }
        if (fault == Fault::one_warp_leaves && cta.warp() == 1 && t == 5) {
          slot.release();
          return;
        }
      }
    }
  }
};

/// Barriers with a mistake each. What is not said is as in the barrier itself.
struct OneArrivalMore : dma::CudaBarrier {
  template <dma::Participants participants, dma::Completion completion = dma::Completion::sync>
  static void open(dma::BarrierPoint<State> point) {
    dma::machine::phase_init(point.state, participants.arriving / 32 + 1);
  }
};
struct OneArrivalFewer : dma::CudaBarrier {
  template <dma::Participants participants, dma::Completion completion = dma::Completion::sync>
  static void open(dma::BarrierPoint<State> point) {
    dma::machine::phase_init(point.state, participants.arriving > 32 ? participants.arriving / 32 - 1 : 1);
  }
};
struct OtherParity : dma::CudaBarrier {
  template <dma::Participants participants, dma::Lanes lanes>
  static void wait(dma::BarrierPoint<State> point, unsigned parity, const dma::machine::Site& site) {
    dma::machine::phase_wait(point.state, parity ^ 1U, site);
  }
};
struct ArrivesWithoutItsWarp : dma::CudaBarrier {
  template <dma::Participants participants, dma::Lanes lanes>
  static void arrive(dma::BarrierPoint<State> point, const dma::machine::Site& site) {
    if (dma::machine::elect()) {
      dma::machine::phase_arrive(point.state, site);
    }
  }
};
struct ArrivesTwice : dma::CudaBarrier {
  template <dma::Participants participants, dma::Lanes lanes>
  static void arrive(dma::BarrierPoint<State> point, const dma::machine::Site& site) {
    dma::CudaBarrier::arrive<participants, lanes>(point, site);
    if (dma::machine::elect()) {
      dma::machine::phase_arrive(point.state, site);
    }
  }
};
struct EveryLaneArrives : dma::CudaBarrier {
  template <dma::Participants participants, dma::Lanes lanes>
  static void arrive(dma::BarrierPoint<State> point, const dma::machine::Site& site) {
    dma::machine::phase_arrive(point.state, site);
  }
};
struct OneLaneWaits : dma::CudaBarrier {
  template <dma::Participants participants, dma::Lanes lanes>
  static void wait(dma::BarrierPoint<State> point, unsigned parity, const dma::machine::Site& site) {
    if (dma::machine::elect()) {
      dma::machine::phase_wait(point.state, parity, site);
    }
  }
};
struct NeverWaits : dma::CudaBarrier {
  template <dma::Participants participants, dma::Lanes lanes>
  static void wait(dma::BarrierPoint<State>, unsigned, const dma::machine::Site&) {}
};
/// Tiles are signalled without a wait for their copies.
struct ForgetsCopies : dma::CudaBarrier {
  template <dma::Participants participants, dma::Completion completion = dma::Completion::sync>
  static void open(dma::BarrierPoint<State> point) {
    dma::machine::phase_init(point.state, participants.arriving / 32);
  }
  template <dma::Completion completion, dma::Participants participants, dma::Lanes lanes>
  static void arrive_after(dma::BarrierPoint<State> point, int, const dma::machine::Site& site) {
    dma::CudaBarrier::arrive<participants, lanes>(point, site);
  }
};
struct ExpectsMoreBytes : dma::CudaBarrier {
  template <dma::Completion completion, dma::Participants participants, dma::Lanes lanes>
  static void arrive_after(dma::BarrierPoint<State> point, int bytes, const dma::machine::Site& site) {
    dma::CudaBarrier::arrive_after<completion, participants, lanes>(point, bytes + 16, site);
  }
  static void expect(dma::BarrierPoint<State> point, int bytes, const dma::machine::Site& site) {
    dma::machine::phase_expect(point.state, bytes + 16, site);
  }
};
struct ExpectsAfterArriving : dma::CudaBarrier {
  static void expect(dma::BarrierPoint<State> point, int bytes, const dma::machine::Site& site) {
    dma::machine::phase_arrive(point.state, site);
    dma::machine::phase_expect(point.state, bytes, site);
  }
};
struct FewerThreads : dma::NamedBarrier {
  template <dma::Participants participants, dma::Lanes lanes>
  static void wait(dma::BarrierPoint<State> point, unsigned, const dma::machine::Site& site) {
    dma::machine::sync_warp();
    dma::machine::barrier_sync(point.id, participants.arriving + participants.waiting - 32, site);
  }
};
struct FewerThreadsEverywhere : FewerThreads {
  template <dma::Participants participants, dma::Lanes lanes>
  static void arrive(dma::BarrierPoint<State> point, const dma::machine::Site& site) {
    dma::machine::sync_warp();
    dma::machine::barrier_arrive(point.id, participants.arriving + participants.waiting - 32, site);
  }
};
struct ArrivesBeforeItsCopies : dma::NamedBarrier {
  template <dma::Completion completion, dma::Participants participants, dma::Lanes lanes>
  static void arrive_after(dma::BarrierPoint<State> point, int, const dma::machine::Site& site) {
    dma::NamedBarrier::arrive<participants, lanes>(point, site);
    dma::machine::wait_for_async_copies();
  }
};
/// Full and empty of a stage, and of all stages, are one barrier.
struct OneIdForAll : dma::NamedBarrier {
  template <dma::Participants participants, dma::Lanes lanes>
  static void arrive(dma::BarrierPoint<State> point, const dma::machine::Site& site) {
    dma::NamedBarrier::arrive<participants, lanes>({point.state, 1}, site);
  }
  template <dma::Participants participants, dma::Lanes lanes>
  static void wait(dma::BarrierPoint<State> point, unsigned parity, const dma::machine::Site& site) {
    dma::NamedBarrier::wait<participants, lanes>({point.state, 1}, parity, site);
  }
};
struct OnlyArrives : dma::NamedBarrier {
  template <dma::Participants participants, dma::Lanes lanes>
  static void wait(dma::BarrierPoint<State> point, unsigned, const dma::machine::Site& site) {
    dma::machine::sync_warp();
    dma::machine::barrier_arrive(point.id, participants.arriving + participants.waiting, site);
  }
};

}  // namespace faulty
