#pragma once

#include <dma/proof/memory/event.hpp>
#include <dma/proof/memory/exploration.hpp>
#include <dma/proof/memory/graph.hpp>
#include <dma/proof/memory/program.hpp>
#include <dma/proof/memory/residency.hpp>
#include <dma/proof/memory/result.hpp>
#include <dma/proof/memory/revisits.hpp>
#include <dma/proof/memory/thread_steps.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail::memory {

/// Explores each execution of a program once, by the memory model of PTX without load buffering: of its executions
/// those in which program order and who reads whom have no circle.
///
/// A graph grows by one event, the next of the first thread that has one. A read is aimed at each write that there is;
/// a write is put at each place of its location's order, and reads that are there already may be aimed at it
/// (`Revisits`).
class Explorer : private Exploration {
 public:
  explicit Explorer(Program& program, Options options = {}) : Exploration(program, std::move(options)) {}

  Result run() {
    return run_all([this] {
      present_ = residency_.fewest();
      do {
        begin_graph();
        visit(none);
      } while (!is_over() && residency_.next(present_));
    });
  }

 private:
  // ---- the search ----

  /// @param aimed  the read that has been aimed, none where it was not one
  void visit(int aimed) {
    if (is_over()) {
      return;
    }
    with_steps([&] { extend(aimed); });
  }
  void extend(int aimed) {
    // A poll of an old write, where there is a newer one: no later write makes it count.
    if (aimed != none && steps_.polls(graph_.at(aimed).thread) && !steps_.sees_last_write(graph_.at(aimed).thread)) {
      return;
    }
    for (int thread = 0; thread < places_.count(); ++thread) {
      if (steps_.of(thread).state == Step::State::failed && residency_.has_all() && !steps_.is_half_done(thread)) {
        return findings_.fail(thread);
      }
    }
    const int thread = chosen();
    if (thread == none) {
      end_execution();
    } else if (graph_.size() >= options_.events) {
      end_by(result_, "events of an execution");
    } else if (steps_.is_half_done(thread)) {
      add_write(written_half(*steps_.last_of(thread)));
    } else {
      add(thread, steps_.of(thread).operation);
    }
  }
  /// The thread that goes on: one that has half of a change, one that does not wait, one that may. Of these it is one
  /// that has done least, so that threads that wait for all others in turns find what they wait for.
  [[nodiscard]] int chosen() const {
    int first = none;
    int first_that_waits = none;
    for (int thread = places_.count(); thread-- > 0;) {
      if (steps_.is_half_done(thread)) {
        return thread;
      }
      if (steps_.of(thread).state != Step::State::operation || steps_.polls(thread) ||
          !residency_.is_in(present_, thread)) {
        continue;
      }
      if (!steps_.of(thread).operation.may_wait) {
        first = thread;
      } else if (first_that_waits == none || graph_.operations(thread) <= graph_.operations(first_that_waits)) {
        first_that_waits = thread;
      }
    }
    return first == none ? first_that_waits : first;
  }

  void add(int thread, const Operation& operation) {
    Event event = event_of(thread, graph_.operations(thread), operation);
    switch (operation.kind) {
      case Operation::Kind::read:
        add_read(std::move(event));
        break;
      case Operation::Kind::write:
        event.kind = Event::Kind::write;
        add_write(std::move(event));
        break;
      case Operation::Kind::change:
        if (is_sum(operation)) {
          with_sum(std::move(event), [this] { visit(none); });
        } else {
          halve(event, Event::Kind::read);
          add_read(std::move(event));
        }
        break;
      case Operation::Kind::fence:
      case Operation::Kind::point:
        with_apart(std::move(event), operation, [this] { visit(none); });
        break;
    }
  }
  void add_read(Event event) {
    const int thread = event.thread;
    const int location = event.location;
    const int read = graph_.add(std::move(event));
    for (auto place = static_cast<int>(graph_.writes(location).size()); place >= 0 && !is_over(); --place) {
      aim(graph_, program_, read, write_at(location, place));
      steps_.forget(thread);
      if (is_consistent(location)) {
        visit(read);
      }
    }
    graph_.remove_last();
  }
  void add_write(Event event) {
    const int thread = event.thread;
    const bool is_half = event.is_change;  // what follows the change is known
    const int write = graph_.add(std::move(event));
    if (!is_half) {
      steps_.forget(thread);
    }
    put_at_each_place(write, none);
    Revisits revisits(graph_, write);
    for (int read = 0; read < write && !is_over(); ++read) {
      if (revisits.may_see(read)) {
        revisit(read, revisits.gone());
      }
    }
    graph_.remove_last();
  }
  /// Aims a read at the latest event, without what is gone.
  void revisit(int read, const std::vector<bool>& gone) {
    Graph other = graph_.without(gone);
    const ThreadSteps::State before = steps_.state();
    steps_.forget_all();  // a thread without events may have met one that reads something else now
    std::swap(graph_, other);
    for (const int location : sums_.locations()) {
      graph_.add_up(location, program_.initial(location));
    }
    aim(graph_, program_, read, graph_.size() - 1);  // what was before the read is still
    put_at_each_place(graph_.size() - 1, read);
    std::swap(graph_, other);
    steps_.set_state(before);
  }
  /// Visits the graph with a write at each place that it may have.
  void put_at_each_place(int write, int aimed) {
    const int location = graph_.at(write).location;
    const auto [first, last] = coherence_.places_of(graph_, write);
    for (int place = last; place >= first && !is_over(); --place) {
      graph_.put_write(write, place);
      if (is_consistent(location) && is_in_order_of_lanes(write)) {
        visit(aimed);
      }
      graph_.take_write(write);
    }
  }

  // ---- the end of an execution ----

  void end_execution() {
    const std::vector<bool> ended = steps_.ended();
    for (int thread = 0; thread < places_.count(); ++thread) {
      if (ended[static_cast<std::size_t>(thread)]) {
        continue;
      }
      if (steps_.polls(thread) && !steps_.polls_last_writes(thread)) {
        ++result_.blocked;
        return;
      }
    }
    if (!residency_.admits(graph_, ended, present_)) {
      ++result_.blocked;
      return;
    }
    for (int thread = 0; thread < places_.count(); ++thread) {
      if (steps_.of(thread).state == Step::State::failed && residency_.has_begun(thread)) {
        return findings_.fail(thread);
      }
    }
    take_execution(ended);
  }

  Residency::Set present_;  ///< clusters that take part
};

}  // namespace dma::inline v0_1::proof::detail::memory
