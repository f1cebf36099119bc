#pragma once

#include <dma/proof/memory/event.hpp>
#include <dma/proof/memory/graph.hpp>
#include <dma/proof/memory/program.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail::memory {

/// Whether the threads of a class are equal: with what one of them has read, each other one does what that one does.
///
/// What a thread does follows from what it has read. So it is enough to see each thread with all that one of its class
/// has read: a graph is run again with the threads of each class renamed in turn.
class EqualThreads {
 public:
  /// @param classes  `Options::classes`
  EqualThreads(Program& program, const std::vector<int>& classes) : program_(program), turned_(classes.size()) {
    std::map<int, std::vector<std::size_t>> members;
    for (std::size_t thread = 0; thread < classes.size(); ++thread) {
      turned_[thread] = static_cast<int>(thread);
      if (classes[thread] >= 0) {
        members[classes[thread]].push_back(thread);
      }
    }
    for (const auto& [number, threads] : members) {
      turns_ = std::max(turns_, threads.size());
      for (std::size_t i = 0; i < threads.size(); ++i) {
        turned_[threads[i]] = static_cast<int>(threads[(i + 1) % threads.size()]);
      }
    }
  }

  /// What a thread is about to do in a graph follows from what it has read there.
  void note(const Graph& graph, int thread) { seen_.insert(history_of(graph, thread, graph.of_thread(thread).size())); }
  [[nodiscard]] bool are_all_checked() const {
    return std::includes(checked_.begin(), checked_.end(), seen_.begin(), seen_.end());
  }
  /// Runs a graph again with its threads renamed in turn, unless all has been seen that they have read. Calls
  /// `visit(renamed)` with each. False where threads of a class are not equal.
  ///
  /// @param step_of  `step_of(thread)`: what the thread does next in the graph
  template <class StepOf, class Visit>
  [[nodiscard]] bool hold(const Graph& graph, const StepOf& step_of, const Visit& visit) {
    if (!check(graph)) {
      return true;
    }
    Graph renamed = graph;
    std::vector<int> names(turned_.size());
    std::iota(names.begin(), names.end(), 0);
    for (std::size_t turn = 1; turn < turns_; ++turn) {
      renamed = renamed.renamed(turned_);
      for (int& name : names) {
        name = turned_[static_cast<std::size_t>(name)];
      }
      if (!does(renamed)) {
        return false;
      }
      for (int thread = 0; thread < graph.threads(); ++thread) {
        if (!is_same(step_of(thread), program_.next(names[static_cast<std::size_t>(thread)], Replay(renamed)))) {
          return false;
        }
      }
      visit(renamed);
    }
    return true;
  }

 private:
  /// The class by its first thread, and what has been read.
  using History = std::vector<Value>;

  [[nodiscard]] History history_of(const Graph& graph, int thread, std::size_t events) const {
    int first = thread;
    for (int next = turned_[static_cast<std::size_t>(thread)]; next != thread;
         next = turned_[static_cast<std::size_t>(next)]) {
      first = std::min(first, next);
    }
    History history{static_cast<Value>(first)};
    for (std::size_t i = 0; i < events; ++i) {
      const Event& it = graph.at(graph.of_thread(thread)[i]);
      if (!it.is_change || it.is_read() || it.is_sum) {
        history.push_back(it.is_read() ? it.value : 0);
      }
    }
    return history;
  }
  /// False where nothing of it is new.
  bool check(const Graph& graph) {
    bool is_new = false;
    for (int thread = 0; thread < graph.threads(); ++thread) {
      for (std::size_t events = 0; events <= graph.of_thread(thread).size(); ++events) {
        is_new = checked_.insert(history_of(graph, thread, events)).second || is_new;
      }
    }
    return is_new;
  }
  /// Whether the program does what a graph says, step by step.
  [[nodiscard]] bool does(Graph& graph) {
    Graph done(graph.threads());
    std::vector<int> now(static_cast<std::size_t>(graph.size()), Event::initial);
    for (const int event : graph.in_order()) {
      Event& it = graph.at(event);
      if (!it.is_change || !it.is_write() || it.is_sum) {
        const Step step = program_.next(it.thread, Replay(done));
        if (step.state != Step::State::operation || !is_of(step.operation, it)) {
          return false;
        }
        it.store = step.operation.store;
      }
      Event copy = it;
      copy.from = it.from < 0 ? it.from : now[static_cast<std::size_t>(it.from)];
      for (int& before : copy.after) {
        before = now[static_cast<std::size_t>(before)];
      }
      now[static_cast<std::size_t>(event)] = done.add(std::move(copy));
    }
    return true;
  }
  /// Whether an event is of an operation. What a point is behind has the names of other threads.
  [[nodiscard]] static bool is_of(const Operation& operation, const Event& event) {
    const Event asked = event_of(event.thread, event.operation, operation);
    const bool is_point = event.kind == Event::Kind::point;
    return is_point == (operation.kind == Operation::Kind::point) && asked.is_change == event.is_change &&
           (is_point ? operation.after.size() == event.after.size() && operation.orders == event.orders
                     : asked.location == event.location && asked.change_order == event.change_order &&
                           asked.scope == event.scope &&
                           (operation.kind == Operation::Kind::read || asked.operand == event.operand) &&
                           asked.compared == event.compared && asked.change == event.change &&
                           asked.is_unread == event.is_unread) &&
           (event.is_change || is_point || is_of_kind(operation.kind, event.kind));
  }
  [[nodiscard]] static bool is_of_kind(Operation::Kind operation, Event::Kind event) {
    return (operation == Operation::Kind::read) == (event == Event::Kind::read) &&
           (operation == Operation::Kind::write) == (event == Event::Kind::write);
  }
  [[nodiscard]] static bool is_same(const Step& one, const Step& other) {
    if (one.state != other.state || one.repeats != other.repeats) {
      return false;
    }
    const Operation& first = one.operation;
    const Operation& second = other.operation;
    return one.state != Step::State::operation ||
           (first.kind == second.kind && first.location == second.location && first.order == second.order &&
            first.scope == second.scope && (first.kind == Operation::Kind::read || first.value == second.value) &&
            first.compared == second.compared && first.change == second.change);
  }

  Program& program_;
  std::vector<int> turned_;  ///< the next thread of its class, by thread
  std::size_t turns_ = 1;
  std::set<History> seen_;
  std::set<History> checked_;
};

}  // namespace dma::inline v0_1::proof::detail::memory
