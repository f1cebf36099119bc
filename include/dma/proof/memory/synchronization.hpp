#pragma once

#include <dma/proof/memory/event.hpp>
#include <dma/proof/memory/graph.hpp>

#include <cstddef>
#include <vector>

namespace dma::inline v0_1::proof::detail::memory {

/// Which events synchronize by patterns: a release pattern with an acquire pattern (PTX ISA, "Memory synchronization").
class Synchronization {
 public:
  /// A pair that would synchronize, if the scopes of both were wide enough.
  struct TooNarrow {
    int first;
    int last;
  };

  explicit Synchronization(const Places& places) : places_(places) {}

  void find(const Graph& graph) {
    const auto size = static_cast<std::size_t>(graph.size());
    if (before_.size() < size) {
      before_.resize(size);
    }
    for (std::size_t event = 0; event < size; ++event) {
      before_[event].clear();
    }
    too_narrow_.clear();
    for (int thread = 0; thread < graph.threads(); ++thread) {
      for (const int last : graph.of_thread(thread)) {
        const Event& it = graph.at(last);
        if (it.kind == Event::Kind::point) {
          if (it.orders) {
            before_[static_cast<std::size_t>(last)] = it.after;
          }
        } else if (acquires(it.order) && !it.is_write() && !(it.is_read() && it.is_unread)) {
          find_behind(graph, last);
        }
      }
    }
  }

  /// What synchronizes with an event: the first events of release patterns, and what a point is behind.
  [[nodiscard]] const std::vector<int>& before(int event) const { return before_[static_cast<std::size_t>(event)]; }
  [[nodiscard]] const std::vector<TooNarrow>& too_narrow() const { return too_narrow_; }

 private:
  /// The acquire patterns that an event ends.
  void find_behind(const Graph& graph, int last) {
    const Event& it = graph.at(last);
    const std::vector<int>& mine = graph.of_thread(it.thread);
    for (int number = it.number; number >= 0; --number) {
      const Event& read = graph.at(mine[static_cast<std::size_t>(number)]);
      if (read.is_read() && read.is_strong() && !read.is_unread && (!it.is_read() || read.location == it.location)) {
        find_observed(graph, mine[static_cast<std::size_t>(number)], last);
      }
    }
  }
  /// The writes before a read in observation order: the one that it sees and, where that is a read-modify-write's, on.
  void find_observed(const Graph& graph, int reader, int last) {
    while (true) {
      const int write = graph.at(reader).from;
      if (write < 0 || !places_.are_morally_strong(graph.at(write), graph.at(reader))) {
        return;
      }
      find_head(graph, write, last);
      const Event& it = graph.at(write);
      if (!it.is_change) {
        return;
      }
      reader = it.is_sum ? write : graph.previous(write);
    }
  }
  /// The last beginning of a release pattern that has this write, among those that are morally strong with its end.
  void find_head(const Graph& graph, int write, int last) {
    const Event& it = graph.at(write);
    if (!it.is_strong() || it.thread == graph.at(last).thread) {
      return;
    }
    for (int number = it.number; number >= 0; --number) {
      const int first = graph.of_thread(it.thread)[static_cast<std::size_t>(number)];
      const Event& head = graph.at(first);
      const bool is_head = head.kind == Event::Kind::fence || (head.is_write() && head.location == it.location);
      if (!is_head || !releases(head.order)) {
        continue;
      }
      if (places_.are_morally_strong(head, graph.at(last))) {
        before_[static_cast<std::size_t>(last)].push_back(first);
        break;
      }
      too_narrow_.push_back({first, last});
    }
  }

  const Places& places_;
  std::vector<std::vector<int>> before_;  ///< by event
  std::vector<TooNarrow> too_narrow_;
};

}  // namespace dma::inline v0_1::proof::detail::memory
