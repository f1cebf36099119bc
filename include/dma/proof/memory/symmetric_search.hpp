#pragma once

#include <dma/proof/memory/canonical_form.hpp>
#include <dma/proof/memory/equal_threads.hpp>
#include <dma/proof/memory/event.hpp>
#include <dma/proof/memory/exploration.hpp>
#include <dma/proof/memory/graph.hpp>
#include <dma/proof/memory/program.hpp>
#include <dma/proof/memory/residency.hpp>
#include <dma/proof/memory/result.hpp>
#include <dma/proof/memory/thread_steps.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail::memory {

/// Explores executions of which those that differ by an exchange of equal threads are one.
///
/// It keeps the graphs that it has seen, as they are but for the names of such threads, and takes each once. A graph
/// grows in an order in which writes are before their reads, so that no read is aimed anew, and every execution is met
/// in each such order, but for what is taken at once:
///
/// - A write, a fence or a point is the next of its thread in every execution that the graph is a part of.
/// - So is an ordinary read. One that sees a write which is not there yet races with it, also where it sees another
/// one.
class SymmetricSearch : private Exploration {
 public:
  SymmetricSearch(Program& program, Options options)
      : Exploration(program, std::move(options)),
        form_(options_.classes, options_.units),
        equal_(program, options_.classes) {}

  Result run() {
    Result result = run_all([this] {
      seen_.clear();
      begun_ = residency_.fewest();
      if (residency_.has_any_order()) {
        std::fill(begun_.begin(), begun_.end(), false);
      }
      begin_graph();
      visit();
    });
    are_equal_ = are_equal_ && (!options_.checks_classes || !result.is_complete || equal_.are_all_checked());
    const bool has_clusters = result.clusters > 1 && result.clusters < result.ctas;
    result.equal = options_.units.empty() ? "threads" : has_clusters ? "clusters" : "CTAs";
    return result;
  }
  /// False where threads of a class turned out not to be.
  [[nodiscard]] bool are_equal() const { return are_equal_; }

 private:
  void visit() {
    if (!is_over() && seen_.insert(form_.of(graph_, begun_threads())).second) {
      with_steps([this] { extend(); });
    }
  }
  void extend() {
    if (residency_.has_any_order() && begin_each()) {
      return;
    }
    note_equal_threads();
    const Residency::Set begun = begun_of();
    for (int thread = 0; thread < places_.count(); ++thread) {
      if (steps_.of(thread).state == Step::State::failed) {
        return findings_.fail(thread);
      }
    }
    if (graph_.size() >= options_.events) {
      end_by(result_, "events of an execution");
      return;
    }
    for (const bool is_read : {false, true}) {
      for (int thread = 0; thread < places_.count(); ++thread) {
        if (can_go(thread, begun) && is_taken_at_once(thread) && reads(thread) == is_read && take(thread)) {
          return;
        }
      }
    }
    bool has_moved = false;
    polls_old_write_ = false;
    for (int thread = 0; thread < places_.count() && !is_over(); ++thread) {
      has_moved = (can_go(thread, begun) && !is_like_an_earlier_one(thread) && take(thread)) || has_moved;
    }
    if (!has_moved && !is_over()) {
      end_execution(begun);
    }
  }
  /// Of each thread whether its cluster has begun; empty where they begin in order.
  [[nodiscard]] std::vector<bool> begun_threads() const {
    std::vector<bool> begun;
    for (int thread = 0; residency_.has_any_order() && thread < places_.count(); ++thread) {
      begun.push_back(residency_.is_in(begun_, thread));
    }
    return begun;
  }
  /// Whether there is room for one more cluster.
  [[nodiscard]] bool has_room(const Residency::Set& begun) const {
    return residency_.count_with(begun, [&](int thread) { return steps_.of(thread).state != Step::State::ended; }) <
           residency_.resident();
  }
  /// Visits the graph with each cluster as the next that begins. False where there is no room, or none left: all that
  /// can begin has, before others go on.
  bool begin_each() {
    const std::vector<std::size_t> clusters = residency_.next_clusters(begun_);
    if (clusters.empty() || !has_room(begun_)) {
      return false;
    }
    for (const std::size_t cluster : clusters) {
      begun_[cluster] = true;
      visit();
      begun_[cluster] = false;
    }
    return true;
  }
  /// The clusters that have begun. In order they begin when there is room.
  [[nodiscard]] Residency::Set begun_of() const {
    if (residency_.has_any_order()) {
      return begun_;
    }
    Residency::Set begun = residency_.fewest();
    while (has_room(begun) && residency_.next(begun)) {
    }
    return begun;
  }
  [[nodiscard]] bool can_go(int thread, const Residency::Set& begun) const {
    return steps_.of(thread).state == Step::State::operation && residency_.is_in(begun, thread) &&
           !steps_.polls(thread);
  }
  [[nodiscard]] bool reads(int thread) const { return steps_.of(thread).operation.kind == Operation::Kind::read; }
  [[nodiscard]] bool is_taken_at_once(int thread) const {
    const Operation& it = steps_.of(thread).operation;
    return it.kind == Operation::Kind::read     ? it.order == Order::weak
           : it.kind == Operation::Kind::change ? is_sum(it)
                                                : true;
  }

