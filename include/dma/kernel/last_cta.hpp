#pragma once

#include <dma/config.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/site.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

/// The CTAs' arrival counter, in global memory: zero before a launch, and again after it.
struct ArrivalCounter {
  unsigned arrived;
};

namespace detail {

/// Whether the calling thread is the first one of a CTA or of a group.
template <class Threads>
[[nodiscard]] DMA_HOST_DEVICE bool is_first_of(const Threads& threads) {
  if constexpr (stdlib::is_base_of_v<Cta, Threads>) {
    return threads.thread() == 0;
  } else {
    return threads.rank() == 0;
  }
}

}  // namespace detail

/// Whether this CTA is the last of `ctas` to call it, so that it can combine what each of them wrote to global memory.
/// It sees all that their threads wrote before the call. Collective over the CTA. The last call clears the counter.
///
///     partial[cta.block().x] = sum;
///     if (dma::is_last_cta(cta, *counter, cta.blocks().x, shared.arrivals)) { add_up(partial); }
///
/// With a pipeline's compute handle instead of the CTA it is collective over the compute warps, within their role.
///
/// On a host, where CTAs run one after the other, it is the one that runs last.
///
/// Cost    two synchronizations of these threads around one atomic: a round trip to the L2
/// Source  PTX ISA, atom.inc with acquire and release; the synchronizations order the other threads (causality order)
///
/// @param threads  the CTA, or a compute handle: those that call it
/// @param counter  in global memory, for these CTAs alone
/// @param shared   in shared memory; passes the answer from one thread to the others
template <class Threads>
[[nodiscard]] DMA_HOST_DEVICE bool is_last_cta(const Threads& threads, ArrivalCounter& counter, int ctas,
                                               ArrivalCounter& shared) {
  machine::enters(machine::Call::last_cta, {.pipeline = machine::type_name<ArrivalCounter>()});
  const unsigned last = static_cast<unsigned>(ctas) - 1;
  machine::use_counter(&counter.arrived, "is_last_cta");
  threads.sync();
  if (detail::is_first_of(threads)) {
    machine::touched(&shared, int{sizeof shared}, machine::Access::write);
    shared.arrived = machine::count_around(&counter.arrived, last);
  }
  threads.sync();
  machine::touched(&shared, int{sizeof shared}, machine::Access::read);
  return shared.arrived == last;
}

}  // namespace dma::inline v0_1
