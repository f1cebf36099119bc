#pragma once

#include <dma/config.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/machine.hpp>

namespace dma {

/// What CTAs count their arrivals in, in global memory: zero before a launch, and again after it.
struct ArrivalCounter {
  unsigned arrived;
};

/// Whether this CTA is the last of `ctas` to ask, so that it can put together what each of them left in global memory:
/// it sees all that their threads wrote before they asked. Collective over the CTA. The last to ask clears the counter.
///
///     partial[cta.block().x] = sum;
///     if (dma::is_last_cta(cta, *counter, cta.blocks().x, shared.arrivals)) { add_up(partial); }
///
/// On a host, where one CTA runs after the other, it is the one that runs last.
///
/// Cost    two synchronizations of the CTA around one atomic: the way to the L2 and back
/// Source  PTX ISA, atom.inc with acquire and release; the synchronizations order the other threads (causality order)
///
/// @param counter  in global memory, for these CTAs alone
/// @param shared   in shared memory; tells the CTA's threads what the one that asked was told
[[nodiscard]] DMA_HOST_DEVICE bool is_last_cta(const Cta& cta, ArrivalCounter& counter, int ctas,
                                               ArrivalCounter& shared) {
  const unsigned last = static_cast<unsigned>(ctas) - 1;
  cta.sync();
  if (cta.thread() == 0) {
    shared.arrived = machine::count_around(&counter.arrived, last);
  }
  cta.sync();
  return shared.arrived == last;
}

}  // namespace dma
