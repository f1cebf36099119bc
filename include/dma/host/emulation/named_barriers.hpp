#pragma once

#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/pending_arrivals.hpp>
#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/machine/site.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace dma::inline v0_1::host::detail {

/// A hardware barrier. The first arrival of each generation states how many threads arrive in it.
///
/// Source  PTX ISA, "barrier{.cta}"
struct NamedBarrier {
  int expected = 0;  ///< threads
  int arrived = 0;   ///< threads, in this generation
  unsigned generation = 0;

  void arrive() noexcept {
    if (++arrived == expected) {
      arrived = 0;
      ++generation;
    }
  }
};

/// The 16 named barriers of a CTA, and the rules for their use.
class NamedBarriers {
 public:
  static constexpr int count = 16;
  static constexpr int of_products = 8;  ///< behind them: one for each warpgroup that begins products

  explicit NamedBarriers(int cta_threads) : cta_threads_(cta_threads) {}

  /// Barrier `id`, for an arrival that states `threads` threads.
  ///
  /// @throw KernelError  the barrier does not exist, cannot count `threads`, or expects another number
  [[nodiscard]] NamedBarrier& at(int id, int threads, const machine::Site& site) {
    const int numbers = site.point == machine::Point::products ? count + of_products : count;
    if (id < 0 || id >= numbers || threads <= 0 || threads % 32 != 0 || threads > cta_threads_) {
      throw KernelError("dma::host: " + std::string(machine::name_of(site.who)) + " use named barrier " +
                        std::to_string(id) + " with " + std::to_string(threads) +
                        " threads; use one of 0 to 15, with a multiple of 32 threads within the CTA");
    }
    NamedBarrier& barrier = barriers_[static_cast<std::size_t>(id)];
    if (barrier.arrived == 0) {
      barrier.expected = threads;
    } else if (barrier.expected != threads) {
      throw KernelError("dma::host: threads at named barrier " + std::to_string(id) + " disagree on their number: " +
                        std::to_string(barrier.expected) + " and " + std::to_string(threads) + " (" +
                        machine::name_of(site.who) + "); give the same number at each arrival");
    }
    last_arrivals_[static_cast<std::size_t>(id)] = site;
    return barrier;
  }

  /// The first barrier with pending arrivals, in words; empty where there is none.
  [[nodiscard]] std::string armed(PipelineLetters& pipelines) const {
    for (std::size_t id = 0; id < barriers_.size(); ++id) {
      if (barriers_[id].arrived != 0) {
        return "pending arrivals at named barrier " + std::to_string(id) + ": " +
               std::to_string(barriers_[id].arrived) + " of " + std::to_string(barriers_[id].expected) +
               " threads had arrived" + last_arrival(last_arrivals_[id], pipelines);
      }
    }
    return "";
  }

 private:
  int cta_threads_;
  std::array<NamedBarrier, count + of_products> barriers_{};
  std::array<machine::Site, count + of_products> last_arrivals_{};
};

/// The named barriers that a thread's pipelines use at present.
class ClaimedBarriers {
 public:
  /// @throw KernelError  another pipeline has one of barriers `first` to `first + count`
  void claim(int first, int count, const machine::Site& pipeline, PipelineLetters& pipelines) {
    for (int id = first; id < first + count; ++id) {
      const auto owned =
          std::find_if(owned_.begin(), owned_.end(), [id](const Owned& one) { return one.barrier == id; });
      if (owned != owned_.end() && pipeline.point == machine::Point::turn) {
        throw KernelError(
            "dma::host: a kernel has two dma::Turns at the same time, which would use the same named barriers; let one "
            "end before the next, or take the turns of one");
      }
      if (owned != owned_.end()) {
        throw KernelError("dma::host: two pipelines of a kernel, " + pipelines.name_of(owned->by) + " and " +
                          pipelines.name_of(pipeline) + ", use named barrier " + std::to_string(id) +
                          " at the same time, because they use the same DMA group; give each its own (FirstGroup), or "
                          "use dma::CudaBarrier");
      }
      owned_.push_back({id, pipeline});
    }
  }
  void release(int first, int count) {
    std::erase_if(owned_, [&](const Owned& one) { return one.barrier >= first && one.barrier < first + count; });
  }

 private:
  struct Owned {
    int barrier;
    machine::Site by;
  };

  std::vector<Owned> owned_;
};

}  // namespace dma::inline v0_1::host::detail
