#pragma once

#include <dma/proof/memory/explore.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// Programs of threads whose bodies are functions, for tests of the explorer.
namespace memory_tests {

using namespace dma::proof::detail::memory;
using Kind = Operation::Kind;

/// A thread of a test. Its body runs from the beginning each time, with the values that it has read, up to what it does
/// next.
class Thread {
 public:
  using Wanted = std::function<bool(Value)>;

  Thread(int number, const std::vector<Value>& values) : number_(number), values_(values) {}

  [[nodiscard]] int number() const { return number_; }

  Value load(int location, Order order = Order::relaxed, Scope scope = Scope::gpu) {
    return next({.kind = Kind::read, .location = location, .order = order, .scope = scope});
  }
  void store(int location, Value value, Order order = Order::relaxed, Scope scope = Scope::gpu) {
    next({.kind = Kind::write, .location = location, .order = order, .scope = scope, .value = value});
  }
  Value read(int location) { return load(location, Order::weak); }
  void write(int location, Value value) { store(location, value, Order::weak); }
  /// The same as one lane's part of a warp's instruction, of this number.
  void write_by(std::uint64_t instruction, int location, Value value) {
    next({.kind = Kind::write, .location = location, .order = Order::weak, .value = value, .store = instruction});
  }
  /// An ordinary store of some bits of a word.
  void write_part(int location, Value bits, Value value) {
    next({.kind = Kind::change,
          .location = location,
          .order = Order::weak,
          .value = value,
          .compared = bits,
          .change = merge,
          .bits = bits});
  }
  void fence(Order order = Order::acq_rel, Scope scope = Scope::gpu) {
    next({.kind = Kind::fence, .order = order, .scope = scope});
  }
  /// A loop of loads until one sees what is wanted.
  ///
  /// @param is_told  the explorer knows before the first load that it may be a poll
  Value await(int location, const Wanted& wanted, Order order = Order::acquire, Scope scope = Scope::gpu,
              bool is_told = true) {
    return poll({.kind = Kind::read, .location = location, .order = order, .scope = scope, .may_wait = is_told},
                wanted);
  }
  /// A loop that loads one location and, where that is not what is wanted, another one.
  void await_either(int one, const Wanted& of_one, int other, const Wanted& of_other, Order order = Order::acquire) {
    if (!of_one(load(one, order)) && !of_other(load(other, order))) {
      throw Step{.state = Step::State::operation,
                 .operation = {.kind = Kind::read, .location = one, .order = order, .scope = Scope::gpu},
                 .repeats = 2};
    }
  }
  Value change(int location, Change how, Value value, Order order = Order::relaxed, Scope scope = Scope::gpu,
               Value compared = 0) {
    return next({.kind = Kind::change,
                 .location = location,
                 .order = order,
                 .scope = scope,
                 .value = value,
                 .compared = compared,
                 .change = how});
  }
  Value add(int location, Value value, Order order = Order::relaxed, Scope scope = Scope::gpu) {
    return change(location, dma::proof::detail::memory::add, value, order, scope);
  }
  /// Its result is not read.
  void sum(int location, Value value, Order order = Order::relaxed, Scope scope = Scope::gpu) {
    next({.kind = Kind::change,
          .location = location,
          .order = order,
          .scope = scope,
          .value = value,
          .change = dma::proof::detail::memory::add,
          .is_unread = true,
          .is_sum = true});
  }
  bool compare_and_swap(int location, Value expected, Value value, Order order = Order::relaxed,
                        Value* seen = nullptr) {
    const Value old =
        change(location, dma::proof::detail::memory::compare_and_swap, value, order, Scope::gpu, expected);
    if (seen != nullptr) {
      *seen = old;
    }
    return old == expected;
  }
  /// A lock by a loop of exchanges, which writes 1 again and again.
  void lock(int location, Order order = Order::acquire, Scope scope = Scope::gpu) {
    poll({.kind = Kind::change,
          .location = location,
          .order = order,
          .scope = scope,
          .value = 1,
          .change = exchange,
          .may_wait = true},
         [](Value old) { return old == 0; });
  }
  /// A lock by a loop of compares, which writes nothing where it fails.
  void await_swap(int location, Value expected, Value value, Order order = Order::acquire) {
    poll({.kind = Kind::change,
          .location = location,
          .order = order,
          .value = value,
          .compared = expected,
          .change = dma::proof::detail::memory::compare_and_swap,
          .may_wait = true},
         [expected](Value old) { return old == expected; });
  }
  void unlock(int location, Order order = Order::release, Scope scope = Scope::gpu) {
    store(location, 0, order, scope);
  }
  /// What the test is about.
  void out(Value value) { out_.push_back(value); }
  void check(bool holds, const char* message) {
    if (!holds) {
      throw Step{.state = Step::State::failed, .message = message};
    }
  }

