#pragma once

#include <dma/host/emulation/cta_shape.hpp>
#include <dma/host/emulation/memory/shared_memory.hpp>
#include <dma/host/emulation/named_barriers.hpp>

#include <vector>

namespace dma::inline v0_1::host::detail {

struct CtaState;

/// What the CTAs of an emulated cluster share.
struct ClusterState {
  /// @param cta  one of `count` equal ones
  ClusterState(const CtaShape& cta, int count)
      : size(count), meeting{.expected = count * cta.threads}, shared(cta.shared_bytes, count) {}

  int size;              ///< CTAs
  bool is_grid = false;  ///< all CTAs of a grid without clusters
  NamedBarrier meeting;  ///< of all threads of the cluster
  SharedMemory shared;
  std::vector<CtaState*> ctas;  ///< by rank
};

}  // namespace dma::inline v0_1::host::detail
