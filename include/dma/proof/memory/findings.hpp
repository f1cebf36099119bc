#pragma once

#include <dma/proof/memory/causality.hpp>
#include <dma/proof/memory/event.hpp>
#include <dma/proof/memory/graph.hpp>
#include <dma/proof/memory/program.hpp>
#include <dma/proof/memory/races.hpp>
#include <dma/proof/memory/residency.hpp>
#include <dma/proof/memory/result.hpp>
#include <dma/proof/memory/thread_steps.hpp>

#include <string>

namespace dma::inline v0_1::proof::detail::memory {

/// Notes what is wrong with the executions of an exploration.
class Findings {
 public:
  /// All as they are at each call.
  Findings(const Graph& graph, const Places& places, const Residency& residency, const ThreadSteps& steps,
           Causality& causality, const Options& options, Result& result)
      : graph_(graph),
        places_(places),
        residency_(residency),
        steps_(steps),
        causality_(causality),
        options_(options),
        result_(result) {}

  /// A thread has met an assertion that does not hold.
  void fail(int thread) {
    if (causality_.find(graph_)) {
      find_races();
      const std::vector<int>& mine = graph_.of_thread(thread);
      note(FaultKind::failed, mine.empty() ? none : mine.back(), none, steps_.of(thread).message);
    }
  }
  /// No thread goes on.
  ///
  /// @param reason  of a deadlock; empty where all threads have ended
  void judge(Program& program, const std::string& reason) {
    if (!causality_.find(graph_)) {
      return;
    }
    find_races();
    if (!reason.empty()) {
      note(FaultKind::deadlock, none, none, reason);
    }
    if (const std::string text = program.judge(Execution(graph_, causality_, reason.empty())); !text.empty()) {
      note(FaultKind::judged, none, none, text);
    }
  }
  /// Judges an execution of a graph with other names of threads, and leaves the causality of the first one.
  void judge_renamed(Program& program, const Graph& renamed, bool has_ended) {
    if (causality_.find(renamed)) {
      if (const std::string text = program.judge(Execution(renamed, causality_, has_ended)); !text.empty()) {
        note(FaultKind::judged, none, none, text, renamed);
      }
    }
  }
  [[nodiscard]] std::string why_it_waits(int thread) const {
    const std::string name = "thread " + std::to_string(thread);
    if (!residency_.has_begun(thread)) {
      const bool has_clusters = places_.clusters() != places_.ctas();
      return name + ": its " +
             (has_clusters ? "cluster " + std::to_string(places_.of(thread).cluster)
                           : "CTA " + std::to_string(places_.of(thread).cta)) +
             " has not begun, since only " + std::to_string(residency_.resident()) + " are resident" +
             (residency_.has_any_order() ? " and begin in any order; number CTAs by a counter as they begin, or"
                                         : ";") +
             " launch it as a cooperative kernel";
    }
    if (steps_.of(thread).state == Step::State::operation) {
      return name + " polls location " + std::to_string(steps_.of(thread).operation.location);
    }
    return name + " waits" + (steps_.of(thread).message.empty() ? "" : " for " + steps_.of(thread).message);
  }

 private:
  static constexpr int none = -1;

  void find_races() {
    const auto take = [&](FaultKind kind, int first, int second, const std::string& message) {
      note(kind, first, second, message);
    };
    const Races races(graph_, places_, causality_);
    races.find(take);
    if (options_.narrow_fences) {
      races.find_narrow_fences(take);
    }
  }
  void note(FaultKind kind, int first, int second, const std::string& message) {
    note(kind, first, second, message, graph_);
  }
  void note(FaultKind kind, int first, int second, const std::string& message, const Graph& graph) {
    const auto name_of = [&](int event) {
      return event < 0 ? OperationName{-1, -1} : OperationName{graph_.at(event).thread, graph_.at(event).operation};
    };
    for (Fault& fault : result_.faults) {
      if (fault.kind == kind && fault.message == message) {
        ++fault.executions;
        return;
      }
    }
    result_.faults.push_back({kind, name_of(first), name_of(second), message, record_of(graph)});
  }

  const Graph& graph_;
  const Places& places_;
  const Residency& residency_;
  const ThreadSteps& steps_;
  Causality& causality_;
  const Options& options_;
  Result& result_;
};

}  // namespace dma::inline v0_1::proof::detail::memory
