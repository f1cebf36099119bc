#pragma once

#include <dma/host/emulation/cluster_state.hpp>
#include <dma/host/emulation/convergence.hpp>
#include <dma/host/emulation/copies_under_way.hpp>
#include <dma/host/emulation/cta_shape.hpp>
#include <dma/host/emulation/named_barriers.hpp>
#include <dma/host/emulation/phase_barriers.hpp>
#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/host/emulation/slot_ledger.hpp>
#include <dma/host/emulation/spin_watch.hpp>
#include <dma/host/emulation/thread_order.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace dma::host {

/// The shared memory of a CTA. It starts as 0xa5 bytes: a GPU's is not zero either.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t bytes)
      : memory_(::operator new (std::max<std::size_t>(bytes, 1), std::align_val_t{alignment})) {
    std::memset(memory_.get(), 0xa5, bytes);
  }
  [[nodiscard]] void* get() const noexcept { return memory_.get(); }

 private:
  static constexpr std::size_t alignment = 1024;
  struct Free {
    void operator()(void* memory) const { ::operator delete (memory, std::align_val_t{alignment}); }
  };
  std::unique_ptr<void, Free> memory_;
};

/// What the lanes of a warp share: the barrier of `__syncwarp`, and the values that they shuffle.
struct WarpState {
  static constexpr int lanes = 32;
  static constexpr std::size_t widest_shuffle = 16;  ///< bytes

  NamedBarrier meeting{.expected = lanes};
  Convergence convergence;
  std::array<std::array<unsigned char, widest_shuffle>, lanes> values{};
};

/// What the threads of an emulated CTA share.
struct CtaState {
  CtaState(const CtaShape& cta, ClusterState& its_cluster, unsigned seed)
      : shape(cta),
        cluster(its_cluster),
        shared(cta.shared_bytes),
        order(seed, cta.threads / WarpState::lanes),
        warps(static_cast<std::size_t>(cta.threads / WarpState::lanes)),
        named_barriers(cta.threads) {
    cluster.shared.push_back(static_cast<unsigned char*>(shared.get()));
    for (std::size_t warp = 0; warp < warps.size(); ++warp) {
      warps[warp].convergence = Convergence(static_cast<int>(warp));
    }
  }

  CtaShape shape;
  ClusterState& cluster;
  SharedMemory shared;
  ThreadOrder order;
  std::vector<WarpState> warps;
  NamedBarriers named_barriers;
  PhaseBarriers phase_barriers;
  FilledSlots filled_slots;
  MovedSlots moved_slots;
  PipelineLetters pipelines;
  CopiesUnderWay copies;
  HeldSlots* running = nullptr;  ///< of the thread that runs
  SpinWatch* spins = nullptr;    ///< while the CTA runs
  bool waits_for_grids = false;  ///< a thread has called grid_dependency_wait()
  bool is_cancelled = false;     ///< threads throw where they would wait, so that their stacks unwind
};

}  // namespace dma::host
