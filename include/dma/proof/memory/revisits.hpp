#pragma once

#include <dma/proof/memory/event.hpp>
#include <dma/proof/memory/graph.hpp>

#include <cstddef>
#include <vector>

namespace dma::inline v0_1::proof::detail::memory {

/// Which reads may see a write that was added after them (TruSt, POPL 2022): what was added since then, and the write
/// does not need, is taken back. That it was added in the one way that counts, each time with the latest write, makes
/// each execution come about once.
class Revisits {
 public:
  /// @param write  the latest event, without a place in coherence order yet
  Revisits(const Graph& graph, int write)
      : graph_(graph), write_(write), prefix_(graph.prefix_of(write)), latest_(prefix_.size(), Known::not_yet) {}

  /// Whether a read may be aimed at the write; then `gone()` is what is taken back.
  [[nodiscard]] bool may_see(int read) {
    const Event& it = graph_.at(read);
    if (!it.is_read() || it.location != graph_.at(write_).location || is_needed(read) || !is_latest(read)) {
      return false;
    }
    gone_.assign(static_cast<std::size_t>(graph_.size()), false);
    for (int event = read + 1; event < write_; ++event) {
      if (is_needed(event)) {
        continue;
      }
      if (!is_latest(event)) {
        return false;
      }
      gone_[static_cast<std::size_t>(event)] = true;
    }
    return true;
  }
  [[nodiscard]] const std::vector<bool>& gone() const { return gone_; }

 private:
  enum class Known : unsigned char { not_yet, yes, no };

  [[nodiscard]] bool is_needed(int event) const { return prefix_[static_cast<std::size_t>(event)]; }

  /// Whether an event was added with the latest write that there was, among what was added before and what is needed.
  [[nodiscard]] bool is_latest(int event) {
    Known& known = latest_[static_cast<std::size_t>(event)];
    if (known == Known::not_yet) {
      known = find_latest(event) ? Known::yes : Known::no;
    }
    return known == Known::yes;
  }
  [[nodiscard]] bool find_latest(int event) const {
    const auto was_there = [&](int other) { return other <= event || is_needed(other); };
    const Event& it = graph_.at(event);
    if (!it.is_access() || it.is_sum) {  // the order of sums is left open
      return true;
    }
    if (it.is_write()) {
      for (int reader = 0; reader < graph_.size(); ++reader) {
        if (graph_.at(reader).is_read() && graph_.at(reader).from == event && was_there(reader)) {
          return false;
        }
      }
    }
    const int write = it.is_read() ? it.from : event;
    if (!was_there(write)) {
      return false;
    }
    const std::vector<int>& order = graph_.writes(it.location);
    for (auto place = static_cast<std::size_t>(graph_.place_of(it.location, write) + 1); place < order.size();
         ++place) {
      if (was_there(order[place]) && !(it.is_write() && are_one_store(it, graph_.at(order[place])))) {
        return false;
      }
    }
    return true;
  }

  const Graph& graph_;
  const int write_;
  const std::vector<bool> prefix_;
  std::vector<Known> latest_;  ///< by event: the same for each read
  std::vector<bool> gone_;
};

}  // namespace dma::inline v0_1::proof::detail::memory
