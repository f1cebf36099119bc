#pragma once

#include <dma/proof/memory/explore.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

/// Small programs without branches, for the explorer and for an oracle, and a generator of random ones.
namespace memory_tests {

using namespace dma::proof::detail::memory;

/// What an operation of a small program does.
enum class Do : char {
  read = 'R',
  write = 'W',
  exchange = 'X',
  add = 'A',
  reduce = 'U',  ///< an addition whose result is not read
  sum = 'S',     ///< the same, where the order of such additions is left open
  swap = 'C',    ///< compares, and writes where that is equal
  part = 'Y',    ///< an ordinary store of the bits `compared` of a word
  peek = 'Q',    ///< an ordinary load of these
  fence = 'F',
  await = 'P',   ///< a loop of reads until one is `compared`
  expect = 'E',  ///< a read; the thread ends behind it where it is not `compared`
  lock = 'L',    ///< a loop of exchanges with 1 until one reads 0
  arrive = 'b',  ///< at the barrier of the thread's CTA, once
  wait = 'B',    ///< there, directly behind it
};

struct SmallOperation {
  Do what;
  int location = 0;
  Value value = 0;
  Value compared = 0;
  Order order = Order::relaxed;
  Scope scope = Scope::gpu;
};

struct SmallThread {
  Place place;
  std::vector<SmallOperation> operations;
};

struct SmallProgram {
  std::vector<SmallThread> threads;
  int locations = 2;
  int resident = 0;
  bool any_order = false;            ///< in which CTAs begin
  bool meets_without_order = false;  ///< its barriers are shuffles: they order no memory
  bool tells_polls = true;           ///< the explorer knows which reads may be polls
  int sums = -1;  ///< the location of sums: what a read there sees is a value, and of its writes the last value is told
};

inline std::ostream& operator<<(std::ostream& out, const SmallProgram& program) {
  static const char* const orders[] = {"weak", "relaxed", "acquire", "release", "acq_rel", "sc"};
  static const char* const scopes[] = {"cta", "cluster", "gpu", "system"};
  out << "resident " << program.resident << (program.any_order ? " in any order" : "")
      << (program.meets_without_order ? ", shuffles" : "") << '\n';
  for (const SmallThread& thread : program.threads) {
    out << "cta " << thread.place.cta << " cluster " << thread.place.cluster << ':';
    for (const SmallOperation& it : thread.operations) {
      out << ' ' << static_cast<char>(it.what) << it.location << '=' << it.value << '/' << it.compared << '.'
          << orders[static_cast<int>(it.order)] << '.' << scopes[static_cast<int>(it.scope)] << ';';
    }
    out << '\n';
  }
  return out;
}

/// An execution in numbers: which operation each read sees (-1: the first value; -2: not done, or a write), then the
/// order of the writes of each location. An operation is 100 times its thread and its number there.
using Key = std::vector<int>;

/// Of a fence or a barrier that is done.
constexpr int no_access_done = -4;
/// Added to what a read of sums sees, and to the last value of their location.
constexpr int sum_seen = 10000;

/// What is known of all executions of a program.
struct Answer {
  std::vector<Key> keys;  ///< sorted
  bool has_race = false;
  bool has_narrow_race = false;
  bool has_narrow_fence = false;
  bool has_deadlock = false;
};

/// A small program for the explorer.
class Explored : public Program {
 public:
  explicit Explored(const SmallProgram& program) : program_(program) {}

  std::vector<Key> keys = {};
  std::function<void(const Execution&)> visit = {};  ///< each execution

