#pragma once

#include <dma/host/emulation/cta_shape.hpp>
#include <dma/host/emulation/named_barriers.hpp>
#include <dma/host/emulation/shared_memory.hpp>

namespace dma::host {

/// What the CTAs of an emulated cluster share.
struct ClusterState {
  /// @param cta  one of `ctas` equal ones
  ClusterState(const CtaShape& cta, int ctas)
      : size(ctas), meeting{.expected = ctas * cta.threads}, shared(cta.shared_bytes, ctas) {}

  int size;              ///< CTAs
  NamedBarrier meeting;  ///< of all threads of the cluster
  SharedMemory shared;
};

}  // namespace dma::host
