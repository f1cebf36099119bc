#pragma once

#include <dma/proof/memory/event.hpp>
#include <dma/proof/memory/graph.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail::memory {

/// Of the executions that differ by an exchange of equal threads: those in which the first read-modify-writes of such
/// threads at a location are in the order of the threads. Each execution has one like it, since a thread has one first.
class Symmetry {
 public:
  /// @param classes  `Options::classes`
  explicit Symmetry(std::vector<int> classes) : classes_(std::move(classes)) {}

  [[nodiscard]] bool takes(const Graph& graph, int location) const {
    if (classes_.empty()) {
      return true;
    }
    std::vector<int> highest;
    for (const int write : graph.writes(location)) {
      const Event& it = graph.at(write);
      const int own = classes_[static_cast<std::size_t>(it.thread)];
      if (own < 0 || !it.is_change || it.is_sum || !is_first(graph, it)) {
        continue;
      }
      if (static_cast<std::size_t>(own) >= highest.size()) {
        highest.resize(static_cast<std::size_t>(own) + 1, -1);
      }
      if (it.thread < highest[static_cast<std::size_t>(own)]) {
        return false;
      }
      highest[static_cast<std::size_t>(own)] = it.thread;
    }
    return true;
  }

 private:
  static bool is_first(const Graph& graph, const Event& it) {
    for (int number = 0; number < it.number; ++number) {
      const Event& before = graph.at(graph.of_thread(it.thread)[static_cast<std::size_t>(number)]);
      if (before.is_write() && before.is_change && !before.is_sum) {
        return false;
      }
    }
    return true;
  }

  std::vector<int> classes_;
};

}  // namespace dma::inline v0_1::proof::detail::memory
