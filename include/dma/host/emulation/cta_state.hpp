#pragma once

#include <dma/host/emulation/cluster_state.hpp>
#include <dma/host/emulation/constructed_pipelines.hpp>
#include <dma/host/emulation/convergence.hpp>
#include <dma/host/emulation/copies_under_way.hpp>
#include <dma/host/emulation/cta_shape.hpp>
#include <dma/host/emulation/grid_counters.hpp>
#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/memory/memory_bounds.hpp>
#include <dma/host/emulation/named_barriers.hpp>
#include <dma/host/emulation/passed_waits.hpp>
#include <dma/host/emulation/phase_barriers.hpp>
#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/host/emulation/run_watch.hpp>
#include <dma/host/emulation/slot_ledger.hpp>
#include <dma/host/emulation/thread_order.hpp>
#include <dma/machine/host/tensor_cells.hpp>
#include <dma/machine/index3.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <map>
#include <vector>

namespace dma::inline v0_1::host::detail {

/// What the lanes of a warp share: the barrier of `__syncwarp`, and the values that they shuffle.
struct WarpState {
  static constexpr int lanes = 32;
  static constexpr std::size_t widest_shuffle = 104;  ///< bytes, of the factors of a warp's product

  NamedBarrier meeting{.expected = lanes};
  std::map<unsigned, NamedBarrier> meetings;  ///< of a part of the lanes, by their mask
  [[nodiscard]] NamedBarrier& meeting_of(unsigned mask) {
    NamedBarrier& part = meetings[mask];
    part.expected = std::popcount(mask);
    return part;
  }
  Convergence convergence;
  PassedWaits passed_waits;
  std::array<std::array<unsigned char, widest_shuffle>, lanes> values{};
  std::array<std::array<unsigned char, lanes * widest_shuffle>, 2> passed{};  ///< by all lanes, in turn
  std::array<int, lanes> committed_reads{};  ///< groups of asynchronous reads that each lane has closed
};

/// What the threads of an emulated CTA share.
struct CtaState {
  CtaState(const CtaShape& cta, ClusterState& its_cluster, unsigned seed)
      : shape(cta),
        cluster(its_cluster),
        order(seed, cta.threads / WarpState::lanes),
        warps(static_cast<std::size_t>(cta.threads / WarpState::lanes)),
        bounds(its_cluster.shared, cta.index, cta.memory),
        named_barriers(cta.threads) {
    cluster.ctas.push_back(this);
    for (std::size_t warp = 0; warp < warps.size(); ++warp) {
      warps[warp].convergence = Convergence(static_cast<int>(warp));
    }
  }

  /// A GPU has no products for a part of a warpgroup.
  void expect_warpgroup(int rank) const {
    if (shape.threads < (rank / warpgroup + 1) * warpgroup) {
      throw KernelError(
          "dma::AsyncReads: products are made by warpgroups of four warps, and the CTA ends inside this one; use a "
          "multiple of four compute warps");
    }
  }
  /// Whether all threads of a thread's warpgroup have closed so many groups of asynchronous reads.
  [[nodiscard]] bool has_committed_reads(int rank, int groups) const {
    constexpr int warps_of_one = warpgroup / WarpState::lanes;
    const auto first = warps.begin() + rank / warpgroup * warps_of_one;
    return std::all_of(first, first + warps_of_one, [&](const WarpState& warp) {
      return *std::min_element(warp.committed_reads.begin(), warp.committed_reads.end()) >= groups;
    });
  }

  /// A thread of the CTA asks for a cluster of the grid that has not begun.
  [[nodiscard]] bool cancels_cluster(Index3& first) const {
    if (has_seen_failure) {
      throw KernelError(
          "dma::host: a thread asks for another cluster of the grid (clusterlaunchcontrol.try_cancel) although one of "
          "its CTA has seen such a request fail, and what that does is undefined; ask no more after it");
    }
    GridCounters* const grid = GridCounters::running();
    return grid != nullptr && grid->cancel(first);
  }

  static constexpr int warpgroup = 128;  ///< threads

  CtaShape shape;
  ClusterState& cluster;
  ThreadOrder order;
  std::vector<WarpState> warps;
  MemoryBounds bounds;
  NamedBarriers named_barriers;
  PhaseBarriers phase_barriers;
  FilledSlots filled_slots;
  MovedSlots moved_slots;
  PipelineLetters pipelines;
  ConstructedPipelines constructed;
  CopiesUnderWay copies;
  machine::TensorCells tensor_cells;
  HeldSlots* running = nullptr;   ///< of the thread that runs
  RunWatch* watch = nullptr;      ///< while the CTA runs
  bool signals_peers = false;     ///< a thread has arrived at a barrier of another CTA
  bool waits_for_grids = false;   ///< a thread has called grid_dependency_wait()
  bool has_seen_failure = false;  ///< of a request to cancel a cluster
  bool leaves_pending = false;    ///< it may end with arrivals, and reads of bulk stores, pending
  bool is_cancelled = false;      ///< threads throw where they would wait, so that their stacks unwind
};

}  // namespace dma::inline v0_1::host::detail
