#pragma once

#include <dma/host/emulation/cta_shape.hpp>
#include <dma/host/emulation/memory/shared_memory.hpp>
#include <dma/host/emulation/named_barriers.hpp>

#include <cstddef>
#include <vector>

namespace dma::inline v0_1::host::detail {

struct CtaState;

/// What the CTAs of an emulated cluster share, or those of several clusters that run together.
struct ClusterState {
  /// @param cta          one of `count` equal ones
  /// @param ctas_of_one  CTAs of a cluster
  ClusterState(const CtaShape& cta, int count, int ctas_of_one)
      : size(count),
        cluster(ctas_of_one),
        meetings(static_cast<std::size_t>(count / ctas_of_one), {.expected = ctas_of_one * cta.threads}),
        shared(cta.shared_bytes, count) {}

  /// The barrier of all threads of a CTA's cluster.
  [[nodiscard]] NamedBarrier& meeting_of(int cta) { return meetings[static_cast<std::size_t>(cta / cluster)]; }

  int size;                            ///< CTAs
  int cluster;                         ///< CTAs of each cluster
  std::vector<NamedBarrier> meetings;  ///< by cluster
  SharedMemory shared;
  std::vector<CtaState*> ctas;  ///< by index
};

}  // namespace dma::inline v0_1::host::detail