  /// Whether an exchange with a thread that comes before leaves the graph as it is: neither has done anything.
  [[nodiscard]] bool is_like_an_earlier_one(int thread) const {
    const auto class_of = [&](int one) { return options_.classes[static_cast<std::size_t>(one)]; };
    for (int earlier = 0; earlier < thread && options_.checks_classes && class_of(thread) >= 0; ++earlier) {
      if (class_of(earlier) == class_of(thread) && graph_.of_thread(earlier).empty() &&
          graph_.of_thread(thread).empty() && steps_.of(earlier).state == Step::State::operation) {
        return true;
      }
    }
    return false;
  }
  void note_equal_threads() {
    for (int thread = 0; thread < places_.count() && options_.checks_classes; ++thread) {
      equal_.note(graph_, thread);
    }
  }
  /// Sees whether what threads have read makes a difference between them. A graph with other names is an execution too.
  void check_equal_threads(bool is_complete, const std::vector<bool>& ended) {
    if (!options_.checks_classes) {
      return;
    }
    const bool has_ended = std::find(ended.begin(), ended.end(), false) == ended.end();
    are_equal_ = equal_.hold(
        graph_, [&](int thread) -> const Step& { return steps_.of(thread); },
        [&](const Graph& renamed) {
          if (is_complete) {
            findings_.judge_renamed(program_, renamed, has_ended);
          }
        });
    if (!are_equal_) {
      end_by(result_, "threads that are not equal");
    }
  }

  /// Visits each graph in which a thread has done its next operation. False where there is none: it polls.
  bool take(int thread) {
    const Operation operation = steps_.of(thread).operation;
    Event event = event_of(thread, graph_.operations(thread), operation);
    const ThreadSteps::State before = steps_.state();
    steps_.forget(thread);
    bool has_moved = true;
    switch (operation.kind) {
      case Operation::Kind::read:
        has_moved = take_read(std::move(event));
        break;
      case Operation::Kind::write:
        event.kind = Event::Kind::write;
        take_write(std::move(event));
        break;
      case Operation::Kind::change:
        if (is_sum(operation)) {
          with_sum(std::move(event), [this] { visit(); });
        } else {
          halve(event, Event::Kind::read);
          has_moved = take_read(std::move(event));
        }
        break;
      case Operation::Kind::fence:
      case Operation::Kind::point:
        with_apart(std::move(event), operation, [this] { visit(); });
        break;
    }
    steps_.set_state(before);
    return has_moved;
  }
  bool take_read(Event event) {
    const int thread = event.thread;
    const int location = event.location;
    const int read = graph_.add(std::move(event));
    bool has_moved = false;
    for (auto place = static_cast<int>(graph_.writes(location).size()); place >= 0 && !is_over(); --place) {
      aim(graph_, program_, read, write_at(location, place));
      if (!is_consistent(location) || !may_write(read)) {
        continue;
      }
      steps_.forget(thread);
      steps_.find();
      if (steps_.polls(thread)) {
        equal_.note(graph_, thread);
        check_equal_threads(false, {});
        const bool is_last = graph_.last_write(location) == graph_.at(read).from;
        polls_old_write_ = polls_old_write_ || (is_last && !steps_.polls_last_writes(thread));
        continue;
      }
      if (graph_.at(read).writes) {
        has_moved = take_write(written_half(graph_.at(read))) || has_moved;
      } else {
        has_moved = true;
        visit();
      }
    }
    graph_.remove_last();
    return has_moved;
  }
  /// Whether the write of a change that writes has a place, as far as its location alone says.
  bool may_write(int read) {
    if (!graph_.at(read).writes) {
      return true;
    }
    const int location = graph_.at(read).location;
    const int write = graph_.add(written_half(graph_.at(read)));
    const auto [first, last] = coherence_.places_of(graph_, write);
    bool found = false;
    for (int place = first; place <= last && !found; ++place) {
      graph_.put_write(write, place);
      found = coherence_.holds(graph_, location);
      graph_.take_write(write);
    }
    graph_.remove_last();
    return found;
  }
  /// False where it has no place: another read-modify-write has it.
  bool take_write(Event event) {
    const int location = event.location;
    const int write = graph_.add(std::move(event));
    const auto [first, last] = coherence_.places_of(graph_, write);
    bool has_moved = false;
    for (int place = last; place >= first && !is_over(); --place) {
      graph_.put_write(write, place);
      if (is_consistent(location) && is_in_order_of_lanes(write)) {
        has_moved = true;
        visit();
      }
      graph_.take_write(write);
    }
    graph_.remove_last();
    return has_moved;
  }
  void end_execution(const Residency::Set& begun) {
    const std::vector<bool> ended = steps_.ended();
    for (int thread = 0; thread < places_.count(); ++thread) {
      polls_old_write_ = polls_old_write_ || (steps_.polls(thread) && !steps_.polls_last_writes(thread));
    }
    if (polls_old_write_ || !residency_.admits(graph_, ended, begun)) {
      return;
    }
    take_execution(ended);
    check_equal_threads(true, ended);
  }

  CanonicalForm form_;
  EqualThreads equal_;
  bool are_equal_ = true;
  std::set<std::vector<int>> seen_;  ///< forms of graphs
  Residency::Set begun_;             ///< clusters, where they begin in any order
  bool polls_old_write_ = false;     ///< a thread that repeats several reads would see another write in one of them
};

}  // namespace dma::inline v0_1::proof::detail::memory
