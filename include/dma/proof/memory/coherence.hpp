#pragma once

#include <dma/proof/memory/event.hpp>
#include <dma/proof/memory/graph.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail::memory {

/// What holds of the accesses of one location alone (PTX ISA, "SC-per-location" and "Atomicity").
class Coherence {
 public:
  explicit Coherence(const Places& places) : places_(places) {}

  [[nodiscard]] bool holds(const Graph& graph, int location) {
    find_members(graph, location);
    return is_atomic(graph, location) && (are_all_strong(graph) ? is_in_order(graph) : has_no_circle(graph));
  }

  /// The first and the last place that a write may have among those of its location: any, or that behind what a change
  /// reads and behind others that its scope does not have.
  [[nodiscard]] std::pair<int, int> places_of(const Graph& graph, int write) const {
    const Event& it = graph.at(write);
    const auto size = static_cast<int>(graph.writes(it.location).size());
    if (!it.is_change) {
      return {0, size};
    }
    const int first = graph.place_of(it.location, graph.at(graph.previous(write)).from) + 1;
    int last = first;
    while (last < size &&
           !places_.are_morally_strong(graph.at(graph.writes(it.location)[static_cast<std::size_t>(last)]), it)) {
      ++last;
    }
    return {first, last};
  }

 private:
  struct Member {
    int event;
    int place;  ///< of the write, or of the one that is read, in coherence order
  };

  void find_members(const Graph& graph, int location) {
    members_.clear();
    for (int thread = 0; thread < graph.threads(); ++thread) {
      for (const int event : graph.of_thread(thread)) {
        const Event& it = graph.at(event);
        if (it.is_access() && it.location == location) {
          members_.push_back({event, graph.place_of(location, it.is_read() ? it.from : event)});
        }
      }
    }
  }
  /// Whether a read-modify-write has no write of its scope between the one that it reads and its own, and a write of a
  /// part none at all.
  [[nodiscard]] bool is_atomic(const Graph& graph, int location) const {
    for (const Member& member : members_) {
      const Event& write = graph.at(member.event);
      if (!write.is_write() || !write.is_change || write.is_sum) {
        continue;
      }
      const int from = graph.place_of(location, graph.at(graph.previous(member.event)).from);
      for (int place = from + 1; place < member.place; ++place) {
        if (write.is_of_part() ||
            places_.are_morally_strong(graph.at(graph.writes(location)[static_cast<std::size_t>(place)]), write)) {
          return false;
        }
      }
      if (member.place <= from) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool are_all_strong(const Graph& graph) const {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      for (std::size_t j = i + 1; j < members_.size(); ++j) {
        if (!places_.are_morally_strong(graph.at(members_[i].event), graph.at(members_[j].event))) {
          return false;
        }
      }
    }
    return true;
  }
  /// The four shapes of coherence: no thread goes back in the order of the writes.
  [[nodiscard]] bool is_in_order(const Graph& graph) const {
    for (std::size_t i = 1; i < members_.size(); ++i) {
      const Event& now = graph.at(members_[i].event);
      if (graph.at(members_[i - 1].event).thread != now.thread) {
        continue;
      }
      const int before = members_[i - 1].place;
      if (now.is_read() ? members_[i].place < before : members_[i].place <= before) {
        return false;
      }
    }
    return true;
  }
  /// The general case: program order with what is morally strong in communication order.
  [[nodiscard]] bool has_no_circle(const Graph& graph) {
    states_.assign(members_.size(), 0);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (!visit(graph, i)) {
        return false;
      }
    }
    return true;
  }
  bool visit(const Graph& graph, std::size_t member) {
    if (states_[member] != 0) {
      return states_[member] == 2;
    }
    states_[member] = 1;
    for (std::size_t next = 0; next < members_.size(); ++next) {
      if (next != member && is_before(graph, members_[member], members_[next]) && !visit(graph, next)) {
        return false;
      }
    }
    states_[member] = 2;
    return true;
  }
  [[nodiscard]] bool is_before(const Graph& graph, const Member& one, const Member& other) const {
    const Event& it = graph.at(one.event);
    const Event& next = graph.at(other.event);
    if (it.thread == next.thread && it.number < next.number) {
      return true;
    }
    if (!places_.are_morally_strong(it, next)) {
      return false;
    }
    if (next.is_write()) {
      return one.place < other.place;
    }
    return it.is_write() && next.from == one.event;
  }

  const Places& places_;
  std::vector<Member> members_;
  std::vector<int> states_;
};

}  // namespace dma::inline v0_1::proof::detail::memory
