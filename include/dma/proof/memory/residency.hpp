#pragma once

#include <dma/proof/memory/event.hpp>
#include <dma/proof/memory/graph.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

namespace dma::inline v0_1::proof::detail::memory {

/// Clusters that begin in order or in any order, as many at a time as are resident: one more when one has ended. The
/// CTAs of a cluster begin together; a CTA without others is a cluster.
///
/// Of complete executions those are taken that can come about so. Which clusters take part is fixed for an exploration:
/// the others never begin. A graph on the way there may be one that cannot come about.
///
/// Of any order the set of the clusters that have begun is all that matters: with it, all that can go on does.
class Residency {
 public:
  /// Clusters, by number.
  using Set = std::vector<bool>;

  /// @param resident   0 for all
  /// @param any_order  false: in the order of their numbers
  Residency(const Places& places, int resident, bool any_order)
      : places_(places),
        resident_(resident == 0 ? places.clusters() : std::min(resident, places.clusters())),
        any_order_(any_order),
        begun_(static_cast<std::size_t>(places.clusters()), true) {}

  [[nodiscard]] int resident() const { return resident_; }
  [[nodiscard]] bool has_all() const { return resident_ == places_.clusters(); }
  /// Whether the order in which clusters begin is open, and matters.
  [[nodiscard]] bool has_any_order() const { return any_order_ && !has_all(); }
  /// Whether a thread's cluster has begun, as of the last call of `admits`.
  [[nodiscard]] bool has_begun(int thread) const { return is_in(begun_, thread); }
  /// Whether a thread's cluster is one of these.
  [[nodiscard]] bool is_in(const Set& clusters, int thread) const {
    return clusters[static_cast<std::size_t>(places_.of(thread).cluster)];
  }

  /// The fewest clusters that begin: the first of these sets.
  [[nodiscard]] Set fewest() const {
    Set set(begun_.size());
    std::fill_n(set.begin(), resident_, true);
    return set;
  }
  /// Makes a set of clusters that may be all that begin the next one. False for all clusters.
  [[nodiscard]] bool next(Set& present) const {
    const auto count = std::count(present.begin(), present.end(), true);
    if (has_any_order() && std::prev_permutation(present.begin(), present.end())) {
      return true;
    }
    if (static_cast<std::size_t>(count) == present.size()) {
      return false;
    }
    std::fill(present.begin(), present.end(), false);
    std::fill_n(present.begin(), count + 1, true);
    return true;
  }
  /// The clusters of which one is the next to begin, where there is room.
  [[nodiscard]] std::vector<std::size_t> next_clusters(const Set& begun) const {
    std::vector<std::size_t> clusters;
    for (std::size_t cluster = 0; cluster < begun.size() && (any_order_ || clusters.empty()); ++cluster) {
      if (!begun[cluster]) {
        clusters.push_back(cluster);
      }
    }
    return clusters;
  }
  /// How many of these clusters have a thread of which this holds.
  ///
  /// @param holds  `holds(thread)`
  template <class Holds>
  [[nodiscard]] int count_with(const Set& clusters, const Holds& holds) const {
    Set with(clusters.size());
    for (int thread = 0; thread < places_.count(); ++thread) {
      if (is_in(clusters, thread) && holds(thread)) {
        with[static_cast<std::size_t>(places_.of(thread).cluster)] = true;
      }
    }
    return static_cast<int>(std::count(with.begin(), with.end(), true));
  }

  /// Whether there is an order of an execution's events in which these clusters begin, and no others.
  ///
  /// @param has_ended  by thread
  [[nodiscard]] bool admits(const Graph& graph, const std::vector<bool>& has_ended, const Set& present) {
    if (has_all()) {
      return true;
    }
    begun_ = present;
    graph_ = &graph;
    has_ended_ = &has_ended;
    tried_.clear();
    return leads_to(present, {Set(present.size()), std::vector<std::size_t>(static_cast<std::size_t>(graph.threads())),
                              Set(static_cast<std::size_t>(graph.size())), 0});
  }

 private:
  /// How far the clusters that have begun can go.
  struct Progress {
    Set begun;
    std::vector<std::size_t> next;  ///< events, by thread
    std::vector<bool> done;         ///< by event
    int running;                    ///< clusters
  };

  [[nodiscard]] bool leads_to(const Set& present, Progress now) {
    go_on(now);
    if (!tried_.insert(now.begun).second) {
      return false;
    }
    const std::vector<std::size_t> candidates = next_clusters(now.begun);
    if (now.running == resident_ || candidates.empty()) {
      return now.begun == present && std::find(now.done.begin(), now.done.end(), false) == now.done.end();
    }
    for (const std::size_t cluster : candidates) {
      if (!present[cluster]) {
        continue;
      }
      Progress then = now;
      then.begun[cluster] = true;
      if (leads_to(present, std::move(then))) {
        return true;
      }
    }
    return false;
  }
  void go_on(Progress& now) const {
    const auto is_done = [&](int event) { return event < 0 || now.done[static_cast<std::size_t>(event)]; };
    for (bool moved = true; moved;) {
      moved = false;
      for (int thread = 0; thread < graph_->threads(); ++thread) {
        if (!is_in(now.begun, thread)) {
          continue;
        }
        const std::vector<int>& mine = graph_->of_thread(thread);
        for (std::size_t& next = now.next[static_cast<std::size_t>(thread)]; next < mine.size(); ++next, moved = true) {
          const Event& it = graph_->at(mine[next]);
          if ((it.is_read() && !is_done(it.from)) || !std::all_of(it.after.begin(), it.after.end(), is_done)) {
            break;
          }
          now.done[static_cast<std::size_t>(mine[next])] = true;
        }
      }
    }
    now.running = count_with(now.begun, [&](int thread) {
      const auto index = static_cast<std::size_t>(thread);
      return !(*has_ended_)[index] || now.next[index] < graph_->of_thread(thread).size();
    });
  }

  const Places& places_;
  const int resident_;
  const bool any_order_;
  Set begun_;
  const Graph* graph_ = nullptr;
  const std::vector<bool>* has_ended_ = nullptr;
  std::set<Set> tried_;
};

}  // namespace dma::inline v0_1::proof::detail::memory
