#pragma once

#include <dma/proof/memory/event.hpp>
#include <dma/proof/memory/graph.hpp>
#include <dma/proof/memory/program.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace dma::inline v0_1::proof::detail::memory {

/// What the threads do next, as far as it is known.
class ThreadSteps {
 public:
  /// Kept to come back to.
  using State = std::vector<std::shared_ptr<const Step>>;

  /// @param graph  what the threads have done, at each call
  ThreadSteps(Program& program, const Graph& graph) : program_(program), graph_(graph), steps_(count()) {}

  [[nodiscard]] const State& state() const { return steps_; }
  void set_state(const State& state) { steps_ = state; }
  void forget(int thread) { steps_[static_cast<std::size_t>(thread)] = nullptr; }
  void forget_all() { steps_.assign(count(), nullptr); }
  /// Asks for the steps that are not known. Those of threads that wait are asked for each time.
  void find() {
    const Replay replay(graph_);
    for (int thread = 0; thread < graph_.threads(); ++thread) {
      auto& known = steps_[static_cast<std::size_t>(thread)];
      if (known == nullptr || known->state == Step::State::waits) {
        known = std::make_shared<const Step>(program_.next(thread, replay));
      }
    }
  }

  [[nodiscard]] const Step& of(int thread) const { return *steps_[static_cast<std::size_t>(thread)]; }
  /// The last event of a thread; nothing before its first.
  [[nodiscard]] const Event* last_of(int thread) const {
    const std::vector<int>& mine = graph_.of_thread(thread);
    return mine.empty() ? nullptr : &graph_.at(mine.back());
  }
  /// Whether a thread polls: it is about to repeat reads, or changes that changed nothing, and fences between them.
  [[nodiscard]] bool polls(int thread) const {
    bool reads = false;
    const bool changes = any_repeated(thread, [&](const Event& it) {
      reads = reads || it.is_read();
      return it.is_write() || (it.writes && it.written != it.value);
    });
    return reads && !changes;
  }
  /// Whether the last of what a thread repeats sees the last write of its location.
  [[nodiscard]] bool sees_last_write(int thread) const {
    const Event& last = *last_of(thread);
    return !last.is_read() || graph_.last_write(last.location) == last.from;
  }
  /// Whether a thread polls and sees the last write of each location: it waits for one that is not there.
  [[nodiscard]] bool polls_last_writes(int thread) const {
    return polls(thread) && !any_repeated(thread, [&](const Event& it) {
             return it.is_read() && graph_.last_write(it.location) != it.from;
           });
  }
  /// Whether a thread's change has been read and is to be written.
  [[nodiscard]] bool is_half_done(int thread) const {
    const Event* const last = last_of(thread);
    return last != nullptr && last->is_read() && last->writes && !polls(thread);
  }
  /// Whether each thread has ended.
  [[nodiscard]] std::vector<bool> ended() const {
    std::vector<bool> result;
    for (int thread = 0; thread < graph_.threads(); ++thread) {
      result.push_back(of(thread).state == Step::State::ended);
    }
    return result;
  }

 private:
  /// Whether `holds(event)` for an event of the operations that a thread is about to repeat.
  template <class Holds>
  [[nodiscard]] bool any_repeated(int thread, const Holds& holds) const {
    const std::vector<int>& mine = graph_.of_thread(thread);
    const int first = graph_.operations(thread) - of(thread).repeats;
    for (auto event = mine.rbegin(); event != mine.rend() && graph_.at(*event).operation >= first; ++event) {
      if (holds(graph_.at(*event))) {
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(graph_.threads()); }

  Program& program_;
  const Graph& graph_;
  State steps_;  ///< by thread; nothing where it is to be asked for
};

}  // namespace dma::inline v0_1::proof::detail::memory