  [[nodiscard]] std::vector<Place> places() const override {
    std::vector<Place> result;
    for (const SmallThread& thread : program_.threads) {
      result.push_back(thread.place);
    }
    return result;
  }
  [[nodiscard]] Value initial(int) override { return 0; }
  [[nodiscard]] Step next(int thread, const Replay& replay) override {
    const std::vector<SmallOperation>& mine = program_.threads[static_cast<std::size_t>(thread)].operations;
    const auto at = static_cast<std::size_t>(replay.operations(thread));
    if (at > 0) {
      const SmallOperation& last = mine[at - 1];
      const Value wanted = last.what == Do::lock ? 0 : last.compared;
      if ((last.what == Do::lock || last.what == Do::await) && replay.values(thread).back() != wanted) {
        return {.state = Step::State::operation, .operation = operation_of(last), .repeats = 1};
      }
      if (last.what == Do::expect && replay.values(thread).back() != wanted) {
        return {};
      }
    }
    if (at == mine.size()) {
      return {};
    }
    Operation operation = operation_of(mine[at]);
    if (mine[at].what == Do::wait && !find_arrivals(thread, replay, operation.after)) {
      return {.state = Step::State::waits, .message = "the CTA's barrier"};
    }
    return {.state = Step::State::operation, .operation = std::move(operation)};
  }
  void begin() override { keys.clear(); }
  [[nodiscard]] std::string judge(const Execution& execution) override {
    if (visit) {
      visit(execution);
    }
    const Graph& graph = execution.graph();
    const auto name_of = [&](int event) {
      return event < 0 ? -1 : 100 * graph.at(event).thread + graph.at(event).operation;
    };
    Key key;
    for (int thread = 0; thread < graph.threads(); ++thread) {
      std::vector<int> seen(program_.threads[static_cast<std::size_t>(thread)].operations.size(), -2);
      for (const int event : graph.of_thread(thread)) {
        if (!graph.at(event).is_access()) {
          seen[static_cast<std::size_t>(graph.at(event).operation)] = no_access_done;
        }
        if (graph.at(event).is_read()) {
          const Event& it = graph.at(event);
          seen[static_cast<std::size_t>(it.operation)] = it.location == program_.sums
                                                             ? it.is_unread ? -2 : sum_seen + static_cast<int>(it.value)
                                                             : name_of(it.from);
        }
      }
      key.insert(key.end(), seen.begin(), seen.end());
    }
    for (int location = 0; location < program_.locations; ++location) {
      key.push_back(-3);
      if (location < graph.locations() && location != program_.sums) {
        for (const int write : graph.writes(location)) {
          key.push_back(name_of(write));
        }
      } else if (location < graph.locations() && !graph.writes(location).empty()) {
        key.push_back(sum_seen + static_cast<int>(graph.at(graph.last_write(location)).value));
      }
    }
    keys.push_back(std::move(key));
    return {};
  }

 private:
  [[nodiscard]] Operation operation_of(const SmallOperation& it) const {
    Operation operation{
        .location = it.location, .order = it.order, .scope = it.scope, .value = it.value, .compared = it.compared};
    const auto is_change = [&](Change change) {
      operation.kind = Operation::Kind::change;
      operation.change = change;
    };
    switch (it.what) {
      case Do::read:
      case Do::await:
      case Do::expect:
        break;
      case Do::part:
        is_change(merge);
        operation.bits = it.compared;
        break;
      case Do::peek:
        operation.bits = it.compared;
        break;
      case Do::write:
        operation.kind = Operation::Kind::write;
        break;
      case Do::exchange:
      case Do::lock:
        is_change(exchange);
        break;
      case Do::add:
      case Do::reduce:
      case Do::sum:
        is_change(add);
        break;
      case Do::swap:
        is_change(compare_and_swap);
        break;
      case Do::fence:
        operation.kind = Operation::Kind::fence;
        break;
      case Do::arrive:
      case Do::wait:
        operation.kind = Operation::Kind::point;
        break;
    }
    operation.orders = !program_.meets_without_order;
    operation.is_unread = it.what == Do::reduce;
    operation.is_sum = it.what == Do::sum;
    operation.may_wait = program_.tells_polls && (it.what == Do::await || it.what == Do::lock);
    return operation;
  }
  /// The arrivals of a CTA's threads at their barrier; false where some are not there yet.
  bool find_arrivals(int thread, const Replay& replay, std::vector<OperationName>& arrivals) const {
    const int cta = program_.threads[static_cast<std::size_t>(thread)].place.cta;
    for (int other = 0; other < static_cast<int>(program_.threads.size()); ++other) {
      const SmallThread& it = program_.threads[static_cast<std::size_t>(other)];
      const auto arrival = std::find_if(it.operations.begin(), it.operations.end(),
                                        [](const SmallOperation& each) { return each.what == Do::arrive; });
      if (it.place.cta != cta || arrival == it.operations.end()) {
        continue;
      }
      const auto number = static_cast<int>(arrival - it.operations.begin());
      if (replay.operations(other) <= number) {
        return false;
      }
      arrivals.push_back({other, number});
    }
    return true;
  }

