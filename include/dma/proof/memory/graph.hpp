#pragma once

#include <dma/proof/memory/event.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail::memory {

/// An execution, or a part of one: events, which write each read sees, and the order of the writes of each location.
///
/// Events have numbers in the order in which they were added. A read may see a write that was added later.
class Graph {
 public:
  explicit Graph(int threads) : threads_(static_cast<std::size_t>(threads)) {}

  [[nodiscard]] int size() const { return static_cast<int>(events_.size()); }
  [[nodiscard]] const Event& at(int event) const { return events_[static_cast<std::size_t>(event)]; }
  [[nodiscard]] Event& at(int event) { return events_[static_cast<std::size_t>(event)]; }
  [[nodiscard]] int threads() const { return static_cast<int>(threads_.size()); }
  /// The events of a thread in program order.
  [[nodiscard]] const std::vector<int>& of_thread(int thread) const {
    return threads_[static_cast<std::size_t>(thread)];
  }
  [[nodiscard]] int locations() const { return static_cast<int>(coherence_.size()); }
  /// The writes of a location in coherence order, without the initial one. No event may have come to it yet.
  [[nodiscard]] const std::vector<int>& writes(int location) const {
    static const std::vector<int> none;
    return location < locations() ? coherence_[static_cast<std::size_t>(location)] : none;
  }
  /// The place of a write in that order, -1 for the initial one.
  [[nodiscard]] int place_of(int location, int write) const {
    if (write == Event::initial) {
      return -1;
    }
    const std::vector<int>& order = writes(location);
    return static_cast<int>(std::find(order.begin(), order.end(), write) - order.begin());
  }
  /// The last write of a location.
  [[nodiscard]] int last_write(int location) const {
    return writes(location).empty() ? Event::initial : writes(location).back();
  }
  /// How many operations of a thread there are.
  [[nodiscard]] int operations(int thread) const {
    return of_thread(thread).empty() ? 0 : at(of_thread(thread).back()).operation + 1;
  }
  /// The last event of an operation.
  [[nodiscard]] int event_of(OperationName name) const {
    int found = -1;
    for (const int event : of_thread(name.thread)) {
      found = at(event).operation == name.operation ? event : found;
    }
    return found;
  }
  /// The event before one of the same thread; -1 where there is none.
  [[nodiscard]] int previous(int event) const {
    const Event& it = at(event);
    return it.number == 0 ? -1 : of_thread(it.thread)[static_cast<std::size_t>(it.number) - 1];
  }

  /// Adds an event at the end of its thread. A write has no place in coherence order yet.
  int add(Event event) {
    std::vector<int>& mine = threads_[static_cast<std::size_t>(event.thread)];
    event.number = static_cast<int>(mine.size());
    mine.push_back(size());
    if (event.location >= locations()) {
      coherence_.resize(static_cast<std::size_t>(event.location) + 1);
    }
    events_.push_back(std::move(event));
    return size() - 1;
  }
  void remove_last() {
    threads_[static_cast<std::size_t>(events_.back().thread)].pop_back();
    events_.pop_back();
  }
  void put_write(int write, int place) {
    std::vector<int>& order = coherence_[static_cast<std::size_t>(at(write).location)];
    order.insert(order.begin() + place, write);
  }
  void take_write(int write) {
    std::vector<int>& order = coherence_[static_cast<std::size_t>(at(write).location)];
    order.erase(std::find(order.begin(), order.end(), write));
  }

  /// Whether a write is behind those next to it that are one store with it and of lower threads, and before the others:
  /// of two orders of such writes, which make no difference, one is taken.
  ///
  /// @param precedes  `precedes(one, other)`: whether causality orders two of them, which have one order then
  template <class Precedes>
  [[nodiscard]] bool is_in_order_of_lanes(int write, const Precedes& precedes) const {
    const Event& it = at(write);
    if (it.store == 0) {
      return true;
    }
    const std::vector<int>& order = writes(it.location);
    const auto place = std::find(order.begin(), order.end(), write);
    const auto is_behind = [&](int one, int other) {
      return are_one_store(at(one), at(other)) && at(one).thread > at(other).thread && !precedes(one, other);
    };
    return (place == order.begin() || !is_behind(*std::prev(place), write)) &&
           (std::next(place) == order.end() || !is_behind(write, *std::next(place)));
  }

