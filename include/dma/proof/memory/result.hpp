#pragma once

#include <dma/proof/memory/event.hpp>
#include <dma/proof/memory/graph.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace dma::inline v0_1::proof::detail::memory {

/// An operation of an execution, as data.
struct Done {
  OperationName name;
  Operation::Kind kind;
  int location;
  Order order;
  Scope scope;
  bool reads;
  bool writes;
  Value read;
  Value written;
  OperationName from;  ///< the operation whose write it sees; thread -1 for the first value of the location
};

/// An execution as data: its operations, each behind what it needs, and the writes of each location in order.
struct Record {
  std::vector<Done> operations;
  std::vector<std::vector<OperationName>> writes;  ///< by location, without the initial one

  /// The place of an operation among `operations`; nothing is at -1.
  [[nodiscard]] int place_of(const OperationName& name) const {
    const auto place = std::find_if(operations.begin(), operations.end(), [&](const Done& done) {
      return done.name.thread == name.thread && done.name.operation == name.operation;
    });
    return place == operations.end() ? -1 : static_cast<int>(place - operations.begin());
  }
};

/// The execution of a graph.
[[nodiscard]] inline Record record_of(const Graph& graph) {
  Record record;
  const auto name_of = [&](int event) {
    return event < 0 ? OperationName{-1, -1} : OperationName{graph.at(event).thread, graph.at(event).operation};
  };
  for (const int event : graph.in_order()) {
    const Event& it = graph.at(event);
    if (it.is_write() && it.is_change && !it.is_sum) {
      Done& whole = record.operations.back();  // its read is the event before, of the same thread
      whole.writes = true;
      whole.written = it.value;
      continue;
    }
    const Operation::Kind kind = it.is_change                    ? Operation::Kind::change
                                 : it.is_read()                  ? Operation::Kind::read
                                 : it.is_write()                 ? Operation::Kind::write
                                 : it.kind == Event::Kind::fence ? Operation::Kind::fence
                                                                 : Operation::Kind::point;
    record.operations.push_back({name_of(event), kind, it.location, it.order, it.scope, it.is_read(), it.is_write(),
                                 it.is_read() ? it.value : 0, it.is_write() ? it.value : 0, name_of(it.from)});
  }
  for (int location = 0; location < graph.locations(); ++location) {
    std::vector<OperationName>& names = record.writes.emplace_back();
    for (const int write : graph.writes(location)) {
      names.push_back(name_of(write));
    }
  }
  return record;
}

/// What may be wrong with an execution.
enum class FaultKind : unsigned char {
  race,          ///< two accesses, one of them ordinary and one a write, that causality does not order
  narrow_race,   ///< two atomic accesses, one a write, neither in one scope nor ordered
  narrow_fence,  ///< a fence that would order two threads, if its scope had both
  deadlock,      ///< no thread can go on
  failed,        ///< an assertion of the program's
  judged,        ///< what `Program::judge` says
};

/// What is wrong with an execution.
struct Fault {
  FaultKind kind;
  OperationName first;   ///< thread -1 where there is none
  OperationName second;  ///< likewise
  std::string message;   ///< the reason
  Record record;         ///< of the first execution that has it
  long executions = 1;   ///< that have it
};

/// How far an exploration goes.
struct Options {
  int resident = 0;          ///< clusters that run at a time, begun in order; 0 for all
  bool any_order = false;    ///< they begin in any order
  long executions = 100000;  ///< the most that are explored
  long visits = 100000000;   ///< of graphs
  double seconds = 60;
  int events = 4000;           ///< of one execution
  bool stops_at_fault = true;  ///< else all executions are explored, and each fault is counted
  bool narrow_fences = true;   ///< a fence whose scope is too narrow is a fault
  /// The class of each thread, -1 for one that is like no other. Threads of a class do the same up to their names, and
  /// whether an execution is right does not depend on which of them is which. Executions that differ by an exchange of
  /// them are then one. Empty for no symmetry.
  std::vector<int> classes = {};
  /// The CTA of each thread, where CTAs are exchanged, and a thread with its CTA alone: a class is one of CTAs then.
  std::vector<int> units = {};
  /// Whether it is checked that threads of a class do the same, to the same words: where they do not, all executions
  /// are explored.
  bool checks_classes = false;
};

/// What an exploration found.
struct Result {
  long executions = 0;  ///< complete ones, a deadlock too
  long blocked = 0;     ///< graphs that were left: a poll sees an old write for ever, or too few CTAs are resident
  long visits = 0;      ///< graphs
  bool is_complete = true;
  std::string limit = {};  ///< which one ended it
  std::string equal =
      {};  ///< "threads", "CTAs" or "clusters": executions that differ by an exchange of equal ones are one
  bool are_unequal = false;  ///< threads that were to be equal are not: all executions are explored
  int ctas = 0;
  int clusters = 0;
  int resident = 0;        ///< clusters
  bool any_order = false;  ///< CTAs begin in any order, where not all are resident
  double seconds = 0;
  std::vector<Fault> faults = {};

  [[nodiscard]] bool is_proved() const { return faults.empty() && is_complete; }
  /// What has been explored, in a line.
  [[nodiscard]] std::string claim() const {
    const std::string count = std::to_string(executions);
    return (is_complete ? "all " + count : "the first " + count + " of more") +
           (executions == 1 && is_complete ? " execution of " : " executions of ") + std::to_string(ctas) +
           (ctas == 1 ? " CTA" : " CTAs") + where() + (any_order ? ", begun in any order" : "") +
           ", under PTX without load buffering" + (equal.empty() ? "" : ", up to an exchange of equal " + equal) +
           (are_unequal ? ", whose threads are not equal" : "");
  }

 private:
  [[nodiscard]] std::string where() const {
    const bool has_clusters = clusters > 1 && clusters < ctas;
    return (has_clusters ? " in " + std::to_string(clusters) + " clusters, " : std::string(", ")) +
           std::to_string(clusters == 1 ? ctas : resident) + (has_clusters ? " of these resident" : " resident");
  }
};

/// Ends an exploration that is not complete.
inline bool end_by(Result& result, const char* limit) {
  result.is_complete = false;
  result.limit = limit;
  return true;
}
/// Whether an exploration is to end.
///
/// @param elapsed  gives the seconds since it began
template <class Elapsed>
[[nodiscard]] bool reaches_limit(const Options& options, Result& result, const Elapsed& elapsed) {
  if (!result.limit.empty()) {
    return true;
  }
  if (options.stops_at_fault && !result.faults.empty()) {
    return end_by(result, "a fault");
  }
  if (result.executions >= options.executions) {
    return end_by(result, "executions");
  }
  if (result.visits >= options.visits) {
    return end_by(result, "visits");
  }
  return result.visits % 64 == 63 && elapsed() > options.seconds && end_by(result, "seconds");
}

}  // namespace dma::inline v0_1::proof::detail::memory