  const SmallProgram& program_;
};

/// What the explorer finds; its executions in the order in which they came if `sorts` is false.
inline Answer explored(const SmallProgram& program) {
  Explored explored(program);
  const Result result =
      explore(explored, {.resident = program.resident, .any_order = program.any_order, .stops_at_fault = false});
  Answer answer;
  answer.keys = std::move(explored.keys);
  std::sort(answer.keys.begin(), answer.keys.end());
  for (const Fault& fault : result.faults) {
    answer.has_race = answer.has_race || fault.kind == FaultKind::race;
    answer.has_narrow_race = answer.has_narrow_race || fault.kind == FaultKind::narrow_race;
    answer.has_narrow_fence = answer.has_narrow_fence || fault.kind == FaultKind::narrow_fence;
    answer.has_deadlock = answer.has_deadlock || fault.kind == FaultKind::deadlock;
  }
  return answer;
}

/// Random small programs: some of any operations, some of the shape of litmus tests.
class Random {
 public:
  explicit Random(std::uint64_t seed) : numbers_(seed) {}

  /// One with sums of a location that some threads read.
  SmallProgram program_with_sums() {
    SmallProgram result = program();
    while (count_of(result) > 5) {  // the oracle takes each order of the sums
      result = program();
    }
    result.resident = 0;
    result.sums = result.locations++;
    for (SmallThread& thread : result.threads) {
      if (is_one_in(4)) {
        thread.operations.insert(thread.operations.begin(), expectation());
      }
      if (has_percent(70)) {
        thread.operations.insert(thread.operations.begin() + below(static_cast<int>(thread.operations.size()) + 1),
                                 {.what = Do::sum,
                                  .location = result.sums,
                                  .value = Value{1} << below(4),
                                  .order = pick({Order::relaxed, Order::release, Order::acq_rel})});
      }
    }
    if (is_one_in(3)) {
      result.threads.back().operations.push_back(
          {.what = Do::read, .location = result.sums, .order = pick({Order::relaxed, Order::acquire})});
    }
    return result;
  }
  /// Threads count in one location, and some access it by ordinary loads and stores behind that.
  SmallProgram program_with_a_reset() {
    SmallProgram result;
    value_ = waits_ = weak_ = 0;
    narrow_ = pick({0, 0, 25});
    for (int thread = 0; thread < pick({2, 3, 3}); ++thread) {
      SmallThread it;
      it.place = {thread, thread, 0};
      if (thread > 0 && is_one_in(4)) {
        it.place = result.threads.back().place;
      }
      if (is_one_in(4)) {
        it.operations.push_back(
            {.what = Do::write, .location = 0, .value = static_cast<Value>(++value_), .order = Order::weak});
      }
      for (int count = pick({1, 1, 2}); count > 0; --count) {
        it.operations.push_back(
            {.what = pick({Do::add, Do::add, Do::add, Do::reduce, Do::exchange, Do::swap, Do::read}),
             .location = 0,
             .value = static_cast<Value>(++value_),
             .compared = static_cast<Value>(below(3)),
             .scope = scope()});
      }
      if (is_one_in(3)) {
        it.operations.push_back(is_one_in(2) ? fence() : access(1));
      }
      if (is_one_in(2)) {
        it.operations.push_back({.what = pick({Do::write, Do::write, Do::read}),
                                 .location = 0,
                                 .value = static_cast<Value>(++value_),
                                 .order = Order::weak});
      }
      result.threads.push_back(std::move(it));
    }
    number_places(result);
    return result;
  }
  /// Threads store into words, a part of one or a whole one, and give a sign; others wait for it and read. Most have no
  /// race.
  SmallProgram program_with_polls() {
    SmallProgram result;
    value_ = waits_ = weak_ = 0;
    narrow_ = pick({0, 0, 25});
    result.tells_polls = is_one_in(2);
    const int threads = pick({2, 2, 3});
    const int sign = below(2);
    for (int thread = 0; thread < threads; ++thread) {
      SmallThread it;
      it.place = {thread, thread, 0};
      if (thread > 0 && is_one_in(4)) {
        it.place = result.threads.back().place;
      }
      const bool waits = thread + 1 < threads;
      fill_poll(it, sign, waits, result.tells_polls);
      result.threads.push_back(std::move(it));
    }
    if (is_one_in(2)) {
      std::swap(result.threads.front(), result.threads.back());
    }
    number_places(result);
    return result;
  }
  /// What each of several equal threads does.
  std::vector<SmallOperation> equal_operations() {
    SmallThread it;
    waits_ = 0;
    weak_ = 0;
    narrow_ = pick({0, 25});
    left_ = 3;
    fill(it, 2, 3);
    return it.operations;
  }
  SmallProgram program() {
    SmallProgram result;
    value_ = 0;
    const bool is_shaped = below(3) != 0;
    const int threads = is_shaped ? pick({2, 2, 3, 3, 4}) : pick({2, 2, 3});
    result.locations = is_shaped ? 2 : pick({1, 2, 2, 3});
    narrow_ = pick({0, 0, 25});
    weak_ = pick({0, 0, 30});
    waits_ = pick({0, 0, 30});
    lock_ = result.locations++;
    left_ = is_shaped ? 8 : 6;
    const int fence = pick({0, 80, 100});
    for (int thread = 0; thread < threads; ++thread) {
      SmallThread it;
      it.place = {thread, pick({0, thread}), 0};
      if (thread > 0 && is_one_in(4)) {
        it.place = result.threads.back().place;
      }
      if (is_shaped) {
        fill_shape(it, threads, fence);
      } else {
        fill(it, lock_, threads == 2 ? 4 : 3);
      }
      result.threads.push_back(std::move(it));
    }
    number_places(result);
    if (is_one_in(5)) {
      add_barrier(result);
      result.meets_without_order = is_one_in(3);
    }
    if (is_one_in(5)) {
      result.resident = 1 + below(2);
      if (is_one_in(3)) {
        result.threads.back().operations.clear();
      }
      // That a CTA without operations has begun is in no key.
      result.any_order =
          is_one_in(2) && std::none_of(result.threads.begin(), result.threads.end(),
                                       [](const SmallThread& thread) { return thread.operations.empty(); });
    }
    return result;
  }

