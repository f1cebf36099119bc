#pragma once

#include <dma/host/compiled.hpp>
#include <dma/host/deadline.hpp>
#include <dma/host/emulation/cta_shape.hpp>
#include <dma/host/emulation/grid_counters.hpp>
#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/memory/emulator_memory.hpp>
#include <dma/host/emulation/watcher.hpp>
#include <dma/host/global_arrays.hpp>
#include <dma/host/pending_clusters.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/index3.hpp>

#if DMA_DETAIL_HAS_EMULATOR
#include <dma/host/emulation/cluster_emulator.hpp>
#include <dma/host/emulation/exceeded.hpp>
#endif

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace dma::inline v0_1::host::detail {

/// The arrays of a launch, as the emulator knows them (`emulation/kernel_memory.hpp`).
class KernelMemory;

/// Which CTA of which grid runs, and how. The first one of a cluster, if it has several.
struct CtaRun {
  Index3 block;
  Index3 grid;
  unsigned seed = 0;  ///< of the order in which threads run (`ThreadOrder`)
  RunLimits limits = {};
  Watcher* watcher = nullptr;      ///< null where threads are neither recorded nor scheduled
  KernelMemory* memory = nullptr;  ///< global memory that the kernel may access; null where that is not known
  bool is_of_several = false;      ///< of grids in order: a proof judges what comes before a wait for the grids before
};

/// What each thread of a CTA runs: a kernel body with its arguments.
struct CtaBody {
  /// A kernel body, or one of its arguments. No type of another library's: a function of one would be seen.
  struct Object {
    const void* place;
    std::size_t bytes;
  };

  int threads;
  std::size_t shared_bytes;
  bool starts_early;
  int cluster;                          ///< CTAs that run at the same time
  void (*call)(const Object* objects);  ///< calls the first with the others
  std::vector<Object> objects;
  GlobalArrays arrays;         ///< that arguments name themselves
  bool narrow_fences = false;  ///< a fence of a scope without the threads that it would order is no fault by itself
};

/// Unseen: the list is no memory of the kernel's.
template <class Kernel, class... Args, std::size_t... i>
DMA_DETAIL_UNSEEN void call_with(const CtaBody::Object* objects, std::index_sequence<i...>) {
  KernelCta<Kernel> self;
  (*static_cast<const Kernel*>(objects[0].place))(
      self, const_cast<Args&>(*static_cast<const Args*>(objects[1 + i].place))...);
}

/// @pre The kernel and its arguments exist as long as the body.
template <KernelBody Kernel, class... Args>
[[nodiscard]] CtaBody cta_body(const Kernel& kernel, Args&... args) {
  CtaBody body{Kernel::Layout::threads,
               static_cast<std::size_t>(dma::detail::SharedOf<Kernel>::bytes),
               dma::detail::kernel_traits<Kernel>.programmatic_launch,
               dma::detail::kernel_traits<Kernel>.cluster,
               [](const CtaBody::Object* objects)
                   DMA_DETAIL_UNSEEN { call_with<Kernel, Args...>(objects, std::index_sequence_for<Args...>{}); },
               {{std::addressof(kernel), sizeof kernel}, {std::addressof(args), sizeof args}...},
               {}};
  [[maybe_unused]] int number = 0;
  (add_array_of(body.arrays, args, number++), ...);
  return body;
}

/// Runs a body in each thread of one emulated CTA, or of the CTAs of one cluster.
///
/// @throw  what `ClusterEmulator::run` throws
DMA_DETAIL_COMPILED void run_cta(const CtaRun& run, const CtaBody& body);
#if DMA_DETAIL_HAS_EMULATOR
/// The global memory that a body may access.
[[nodiscard]] DMA_DETAIL_COMPILED KernelMemory memory_of(const CtaBody& body, const std::vector<Input>& inputs,
                                                         const std::vector<Output>& outputs, bool has_other_arrays) {
  KernelMemory memory(inputs, outputs, body.arrays, has_other_arrays);
  for (const CtaBody::Object& object : body.objects) {
    memory.add_argument(object.place, object.bytes);
  }
  return memory;
}

DMA_DETAIL_COMPILED void run_cta(const CtaRun& run, const CtaBody& body) {
  const EmulatorMemory::Allocations allocations;
  const std::function<void()> call = [&body] { body.call(body.objects.data()); };
  const auto emulator = [&] {
    try {
      const CtaShape first{.threads = body.threads,
                           .shared_bytes = body.shared_bytes,
                           .block = run.block,
                           .blocks = run.grid,
                           .starts_early = body.starts_early && !run.is_of_several,
                           .memory = run.memory};
      return std::make_unique<ClusterEmulator>(first, body.cluster, call, run.seed, run.limits, run.watcher);
    } catch (const std::bad_alloc&) {
      throw no_memory_for("the threads of a CTA");
    }
  }();
  emulator->run();
  if (GridCounters* const grid = GridCounters::running()) {
    for (int cta = 0; cta < body.cluster; ++cta) {
      grid->end_cta();
    }
  }
}
#endif

/// The CTAs of a grid in the order in which the host runs them: by index with an even seed below 3, the last one first
/// with seed 1, and in a random order of the seed with others. The first one of each cluster only.
[[nodiscard]] inline std::vector<Index3> blocks_in_order(Index3 grid, unsigned seed, int cluster = 1) {
  std::vector<Index3> blocks;
  for (int z = 0; z < grid.z; ++z) {
    for (int y = 0; y < grid.y; ++y) {
      for (int x = 0; x < grid.x; x += cluster) {
        blocks.push_back({x, y, z});
      }
    }
  }
  if (seed == 1) {
    std::reverse(blocks.begin(), blocks.end());
  } else if (seed >= 3) {
    std::shuffle(blocks.begin(), blocks.end(), std::mt19937(seed));
  }
  return blocks;
}

/// Calls `visit(block)` for the CTAs of a grid that are not cancelled, in the order of a seed, until it returns false.
/// For the first one of each cluster, where there are clusters of several. Returns what is left of the clusters, and
/// which order is the next one.
///
/// @param cancellations  as of `LaunchOptions`
/// @throw KernelError  the grid is empty, or not whole clusters
template <class Visit>
PendingClusters for_each_block(Index3 grid, unsigned seed, const Visit& visit, int cluster = 1,
                               long long cancellations = -1) {
  if (grid.x < 1 || grid.y < 1 || grid.z < 1) {
    throw KernelError("dma::host: the grid is empty; give it at least one CTA along each axis");
  }
  if (grid.x % cluster != 0) {
    throw KernelError("dma::host: the kernel body has clusters of " + std::to_string(cluster) +
                      " CTAs along x, and the grid has " + std::to_string(grid.x) +
                      " CTAs there; launch a multiple of the cluster");
  }
  PendingClusters pending(blocks_in_order(grid, cancellations < 0 ? seed : 0, cluster), cluster, seed, cancellations);
  const GridCounters counters(static_cast<long long>(grid.x) * grid.y * grid.z, &pending);
  for (Index3 block; pending.begin(block);) {
    if (!visit(block)) {
      break;
    }
  }
  return pending;
}

}  // namespace dma::inline v0_1::host::detail
