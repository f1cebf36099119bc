#pragma once

#include <dma/proof/memory/causality.hpp>
#include <dma/proof/memory/event.hpp>
#include <dma/proof/memory/graph.hpp>
#include <dma/proof/memory/result.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace dma::inline v0_1::proof::detail::memory {

/// Finds accesses of an execution that race (PTX ISA, "Conflict and Data-races"), and fences that are too narrow.
class Races {
 public:
  Races(const Graph& graph, const Places& places, const Causality& causality)
      : graph_(graph), places_(places), causality_(causality) {}

  /// Calls `take(kind, event, event, message)` for the first race of each kind at each location.
  template <class Take>
  void find(const Take& take) const {
    std::vector<std::vector<int>> members(static_cast<std::size_t>(graph_.locations()));
    for (int event = 0; event < graph_.size(); ++event) {
      if (graph_.at(event).is_access()) {
        members[static_cast<std::size_t>(graph_.at(event).location)].push_back(event);
      }
    }
    for (const std::vector<int>& of_location : members) {
      find_in(of_location, take);
    }
  }

  /// Calls `take(kind, event, event, message)` for each fence that would order two threads, if its scope had both.
  template <class Take>
  void find_narrow_fences(const Take& take) const {
    for (const auto& [first, last] : causality_.synchronization().too_narrow()) {
      const Event& one = graph_.at(first);
      const Event& other = graph_.at(last);
      if (causality_.precedes(first, last)) {
        continue;
      }
      const bool is_first_narrow = !places_.includes(one.scope, one.thread, other.thread);
      const bool is_last_narrow = !places_.includes(other.scope, other.thread, one.thread);
      if (one.kind == Event::Kind::fence && is_first_narrow) {
        take(FaultKind::narrow_fence, first, last, narrow_fence);
      } else if (other.kind == Event::Kind::fence && is_last_narrow) {
        take(FaultKind::narrow_fence, last, first, narrow_fence);
      }
    }
  }

  static constexpr const char* narrow_fence =
      "a fence is narrower than the threads that meet at the words around it; widen its scope";
  static constexpr const char* narrow_race =
      "two atomic accesses are neither in each other's scope nor ordered; widen their scopes";
  static constexpr const char* race =
      "two accesses, one of them a write, are not ordered; let a release and an acquire stand between them";

 private:
  template <class Take>
  void find_in(const std::vector<int>& members, const Take& take) const {
    bool is_found[2] = {};
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (std::size_t j = i + 1; j < members.size(); ++j) {
        const Event& one = graph_.at(members[i]);
        const Event& other = graph_.at(members[j]);
        const bool are_atomic = one.is_strong() && other.is_strong();
        if ((one.is_write() || other.is_write()) && have_common_bits(one, other) && !are_one_store(one, other) &&
            !is_found[are_atomic ? 1 : 0] && !places_.are_morally_strong(one, other) &&
            !are_ordered(members[i], members[j])) {
          is_found[are_atomic ? 1 : 0] = true;
          take(are_atomic ? FaultKind::narrow_race : FaultKind::race, members[i], members[j],
               are_atomic ? narrow_race : race);
        }
      }
    }
  }

  [[nodiscard]] bool are_ordered(int one, int other) const { return is_before(one, other) || is_before(other, one); }
  /// A poll of a word of which an ordinary write changes a part: also the reads of the poll that saw other writes,
  /// which are not in the graph, come behind it.
  [[nodiscard]] bool is_before(int one, int other) const {
    const bool is_polled = graph_.at(one).is_of_part() && graph_.at(other).is_strong() && graph_.at(other).may_wait;
    const int behind = is_polled ? graph_.previous(other) : other;
    return behind >= 0 && (behind == one || causality_.causes(one, behind));
  }

  const Graph& graph_;
  const Places& places_;
  const Causality& causality_;
};

}  // namespace dma::inline v0_1::proof::detail::memory
