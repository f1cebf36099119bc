#pragma once

#include <dma/proof/memory/event.hpp>
#include <dma/proof/memory/graph.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dma::inline v0_1::proof::detail::memory {

/// CTAs that begin in order, as many at a time as are resident: one more when one has ended.
///
/// Of complete executions those are taken that can come about so. Which CTAs take part is fixed for an exploration: the
/// first few, where the others never begin. A graph on the way there may be one that cannot come about.
class Residency {
 public:
  /// @param resident  0 for all
  Residency(const Places& places, int resident)
      : places_(places), resident_(resident == 0 ? places.ctas() : std::min(resident, places.ctas())) {
    has_begun_.assign(static_cast<std::size_t>(places_.ctas()), true);
  }

  [[nodiscard]] int resident() const { return resident_; }
  [[nodiscard]] bool has_all() const { return resident_ == places_.ctas(); }
  /// Whether a CTA has begun, as of the last call of `admits`.
  [[nodiscard]] bool has_begun(int cta) const { return has_begun_[static_cast<std::size_t>(cta)]; }

  /// Whether there is an order of an execution's events in which each CTA has begun, and no more CTAs than `present`
  /// begin.
  ///
  /// @param has_ended  by thread
  [[nodiscard]] bool admits(const Graph& graph, const std::vector<bool>& has_ended, int present) {
    if (has_all()) {
      return true;
    }
    const auto ctas = has_begun_.size();
    has_begun_.assign(ctas, false);
    ended_.assign(ctas, false);
    done_.assign(static_cast<std::size_t>(graph.size()), false);
    next_.assign(static_cast<std::size_t>(graph.threads()), 0);
    std::size_t begun = 0;
    int running = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (; running < resident_ && begun < ctas; ++begun, ++running, moved = true) {
        has_begun_[begun] = true;
      }
      moved = move(graph) || moved;
      const int ended = end(graph, has_ended);
      running -= ended;
      moved = moved || ended > 0;
    }
    return static_cast<int>(begun) == present && std::find(done_.begin(), done_.end(), false) == done_.end();
  }

 private:
  bool move(const Graph& graph) {
    bool moved = false;
    const auto is_done = [&](int event) { return event < 0 || done_[static_cast<std::size_t>(event)]; };
    for (int thread = 0; thread < graph.threads(); ++thread) {
      if (!has_begun(places_.of(thread).cta)) {
        continue;
      }
      const std::vector<int>& mine = graph.of_thread(thread);
      for (std::size_t& next = next_[static_cast<std::size_t>(thread)]; next < mine.size(); ++next, moved = true) {
        const Event& it = graph.at(mine[next]);
        if ((it.is_read() && !is_done(it.from)) || !std::all_of(it.after.begin(), it.after.end(), is_done)) {
          break;
        }
        done_[static_cast<std::size_t>(mine[next])] = true;
      }
    }
    return moved;
  }
  /// Ends the CTAs whose threads have done all that they do.
  int end(const Graph& graph, const std::vector<bool>& has_ended) {
    open_.assign(has_begun_.size(), false);
    for (int thread = 0; thread < graph.threads(); ++thread) {
      const auto index = static_cast<std::size_t>(thread);
      if (!has_ended[index] || next_[index] < graph.of_thread(thread).size()) {
        open_[static_cast<std::size_t>(places_.of(thread).cta)] = true;
      }
    }
    int count = 0;
    for (std::size_t cta = 0; cta < open_.size(); ++cta) {
      if (has_begun_[cta] && !ended_[cta] && !open_[cta]) {
        ended_[cta] = true;
        ++count;
      }
    }
    return count;
  }

  const Places& places_;
  const int resident_;
  std::vector<bool> has_begun_;
  std::vector<bool> ended_;
  std::vector<bool> open_;
  std::vector<bool> done_;
  std::vector<std::size_t> next_;
};

}  // namespace dma::inline v0_1::proof::detail::memory
