#pragma once

#include <dma/proof/memory/causality.hpp>
#include <dma/proof/memory/event.hpp>
#include <dma/proof/memory/graph.hpp>

#include <set>

namespace dma::inline v0_1::proof::detail::memory {

/// Which locations have sums whose order does not matter: every other access of the location is before or behind all of
/// them. Where one turns out not to be, they are ordered like other changes, and the exploration begins again.
class Sums {
 public:
  void add(int location) { locations_.insert(location); }
  [[nodiscard]] const std::set<int>& locations() const { return locations_; }
  /// Whether sums of a location are not ordered.
  [[nodiscard]] bool are_free(int location) const { return ordered_.count(location) == 0; }

  /// False where an access is among the sums of its location, which are ordered from then on.
  [[nodiscard]] bool are_apart(const Graph& graph, const Causality& causality) {
    for (const int location : locations_) {
      if (!are_apart_in(graph, causality, location)) {
        ordered_.insert(location);
        locations_.erase(location);
        return false;
      }
    }
    return true;
  }

 private:
  static bool are_apart_in(const Graph& graph, const Causality& causality, int location) {
    for (const int sum : graph.writes(location)) {
      for (int event = 0; event < graph.size() && graph.at(sum).is_sum; ++event) {
        const Event& it = graph.at(event);
        if (it.location == location && it.is_access() && !it.is_sum && !causality.precedes(event, sum) &&
            !is_behind(graph, causality, sum, event)) {
          return false;
        }
      }
    }
    return true;
  }
  /// Whether a sum is before an access by other means than what that access itself sees.
  static bool is_behind(const Graph& graph, const Causality& causality, int sum, int event) {
    const int previous = graph.previous(event);
    return previous >= 0 && (previous == sum || causality.precedes(sum, previous));
  }

  std::set<int> locations_;
  std::set<int> ordered_;
};

}  // namespace dma::inline v0_1::proof::detail::memory