  [[nodiscard]] const std::vector<Value>& outs() const { return out_; }

 private:
  Value next(Operation operation) {
    if (at_ == values_.size()) {
      throw Step{.state = Step::State::operation, .operation = std::move(operation)};
    }
    return values_[at_++];
  }
  Value poll(const Operation& operation, const Wanted& wanted) {
    const Value value = next(operation);
    if (!wanted(value)) {
      throw Step{.state = Step::State::operation, .operation = operation, .repeats = 1};
    }
    return value;
  }

  int number_;
  const std::vector<Value>& values_;
  std::size_t at_ = 0;
  std::vector<Value> out_;
};
using Body = std::function<void(Thread&)>;

inline std::vector<Place> own_ctas(std::size_t threads) {
  std::vector<Place> places;
  for (int thread = 0; thread < static_cast<int>(threads); ++thread) {
    places.push_back({thread, thread, 0});
  }
  return places;
}

class Threads : public Program {
 public:
  std::vector<Body> bodies;
  std::vector<Place> at;                   ///< each in a CTA and a cluster of its own where it is empty
  std::vector<Value> initial_values = {};  ///< by location; 0 for others
  /// What threads gave out, then the last value of each location: of each execution.
  std::vector<std::vector<Value>> outcomes = {};

  explicit Threads(std::vector<Body> threads, std::vector<Place> threads_at = {})
      : bodies(std::move(threads)), at(threads_at.empty() ? own_ctas(bodies.size()) : std::move(threads_at)) {}
  Threads(std::size_t count, const Body& body) : Threads(std::vector<Body>(count, body)) {}

  [[nodiscard]] std::vector<Place> places() const override { return at; }
  [[nodiscard]] Value initial(int location) override {
    const auto index = static_cast<std::size_t>(location);
    return index < initial_values.size() ? initial_values[index] : 0;
  }
  [[nodiscard]] Step next(int thread, const Replay& replay) override {
    const std::vector<Value> values = replay.values(thread);
    Thread running(thread, values);
    return run(running);
  }
  void begin() override { outcomes.clear(); }
  [[nodiscard]] std::string judge(const Execution& execution) override {
    if (!execution.has_ended()) {
      return {};
    }
    std::vector<Value> outcome;
    const Replay replay(execution.graph());
    for (int thread = 0; thread < static_cast<int>(bodies.size()); ++thread) {
      const std::vector<Value> values = replay.values(thread);
      Thread running(thread, values);
      run(running);
      outcome.insert(outcome.end(), running.outs().begin(), running.outs().end());
    }
    for (int location = 0; location < execution.graph().locations(); ++location) {
      const int last = execution.graph().last_write(location);
      outcome.push_back(last < 0 ? initial(location) : execution.graph().at(last).value);
    }
    outcomes.push_back(std::move(outcome));
    return {};
  }

 private:
  Step run(Thread& thread) const {
    try {
      bodies[static_cast<std::size_t>(thread.number())](thread);
    } catch (const Step& step) {
      return step;
    }
    return {};
  }
};

}  // namespace memory_tests
