#pragma once

#include <dma/proof/memory/causality.hpp>
#include <dma/proof/memory/coherence.hpp>
#include <dma/proof/memory/event.hpp>
#include <dma/proof/memory/findings.hpp>
#include <dma/proof/memory/graph.hpp>
#include <dma/proof/memory/program.hpp>
#include <dma/proof/memory/residency.hpp>
#include <dma/proof/memory/result.hpp>
#include <dma/proof/memory/sums.hpp>
#include <dma/proof/memory/thread_steps.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail::memory {

/// What the searches of executions have in common: a graph that grows, what its threads do next, and what is found.
class Exploration {
 protected:
  static constexpr int none = -1;

  Exploration(Program& program, Options options)
      : program_(program),
        options_(std::move(options)),
        places_(program.places()),
        residency_(places_, options_.resident, options_.any_order),
        causality_(places_),
        coherence_(places_),
        graph_(places_.count()),
        steps_(program, graph_),
        findings_(graph_, places_, residency_, steps_, causality_, options_, result_) {}

  /// Calls `search()`, and once more where sums turn out to be read.
  template <class Search>
  Result run_all(const Search& search) {
    begun_at_ = std::chrono::steady_clock::now();
    do {
      restarts_ = false;
      result_ = {};
      program_.begin();
      search();
    } while (restarts_);
    result_.seconds = elapsed();
    result_.ctas = places_.ctas();
    result_.clusters = places_.clusters();
    result_.resident = residency_.resident();
    result_.any_order = residency_.has_any_order();
    return std::move(result_);
  }
  void begin_graph() {
    graph_ = Graph(places_.count());
    steps_.forget_all();
  }
  bool is_over() {
    return restarts_ || reaches_limit(options_, result_, [this] { return elapsed(); });
  }
  /// Calls `extend()` with what the threads of the graph do next.
  template <class Extend>
  void with_steps(const Extend& extend) {
    ++result_.visits;
    const ThreadSteps::State before = steps_.state();
    steps_.find();
    extend();
    steps_.set_state(before);
  }

  [[nodiscard]] bool is_sum(const Operation& operation) const {
    return operation.is_sum && sums_.are_free(operation.location);
  }
  /// Whether the axioms hold, as far as a new event of a location can break them.
  bool is_consistent(int location) {
    if (!coherence_.holds(graph_, location) || !causality_.find(graph_)) {
      return false;
    }
    restarts_ = !sums_.are_apart(graph_, causality_);
    return !restarts_;
  }
  /// Of a graph that is consistent.
  [[nodiscard]] bool is_in_order_of_lanes(int write) const {
    return graph_.is_in_order_of_lanes(write, [this](int one, int other) { return causality_.precedes(one, other); });
  }
  /// Calls `visit()` with a fence or a point in the graph.
  template <class Visit>
  void with_apart(Event event, const Operation& operation, const Visit& visit) {
    event.kind = operation.kind == Operation::Kind::fence ? Event::Kind::fence : Event::Kind::point;
    event.location = -1;
    for (const OperationName& name : operation.after) {
      event.after.push_back(graph_.event_of(name));
    }
    steps_.forget(event.thread);
    graph_.add(std::move(event));
    if (causality_.find(graph_)) {
      visit();
    }
    graph_.remove_last();
  }
  /// Calls `visit()` with a sum in the graph.
  template <class Visit>
  void with_sum(Event event, const Visit& visit) {
    const int location = event.location;
    event.is_sum = true;
    halve(event, Event::Kind::write);
    steps_.forget(event.thread);
    const int write = graph_.add(std::move(event));
    graph_.put_write(write, static_cast<int>(graph_.writes(location).size()));
    graph_.add_up(location, program_.initial(location));
    sums_.add(location);
    if (is_consistent(location)) {
      visit();
    }
    graph_.take_write(write);
    graph_.remove_last();
  }
  /// The write that is at a place of a location's order, from 1 on; the initial one at 0.
  [[nodiscard]] int write_at(int location, int place) const {
    return place == 0 ? Event::initial : graph_.writes(location)[static_cast<std::size_t>(place) - 1];
  }
  /// Why threads wait that have not ended; empty where there is none.
  [[nodiscard]] std::string why_threads_wait(const std::vector<bool>& ended) const {
    std::string reason;
    for (int thread = 0; thread < places_.count(); ++thread) {
      if (!ended[static_cast<std::size_t>(thread)]) {
        reason += (reason.empty() ? "" : "; ") + findings_.why_it_waits(thread);
      }
    }
    return reason;
  }
  /// A complete execution.
  void take_execution(const std::vector<bool>& ended) {
    ++result_.executions;
    findings_.judge(program_, why_threads_wait(ended));
  }

  Program& program_;
  const Options options_;
  const Places places_;
  Residency residency_;
  Causality causality_;
  Coherence coherence_;
  Graph graph_;
  ThreadSteps steps_;
  Result result_;
  Findings findings_;
  Sums sums_;
  bool restarts_ = false;

 private:
  [[nodiscard]] double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_at_).count();
  }

  std::chrono::steady_clock::time_point begun_at_;
};

}  // namespace dma::inline v0_1::proof::detail::memory
