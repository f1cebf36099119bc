#pragma once

#include <dma/proof/clocks/vector_clock.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// How a CTA's accesses are ordered with its atomics of global memory, by which CTAs order each other: before one of
/// them, after one, both or neither; and whether they come after a wait for the grids before.
class AtomicOrder {
 public:
  struct Access {
    int agent;
    int operation;
    bool reads, writes;
    int component;  ///< of a clock
    std::uint32_t value;
    bool follows;      ///< an atomic of the CTA
    bool knows_grids;  ///< before it to be complete
  };

  void touch(const Access& access) { accesses_.push_back(access); }
  /// @param clock  of the agent that makes an atomic access of global memory
  void meet(const VectorClock& clock) { known_.join(clock); }

  [[nodiscard]] const std::vector<Access>& accesses() const noexcept { return accesses_; }
  /// Whether the access is over before an atomic of the CTA, whatever the schedule.
  [[nodiscard]] bool precedes(const Access& access) const {
    const auto component = static_cast<std::size_t>(access.component);
    return component < known_.size() && known_[component] >= access.value;
  }

 private:
  std::vector<Access> accesses_;
  VectorClock known_;  ///< joined, of all atomics
};

}  // namespace dma::inline v0_1::proof::detail