 private:
  static std::size_t count_of(const SmallProgram& program) {
    std::size_t count = 0;
    for (const SmallThread& thread : program.threads) {
      count += thread.operations.size();
    }
    return count;
  }
  int below(int count) { return static_cast<int>(numbers_() % static_cast<std::uint64_t>(count)); }
  bool is_one_in(int count) { return below(count) == 0; }
  bool has_percent(int percent) { return below(100) < percent; }
  template <class T>
  T pick(std::initializer_list<T> list) {
    return *(list.begin() + below(static_cast<int>(list.size())));
  }
  Scope scope() { return has_percent(narrow_) ? pick({Scope::cta, Scope::cta, Scope::cluster}) : Scope::gpu; }

  SmallOperation expectation() {
    return {.what = Do::expect,
            .location = below(2),
            .compared = static_cast<Value>(below(3)),
            .order = pick({Order::relaxed, Order::acquire}),
            .scope = scope()};
  }
  /// An ordinary access, of a whole word unless `has_parts`.
  SmallOperation ordinary(Do what, int location, bool has_parts) {
    SmallOperation it{
        .what = what, .location = location, .value = static_cast<Value>(1 + below(2)), .order = Order::weak};
    if (has_parts && is_one_in(2)) {
      it.what = what == Do::read ? Do::peek : Do::part;
      it.value *= 0x101;
      it.compared = pick({Value{0xff}, Value{0xff00}});
    }
    return it;
  }
  /// What a thread does up to a sign, or from one on.
  void fill_poll(SmallThread& it, int sign, bool waits, bool has_parts) {
    if (is_one_in(2)) {
      it.operations.push_back(waits ? fence() : ordinary(Do::write, below(2), has_parts));
    }
    if (!waits) {
      it.operations.push_back(ordinary(Do::write, below(2), has_parts));
      if (is_one_in(3)) {
        it.operations.push_back(fence());
      }
    }
    it.operations.push_back({.what = waits ? pick({Do::await, Do::await, Do::expect}) : Do::write,
                             .location = sign,
                             .value = 3,
                             .compared = 3,
                             .order = waits ? pick({Order::acquire, Order::acquire, Order::relaxed})
                                            : pick({Order::release, Order::release, Order::relaxed}),
                             .scope = scope()});
    if (waits && is_one_in(3)) {
      it.operations.push_back(fence());
    }
    if (waits && is_one_in(2)) {
      it.operations.push_back(ordinary(pick({Do::read, Do::write}), below(2), has_parts));
    }
  }
  SmallOperation access(int location) {
    SmallOperation it{.what = pick({Do::write, Do::write, Do::write, Do::read, Do::read, Do::read, Do::read,
                                    Do::exchange, Do::add, Do::reduce, Do::swap}),
                      .location = location,
                      .value = static_cast<Value>(++value_)};
    if (has_percent(waits_) && is_one_in(2)) {
      it.what = pick({Do::await, Do::await, Do::lock});
    }
    if (it.what == Do::lock) {  // of a word that is 0 or 1
      it.what = pick({Do::lock, Do::lock, Do::write});
      it.location = lock_;
      it.value = it.what == Do::lock ? 1 : 0;
    }
    it.compared = static_cast<Value>(below(3));
    const bool reads_alone = it.what == Do::read || it.what == Do::await;
    it.order = reads_alone            ? pick({Order::relaxed, Order::acquire})
               : it.what == Do::write ? pick({Order::relaxed, Order::release})
                                      : pick({Order::relaxed, Order::acquire, Order::release, Order::acq_rel});
    it.scope = scope();
    if ((it.what == Do::read || it.what == Do::write) && has_percent(weak_)) {
      it.order = Order::weak;
      if (is_one_in(2)) {
        it.what = it.what == Do::read ? Do::peek : Do::part;
        it.value *= 0x101;
        it.compared = pick({Value{0xff}, Value{0xff00}});
      }
    }
    return it;
  }
  SmallOperation fence() {
    return {.what = Do::fence,
            .order = pick({Order::acq_rel, Order::sc, Order::sc, Order::sc, Order::acquire, Order::release}),
            .scope = scope()};
  }
  void fill(SmallThread& it, int locations, int most) {
    for (int count = 1 + below(most); count > 0 && left_ > 0; --count, --left_) {
      it.operations.push_back(is_one_in(7) ? fence() : access(below(locations)));
    }
  }
  /// An access, often a fence, and an access of the other location.
  void fill_shape(SmallThread& it, int threads, int fence_percent) {
    int location = below(2);
    const int count = threads == 4 && is_one_in(2) ? 1 : 2;
    for (int i = 0; i < count; ++i) {
      if (i > 0 && has_percent(fence_percent)) {
        it.operations.push_back(fence());
      }
      it.operations.push_back(access(location));
      location = has_percent(85) ? 1 - location : location;
    }
  }
  /// CTAs have the numbers 0, 1, and so on, in the order of their threads, and so have clusters.
  static void number_places(SmallProgram& program) {
    for (int Place::*const number : {&Place::cta, &Place::cluster}) {
      std::map<int, int> numbers;
      for (SmallThread& thread : program.threads) {
        const int next = static_cast<int>(numbers.size());
        thread.place.*number = numbers.emplace(thread.place.*number, next).first->second;
      }
    }
  }
  /// All threads of a CTA meet at one place each.
  void add_barrier(SmallProgram& program) {
    for (SmallThread& thread : program.threads) {
      if (thread.place.cta == 0) {
        const auto at = below(static_cast<int>(thread.operations.size()) + 1);
        thread.operations.insert(thread.operations.begin() + at, {{.what = Do::arrive}, {.what = Do::wait}});
      }
    }
  }

  std::mt19937_64 numbers_;
  int value_ = 0;
  int left_ = 0;
  int lock_ = 0;  ///< the location of a lock
  int narrow_ = 0;
  int weak_ = 0;
  int waits_ = 0;
};

}  // namespace memory_tests
