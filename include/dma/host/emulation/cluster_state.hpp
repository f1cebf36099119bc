#pragma once

#include <dma/host/emulation/named_barriers.hpp>

#include <cstddef>
#include <vector>

namespace dma::host {

/// What the CTAs of an emulated cluster share.
struct ClusterState {
  NamedBarrier meeting;                ///< of all threads of the cluster
  std::vector<unsigned char*> shared;  ///< of each CTA, its shared memory

  [[nodiscard]] int size() const noexcept { return static_cast<int>(shared.size()); }
};

}  // namespace dma::host
