#pragma once

#include <dma/config.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/access.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/scope.hpp>
#include <dma/machine/site.hpp>
#include <dma/machine/word.hpp>
#include <dma/standard.hpp>
#include <dma/sync/cuda_barrier.hpp>

namespace dma::inline v0_1 {

/// A barrier of a kernel's own: one mbarrier in each CTA, whose phases count arrivals and bytes. With `Scope::cluster`
/// threads of other CTAs arrive at it and send it bytes, without a `cluster_sync()` for each exchange.
///
///     dma::PhaseBarrier<dma::Scope::cluster> full(cta, shared.full, 1);
///     if (cta.thread() == 0) full.expect(4 * cta.cluster_size());
///     if (cta.thread() < cta.cluster_size()) full.send(cta.thread(), &shared.sums[cta.cluster_rank()], sum);
///     full.wait();                          // shared.sums has the sums of all CTAs
///
/// A thread that waits at all waits for every phase. What is sent into a place that threads have read follows their
/// reads by another barrier, for example one at which they arrive. A CTA waits for all that is sent to it before it
/// ends: `prove` reports where it may not.
///
/// Shared  8 bytes (`State`), at the same offset in each CTA
/// Source  PTX ISA, mbarrier, st.async, cp.async.bulk, mapa
///
/// @pre sm_80 or newer; sm_90 for `Scope::cluster`.
template <Scope scope = Scope::cta>
class PhaseBarrier {
  static_assert(scope == Scope::cta || scope == Scope::cluster,
                "dma::PhaseBarrier: an mbarrier is in shared memory, which no other cluster has; use Scope::cta or "
                "Scope::cluster, and dma::atomic_ref beyond a cluster");

 public:
  using State = CudaBarrier::State;

  /// Collective over the CTA, or the cluster, which it synchronizes.
  ///
  /// @param arrivals  that complete a phase, of threads, from all CTAs together
  DMA_HOST_DEVICE PhaseBarrier(const Cta& cta, State& state, int arrivals,
                               machine::SourceLocation caller = machine::SourceLocation::here())
      : state_(&state) {
    machine::called_from(caller);
    machine::expect_architecture<scope == Scope::cluster ? 900 : 800, PhaseBarrier>();
    if (cta.thread() == 0) {
      machine::phase_init(state_, arrivals);
      machine::fence_async_proxy();
    }
    if constexpr (scope == Scope::cluster) {
      machine::sync_cluster();
    } else {
      machine::sync_cta();
    }
  }
  PhaseBarrier(const PhaseBarrier&) = delete;
  PhaseBarrier& operator=(const PhaseBarrier&) = delete;
  ~PhaseBarrier() = default;

  /// One arrival of this thread, at its own CTA's barrier.
  DMA_HOST_DEVICE void arrive(machine::SourceLocation caller = machine::SourceLocation::here()) const {
    machine::called_from(caller);
    machine::phase_arrive(state_, site());
  }
  /// One arrival at its own CTA's barrier when the products into tensor memory that the warp has started are complete
  /// (`TensorMemory`). Collective over that warp. For those of a pair of CTAs it is `arrive_when_multiplied<2>()`,
  /// collective over a warp of each: one arrival at both barriers.
  template <int Ctas = 1>
  DMA_HOST_DEVICE void arrive_when_multiplied(machine::SourceLocation caller = machine::SourceLocation::here()) const {
    static_assert(Ctas == 1 || Ctas == 2, "dma::PhaseBarrier: products are of one CTA or of a pair; name 1 or 2 CTAs");
    machine::called_from(caller);
    machine::sync_warp();
    if constexpr (Ctas == 2) {
      expect_cluster();
      if (machine::cluster_rank() % 2 == 0 && machine::elect()) {
        machine::phase_arrive_in_pair_when_multiplied(state_, site());
      }
    } else if (machine::elect()) {
      machine::phase_arrive_when_multiplied(state_, site());
    }
  }
  /// The same at that of CTA `rank`. What this thread read and wrote before precedes the phase's end there.
  DMA_HOST_DEVICE void arrive_at(int rank, machine::SourceLocation caller = machine::SourceLocation::here()) const {
    expect_cluster();
    machine::called_from(caller);
    machine::phase_arrive_at<scope>(state_, rank, site());
  }
  /// One arrival at its own CTA's barrier, whose phase also needs `bytes` that are sent to it.
  DMA_HOST_DEVICE void expect(int bytes, machine::SourceLocation caller = machine::SourceLocation::here()) const {
    machine::called_from(caller);
    machine::phase_arrive_expecting(state_, bytes, site());
  }
  /// Waits for the next phase, and sees what the arriving threads wrote before and what was sent.
  DMA_HOST_DEVICE void wait(machine::SourceLocation caller = machine::SourceLocation::here()) {
    machine::called_from(caller);
    if constexpr (scope == Scope::cluster) {
      machine::phase_wait_in_cluster(state_, parity_, site());
    } else {
      machine::phase_wait(state_, parity_, site());
    }
    parity_ ^= 1U;
  }

  /// Stores `value`, of 4, 8 or 16 bytes, where CTA `rank` has `*to`; its barrier counts the bytes. Returns at once.
  template <class T>
  DMA_HOST_DEVICE void send(int rank, T* to, const T& value,
                            machine::SourceLocation caller = machine::SourceLocation::here()) const {
    expect_cluster();
    static_assert(stdlib::is_trivially_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16) &&
                      alignof(T) <= sizeof(T),
                  "dma::PhaseBarrier: send() stores 4, 8 or 16 bytes of a trivial type; send the parts of anything "
                  "else, or copy()");
    machine::called_from(caller);
    machine::Word<sizeof(T)> word;
    memcpy(&word, &value, sizeof word);
    machine::store_async<sizeof(T)>(to, word, rank, state_);
  }
  /// Copies `bytes` bytes from this CTA's shared memory to where CTA `rank` has `to`; its barrier counts them. One
  /// thread calls it. Returns at once: `from` stays as it is until the other CTA has waited.
  ///
  /// @pre Addresses and `bytes` are multiples of 16. `fence()` comes between the stores into `from` and this.
  DMA_HOST_DEVICE void copy(int rank, void* to, const void* from, int bytes,
                            machine::SourceLocation caller = machine::SourceLocation::here()) const {
    expect_cluster();
    machine::called_from(caller);
    machine::copy_bulk_to_cta(to, from, bytes, rank, state_);
  }
  /// The proxy fence: what this thread did to shared memory, and saw done, precedes what later copies do.
  DMA_HOST_DEVICE void fence() const { machine::fence_async_proxy(); }

 private:
  [[nodiscard]] DMA_HOST_DEVICE static constexpr machine::Site site() {
    return {machine::Who::threads, machine::Point::barrier};
  }

  DMA_HOST_DEVICE static void expect_cluster() {
    static_assert(scope == Scope::cluster,
                  "dma::PhaseBarrier: arrivals and bytes from another CTA are not ordered at CTA scope; use "
                  "dma::PhaseBarrier<dma::Scope::cluster>");
  }

  State* state_;
  unsigned parity_ = 0;
};

}  // namespace dma::inline v0_1
