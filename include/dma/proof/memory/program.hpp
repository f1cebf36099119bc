#pragma once

#include <dma/proof/memory/causality.hpp>
#include <dma/proof/memory/event.hpp>
#include <dma/proof/memory/graph.hpp>

#include <string>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail::memory {

/// What a thread does next.
struct Step {
  enum class State : unsigned char {
    operation,  ///< `operation`
    ended,
    waits,   ///< at a barrier, for other threads
    failed,  ///< `message`: an assertion of the program's
  };
  State state = State::ended;
  Operation operation = {};
  /// The thread is where it was before its last so many operations: in the same state, about to do the same. Where they
  /// changed nothing, it polls: it goes on only when one of them sees another write.
  int repeats = 0;
  std::string message = {};  ///< also of `waits`: what it waits for
};

/// What the threads have done so far, for a program to do again.
class Replay {
 public:
  explicit Replay(const Graph& graph) : graph_(graph) {}

  /// How many operations a thread has done.
  [[nodiscard]] int operations(int thread) const { return graph_.operations(thread); }
  /// What an operation of a thread read; 0 for one that reads nothing.
  [[nodiscard]] std::vector<Value> values(int thread) const {
    std::vector<Value> result;
    for (const int event : graph_.of_thread(thread)) {
      const Event& it = graph_.at(event);
      if (it.is_write() && it.is_change && !it.is_sum) {
        continue;  // its read has been
      }
      result.push_back(it.is_read() ? it.value : 0);
    }
    return result;
  }
  /// All operations, each behind what it needs: its thread's, the writes that it sees, what a point is behind. Threads
  /// that are run in this order have in memory what the execution says.
  [[nodiscard]] std::vector<OperationName> in_order() const {
    std::vector<OperationName> result;
    for (const int event : graph_.in_order()) {
      const Event& it = graph_.at(event);
      if (!(it.is_write() && it.is_change && !it.is_sum)) {
        result.push_back({it.thread, it.operation});
      }
    }
    return result;
  }
  [[nodiscard]] const Graph& graph() const { return graph_; }

 private:
  const Graph& graph_;
};

/// A complete execution, or one up to where no thread goes on.
class Execution {
 public:
  Execution(const Graph& graph, const Causality& causality, bool has_ended)
      : graph_(graph), causality_(causality), has_ended_(has_ended) {}

  [[nodiscard]] const Graph& graph() const { return graph_; }
  /// Whether an operation is before another one in base causality order: what it did is there for the other one.
  [[nodiscard]] bool precedes(OperationName one, OperationName other) const {
    return causality_.precedes(graph_.event_of(one), graph_.event_of(other));
  }
  [[nodiscard]] const Causality& causality() const { return causality_; }
  /// False for a deadlock.
  [[nodiscard]] bool has_ended() const { return has_ended_; }

 private:
  const Graph& graph_;
  const Causality& causality_;
  bool has_ended_;
};

/// What is explored. A thread's next step follows from what it read, and from nothing else; that of one that waits at a
/// barrier, from what other threads have done.
class Program {
 public:
  virtual ~Program() = default;

  [[nodiscard]] virtual std::vector<Place> places() const = 0;
  /// The first value of a location.
  [[nodiscard]] virtual Value initial(int location) = 0;
  /// What a thread does next, when all threads have done what `replay` says. A change's value is in it before its write
  /// is.
  [[nodiscard]] virtual Step next(int thread, const Replay& replay) = 0;

  /// Begins an exploration; once more where sums turn out to be read.
  virtual void begin() {}
  /// Judges an execution, by what the graph does not have; a fault, or an empty text.
  [[nodiscard]] virtual std::string judge(const Execution& execution) {
    static_cast<void>(execution);
    return {};
  }

 protected:
  Program() = default;
  Program(const Program&) = default;
  Program& operator=(const Program&) = default;
};

/// Aims a read at a write, or at the first value of its location.
inline void aim(Graph& graph, Program& program, int read, int write) {
  Event& event = graph.at(read);
  event.from = write;
  event.value = write < 0 ? program.initial(event.location) : graph.at(write).value;
  if (event.is_change) {
    const Changed changed = event.change(event.value, event.operand, event.compared);
    event.writes = changed.writes;
    event.written = changed.value;
  }
}

}  // namespace dma::inline v0_1::proof::detail::memory