  /// What has to be there for an event to be: program order, who reads whom, and what points are behind.
  [[nodiscard]] std::vector<bool> prefix_of(int event) const {
    std::vector<bool> found(events_.size());
    std::vector<int> open{event};
    while (!open.empty()) {
      const int now = open.back();
      open.pop_back();
      if (now < 0 || found[static_cast<std::size_t>(now)]) {
        continue;
      }
      found[static_cast<std::size_t>(now)] = true;
      const Event& it = at(now);
      open.push_back(previous(now));
      if (it.is_read()) {
        open.push_back(it.from);
      }
      open.insert(open.end(), it.after.begin(), it.after.end());
    }
    return found;
  }

  /// The same without some events, which nothing that stays needs. Sums are added up anew, by `add_up`.
  [[nodiscard]] Graph without(const std::vector<bool>& gone) const {
    Graph result(threads());
    std::vector<int> now(events_.size(), Event::initial);
    for (int event = 0; event < size(); ++event) {
      if (!gone[static_cast<std::size_t>(event)]) {
        now[static_cast<std::size_t>(event)] = result.add(at(event));
      }
    }
    const auto renumber = [&](int& event) { event = event < 0 ? event : now[static_cast<std::size_t>(event)]; };
    for (Event& event : result.events_) {
      renumber(event.from);
      for (int& before : event.after) {
        renumber(before);
      }
    }
    result.coherence_.resize(coherence_.size());
    for (std::size_t location = 0; location < coherence_.size(); ++location) {
      for (const int write : coherence_[location]) {
        if (now[static_cast<std::size_t>(write)] >= 0) {
          result.coherence_[location].push_back(now[static_cast<std::size_t>(write)]);
        }
      }
    }
    return result;
  }

  /// The same of other threads.
  ///
  /// @param names  by thread
  [[nodiscard]] Graph renamed(const std::vector<int>& names) const {
    Graph result(threads());
    for (const Event& event : events_) {
      result.events_.push_back(event);
      result.events_.back().thread = names[static_cast<std::size_t>(event.thread)];
    }
    for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
      result.threads_[static_cast<std::size_t>(names[thread])] = threads_[thread];
    }
    result.coherence_ = coherence_;
    return result;
  }

  /// Gives each write of a sum the write before it and its value.
  void add_up(int location, Value initial) {
    int before = Event::initial;
    for (const int write : writes(location)) {
      Event& it = at(write);
      if (it.is_sum) {
        it.from = before;
        it.value = it.change(before < 0 ? initial : at(before).value, it.operand, it.compared).value;
      }
      before = write;
    }
  }

  /// All events, each behind what it needs.
  [[nodiscard]] std::vector<int> in_order() const {
    std::vector<int> order;
    std::vector<bool> done(events_.size());
    const auto is_done = [&](int event) { return event < 0 || done[static_cast<std::size_t>(event)]; };
    std::vector<std::size_t> next(threads_.size());
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
        for (; next[thread] < threads_[thread].size(); ++next[thread], moved = true) {
          const int event = threads_[thread][next[thread]];
          const Event& it = at(event);
          if ((it.is_read() && !is_done(it.from)) || !std::all_of(it.after.begin(), it.after.end(), is_done)) {
            break;
          }
          done[static_cast<std::size_t>(event)] = true;
          order.push_back(event);
        }
      }
    }
    return order;
  }

 private:
  std::vector<Event> events_;
  std::vector<std::vector<int>> threads_;
  std::vector<std::vector<int>> coherence_;
};

}  // namespace dma::inline v0_1::proof::detail::memory
