#pragma once

#include "host/proof/memory/small_programs.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

/// All executions of a small program by enumeration: every choice of which write each read sees, of an order of the
/// writes of each location and of an order of the fence.sc is tried against the axioms.
///
/// Written from the text of the PTX ISA ("Memory Consistency Model"), as relations between operations, and not from the
/// explorer, of which it calls nothing: a read-modify-write is one operation here, and all is closed anew for each
/// candidate. Two things are chosen that PTX leaves open: program order, barriers and reads-from have no circle, and
/// writes that race are ordered too, a read-modify-write behind what it reads.
namespace memory_tests::oracle {

using Row = std::uint32_t;
constexpr std::size_t most = 32;

struct Relation {
  std::array<Row, most> rows{};

  [[nodiscard]] bool has(std::size_t a, std::size_t b) const { return (rows[a] >> b & 1U) != 0; }
  void add(std::size_t a, std::size_t b) { rows[a] |= Row{1} << b; }
  /// Transitively closes it; false where that is not irreflexive.
  bool close(std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t i = 0; i < count; ++i) {
        rows[i] |= has(i, k) ? rows[k] : 0;
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (has(i, i)) {
        return false;
      }
    }
    return true;
  }
};

/// One operation of a candidate.
struct Op {
  std::size_t thread = 0;
  int number = 0;
  const SmallOperation* it = nullptr;
  bool reads = false;
  bool may_write = false;
  bool is_stuck = false;  ///< a poll that never sees what it waits for
  bool goes_on = false;   ///< its thread does more
  bool is_last = false;   ///< its thread has no more
  // of a candidate
  bool writes = false;
  int from = -1;
  Value read = 0;
  Value written = 0;
  int position = -1;  ///< in the order of the writes
};

/// How far a thread gets.
struct Reach {
  std::size_t done;  ///< operations
  bool has_ended;
  bool is_stuck_at_poll;
  bool has_begun;
};

class Oracle {
 public:
  explicit Oracle(const SmallProgram& program) : program_(program) {}

  Answer answer() {
    reach_.resize(program_.threads.size());
    for (const SmallThread& thread : program_.threads) {
      clusters_ = std::max(clusters_, thread.place.cluster + 1);
    }
    choose_reach(0);
    std::sort(answer_.keys.begin(), answer_.keys.end());
    return std::move(answer_);
  }

 private:
  // ---- how far each thread gets ----

  void choose_reach(std::size_t thread) {
    if (thread == program_.threads.size()) {
      build();
      return;
    }
    const std::vector<SmallOperation>& mine = program_.threads[thread].operations;
    const auto choose = [&](const Reach& reach) {
      reach_[thread] = reach;
      choose_reach(thread + 1);
    };
    choose({mine.size(), true, false, true});
    if (program_.resident > 0 && program_.resident < clusters_) {
      choose({0, false, false, false});
    }
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (mine[i].what == Do::await || mine[i].what == Do::lock) {
        choose({i, false, true, true});
      } else if (mine[i].what == Do::wait) {
        choose({i, false, false, true});
      } else if (mine[i].what == Do::expect && i + 1 < mine.size()) {
        choose({i + 1, true, false, true});
      }
    }
  }

  void build() {
    ops_.clear();
    for (std::size_t thread = 0; thread < program_.threads.size(); ++thread) {
      const std::vector<SmallOperation>& mine = program_.threads[thread].operations;
      const std::size_t count = reach_[thread].done + (reach_[thread].is_stuck_at_poll ? 1 : 0);
      for (std::size_t i = 0; i < count; ++i) {
        Op op;
        op.thread = thread;
        op.number = static_cast<int>(i);
        op.it = &mine[i];
        op.is_stuck = i == reach_[thread].done;
        op.goes_on = i + 1 < count;
        op.is_last = i + 1 == mine.size();
        const Do what = mine[i].what;
        const bool is_change = what == Do::exchange || what == Do::add || what == Do::reduce || what == Do::sum ||
                               what == Do::swap || what == Do::lock || what == Do::part;
        op.reads = is_change || what == Do::read || what == Do::await || what == Do::peek || what == Do::expect;
        op.may_write = what == Do::write || (is_change && !op.is_stuck);
        ops_.push_back(op);
      }
    }
    if (are_barriers_right()) {
      find_static();
      choose_sources(0);
    }
  }
  [[nodiscard]] bool has_arrived(std::size_t thread) const {
    for (std::size_t i = 0; i < reach_[thread].done; ++i) {
      if (program_.threads[thread].operations[i].what == Do::arrive) {
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] bool are_barriers_right() const {
    for (std::size_t thread = 0; thread < reach_.size(); ++thread) {
      const std::vector<SmallOperation>& mine = program_.threads[thread].operations;
      bool all_arrived = true;
      for (std::size_t other = 0; other < reach_.size(); ++other) {
        const auto& theirs = program_.threads[other].operations;
        const bool takes_part =
            std::any_of(theirs.begin(), theirs.end(), [](auto& op) { return op.what == Do::arrive; });
        if (takes_part && program_.threads[other].place.cta == program_.threads[thread].place.cta) {
          all_arrived = all_arrived && has_arrived(other);
        }
      }
      for (std::size_t i = 0; i < reach_[thread].done; ++i) {
        if (mine[i].what == Do::wait && !all_arrived) {
          return false;
        }
      }
      const bool waits = reach_[thread].has_begun && !reach_[thread].has_ended && !reach_[thread].is_stuck_at_poll;
      if (waits && all_arrived) {
        return false;
      }
    }
    return true;
  }

  // ---- what is the same for all candidates ----

  [[nodiscard]] const Place& place(std::size_t op) const { return program_.threads[ops_[op].thread].place; }
  [[nodiscard]] bool is_memory(std::size_t op) const { return ops_[op].reads || ops_[op].may_write; }
  [[nodiscard]] bool is_fence(std::size_t op) const { return ops_[op].it->what == Do::fence; }
  [[nodiscard]] bool is_strong(std::size_t op) const {
    return (is_memory(op) || is_fence(op)) && ops_[op].it->order != Order::weak;
  }
  [[nodiscard]] bool sees(std::size_t a, std::size_t b) const {
    switch (ops_[a].it->scope) {
      case Scope::cta:
        return place(a).cta == place(b).cta;
      case Scope::cluster:
        return place(a).cluster == place(b).cluster;
      default:
        return place(a).gpu == place(b).gpu || ops_[a].it->scope == Scope::system;
    }
  }
  [[nodiscard]] bool is_one_of(std::size_t op, std::initializer_list<Order> orders) const {
    return std::find(orders.begin(), orders.end(), ops_[op].it->order) != orders.end();
  }
  [[nodiscard]] bool is_release(std::size_t op) const {
    return (ops_[op].may_write || is_fence(op)) && is_one_of(op, {Order::release, Order::acq_rel, Order::sc});
  }
  [[nodiscard]] bool is_acquire(std::size_t op) const {
    return ((ops_[op].reads && !is_reduction(op)) || is_fence(op)) &&
           is_one_of(op, {Order::acquire, Order::acq_rel, Order::sc});
  }
  [[nodiscard]] bool is_reduction(std::size_t op) const {
    return ops_[op].it->what == Do::reduce || ops_[op].it->what == Do::sum;
  }
  [[nodiscard]] bool is_reduction_of_sums(std::size_t op) const { return ops_[op].it->what == Do::sum; }
  [[nodiscard]] bool overlap(std::size_t a, std::size_t b) const {
    return is_memory(a) && is_memory(b) && ops_[a].it->location == ops_[b].it->location;
  }

  void find_static() {
    const std::size_t n = ops_.size();
    po_ = {};
    strong_ = {};
    barriers_ = {};
    fences_.clear();
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        const bool same = ops_[a].thread == ops_[b].thread;
        if (same && a < b) {
          po_.add(a, b);
        }
        if (same || (is_strong(a) && is_strong(b) && sees(a, b) && sees(b, a))) {
          strong_.add(a, b);
        }
        if (ops_[a].it->what == Do::arrive && ops_[b].it->what == Do::wait && place(a).cta == place(b).cta) {
          barriers_.add(a, b);
        }
      }
      if (is_fence(a) && ops_[a].it->order == Order::sc) {
        fences_.push_back(a);
      }
    }
  }

  // ---- candidates ----

  void choose_sources(std::size_t op) {
    if (op == ops_.size()) {
      if (find_values()) {
        writes_.assign(static_cast<std::size_t>(program_.locations), {});
        for (std::size_t i = 0; i < ops_.size(); ++i) {
          if (ops_[i].writes) {
            writes_[static_cast<std::size_t>(ops_[i].it->location)].push_back(i);
          }
        }
        choose_orders(0);
      }
      return;
    }
    if (!ops_[op].reads) {
      choose_sources(op + 1);
      return;
    }
    for (int source = -1; source < static_cast<int>(ops_.size()); ++source) {
      const auto from = static_cast<std::size_t>(source);
      if (source < 0 || (from != op && ops_[from].may_write && overlap(from, op))) {
        ops_[op].from = source;
        choose_sources(op + 1);
      }
    }
  }
  /// False where program order and reads-from have a circle, where a poll sees what it should not, or where a read sees
  /// a compare that failed.
  bool find_values() {
    std::vector<bool> done(ops_.size());
    std::size_t count = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t i = 0; i < ops_.size(); ++i) {
        const int from = ops_[i].from;
        bool can = !done[i] && (!ops_[i].reads || from < 0 || done[static_cast<std::size_t>(from)]);
        for (std::size_t before = 0; before < ops_.size(); ++before) {
          can = can && (done[before] || !(po_.has(before, i) || barriers_.has(before, i)));
        }
        if (can) {
          if (!find_value(ops_[i])) {
            return false;
          }
          done[i] = true;
          ++count;
          moved = true;
        }
      }
    }
    return count == ops_.size();
  }
  bool find_value(Op& op) {
    if (op.reads) {
      if (op.from >= 0 && !ops_[static_cast<std::size_t>(op.from)].writes) {
        return false;
      }
      op.read = op.from < 0 ? 0 : ops_[static_cast<std::size_t>(op.from)].written;
    }
    op.writes = op.may_write;
    op.written = op.it->value;
    switch (op.it->what) {
      case Do::add:
      case Do::reduce:
      case Do::sum:
        op.written = op.read + op.it->value;
        return true;
      case Do::part:
        op.written = (op.read & ~op.it->compared) | (op.it->value & op.it->compared);
        return true;
      case Do::swap:
        op.writes = op.read == op.it->compared;
        return true;
      case Do::await:
        return (op.read == op.it->compared) != op.is_stuck;
      case Do::lock:
        return (op.read == 0) != op.is_stuck;
      case Do::expect:
        return op.is_last || (op.read == op.it->compared) == op.goes_on;
      default:
        return true;
    }
  }
  void choose_orders(std::size_t location) {
    if (location == writes_.size()) {
      judge();
      return;
    }
    std::vector<std::size_t>& order = writes_[location];
    std::sort(order.begin(), order.end());
    do {
      for (std::size_t i = 0; i < order.size(); ++i) {
        ops_[order[i]].position = static_cast<int>(i);
      }
      choose_orders(location + 1);
    } while (std::next_permutation(order.begin(), order.end()));
  }

  // ---- the axioms ----

  [[nodiscard]] int position_read(std::size_t op) const {
    return ops_[op].from < 0 ? -1 : ops_[static_cast<std::size_t>(ops_[op].from)].position;
  }
  void judge() {
    const std::size_t n = ops_.size();
    rf_ = {};
    co_ = {};
    fr_ = {};
    for (std::size_t a = 0; a < n; ++a) {
      if (ops_[a].reads && ops_[a].from >= 0) {
        rf_.add(static_cast<std::size_t>(ops_[a].from), a);
      }
      for (std::size_t b = 0; b < n; ++b) {
        if (a == b || !overlap(a, b) || !ops_[b].writes) {
          continue;
        }
        if (ops_[a].writes && ops_[a].position < ops_[b].position) {
          co_.add(a, b);
        }
        if (ops_[a].reads && position_read(a) < ops_[b].position) {
          fr_.add(a, b);
        }
      }
    }
    if (!polls_last_writes() || !is_atomic() || !is_sequential() || !has_place_for_all()) {
      return;
    }
    find_synchronization();
    judge_fence_orders();
  }
  [[nodiscard]] bool polls_last_writes() const {
    return std::none_of(ops_.begin(), ops_.end(), [&](const Op& op) {
      return op.is_stuck && fr_.rows[static_cast<std::size_t>(&op - ops_.data())] != 0;
    });
  }
  /// Atomicity: no write that is morally strong with it is between what an operation reads and what it writes. Of a
  /// store of some bits no write at all is between the other bits and these: each keeps its bits.
  [[nodiscard]] bool is_atomic() const {
    for (std::size_t a = 0; a < ops_.size(); ++a) {
      if (!ops_[a].reads || !ops_[a].writes) {
        continue;
      }
      if (position_read(a) >= ops_[a].position) {
        return false;
      }
      for (std::size_t w = 0; w < ops_.size(); ++w) {
        const bool is_apart = ops_[a].it->what != Do::part && !strong_.has(a, w);
        if (w != a && !is_apart && fr_.has(a, w) && co_.has(w, a)) {
          return false;
        }
      }
    }
    return true;
  }
  /// SC per location.
  [[nodiscard]] bool is_sequential() const {
    Relation all;
    for (std::size_t a = 0; a < ops_.size(); ++a) {
      all.rows[a] = (rf_.rows[a] | co_.rows[a] | fr_.rows[a]) & strong_.rows[a];
      for (std::size_t b = a + 1; b < ops_.size(); ++b) {
        if (po_.has(a, b) && overlap(a, b)) {
          all.add(a, b);
        }
      }
    }
    return all.close(ops_.size());
  }
  void find_synchronization() {
    const std::size_t n = ops_.size();
    observed_ = {};
    for (std::size_t a = 0; a < n; ++a) {
      observed_.rows[a] = rf_.rows[a] & strong_.rows[a];
    }
    const Relation direct = observed_;
    for (std::size_t round = 0; round < n; ++round) {
      for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t z = 0; z < n; ++z) {
          if (observed_.has(a, z) && ops_[z].reads && ops_[z].writes) {
            observed_.rows[a] |= direct.rows[z];
          }
        }
      }
    }
    std::vector<std::pair<std::size_t, std::size_t>> releases;  // the first operation, the write
    std::vector<std::pair<std::size_t, std::size_t>> acquires;  // the read, the last operation
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = a; b < n; ++b) {
        if (a != b && !po_.has(a, b)) {
          continue;
        }
        if (is_release(a) && ops_[b].writes && is_strong(b) && (is_fence(a) || (ops_[a].writes && overlap(a, b)))) {
          releases.emplace_back(a, b);
        }
        if (is_acquire(b) && ops_[a].reads && is_strong(a) && !is_reduction(a) && (is_fence(b) || overlap(a, b))) {
          acquires.emplace_back(a, b);
        }
      }
    }
    synchronizes_ = program_.meets_without_order ? Relation{} : barriers_;
    too_narrow_.clear();
    for (const auto& [first, write] : releases) {
      for (const auto& [read, last] : acquires) {
        if (!observed_.has(write, read)) {
          continue;
        }
        if (strong_.has(first, last)) {
          synchronizes_.add(first, last);
        } else if ((is_fence(first) && !sees(first, last)) || (is_fence(last) && !sees(last, first))) {
          too_narrow_.emplace_back(first, last);
        }
      }
    }
  }
  void judge_fence_orders() {
    std::vector<std::size_t> order = fences_;
    bool is_consistent = false;
    do {
      Relation base = po_;
      for (std::size_t a = 0; a < ops_.size(); ++a) {
        base.rows[a] |= synchronizes_.rows[a];
      }
      for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t j = i + 1; j < order.size(); ++j) {
          if (strong_.has(order[i], order[j])) {
            base.add(order[i], order[j]);
          }
        }
      }
      Relation cause;
      if (holds(base, cause)) {
        is_consistent = true;
        find_races(cause);
        for (const auto& [first, last] : too_narrow_) {
          has_narrow_fence_ = has_narrow_fence_ || !base.has(first, last);
        }
      }
    } while (std::next_permutation(order.begin(), order.end()));
    if (is_consistent) {
      take();
    }
  }
  /// Fence-SC, coherence and causality.
  bool holds(Relation& base, Relation& cause) const {
    const std::size_t n = ops_.size();
    if (!base.close(n)) {
      return false;
    }
    cause = base;
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t z = 0; z < n; ++z) {
        cause.rows[a] |= observed_.has(a, z) ? base.rows[z] : 0;
      }
    }
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        if (!cause.has(a, b)) {
          continue;
        }
        const bool are_writes = overlap(a, b) && ops_[a].writes && ops_[b].writes;
        if (a == b || (are_writes && !co_.has(a, b)) || rf_.has(b, a) || fr_.has(b, a)) {
          return false;
        }
      }
    }
    return true;
  }
  [[nodiscard]] Value bits_of(std::size_t op) const {
    const Do what = ops_[op].it->what;
    return what == Do::part || what == Do::peek ? ops_[op].it->compared : ~Value{0};
  }
  /// Reads of a poll that saw other writes are no operations here. A store of some bits, which is of another size than
  /// they, is to be before all of them.
  [[nodiscard]] bool is_ordered(const Relation& cause, std::size_t a, std::size_t b) const {
    const bool is_poll = ops_[b].it->what == Do::await || ops_[b].it->what == Do::lock;
    if (ops_[a].it->what != Do::part || !is_poll || !is_strong(b)) {
      return cause.has(a, b);
    }
    return b > 0 && po_.has(b - 1, b) && cause.has(a, b - 1);
  }
  void find_races(const Relation& cause) {
    for (std::size_t a = 0; a < ops_.size(); ++a) {
      for (std::size_t b = a + 1; b < ops_.size(); ++b) {
        if (overlap(a, b) && (bits_of(a) & bits_of(b)) != 0 && (ops_[a].writes || ops_[b].writes) &&
            !strong_.has(a, b) && !is_ordered(cause, a, b) && !is_ordered(cause, b, a)) {
          (is_strong(a) && is_strong(b) ? has_narrow_race_ : has_race_) = true;
        }
      }
    }
  }

  /// Clusters begin in order, or in one of all orders; what has not begun does nothing.
  [[nodiscard]] bool has_place_for_all() const {
    std::vector<int> order(static_cast<std::size_t>(clusters_));
    std::iota(order.begin(), order.end(), 0);
    do {
      if (has_place_for_all(order)) {
        return true;
      }
    } while (program_.any_order && std::next_permutation(order.begin(), order.end()));
    return false;
  }
  /// As many at a time as are resident.
  ///
  /// @param turns  of each cluster when it begins
  [[nodiscard]] bool has_place_for_all(const std::vector<int>& turns) const {
    const auto turn_of = [&](int cluster) { return turns[static_cast<std::size_t>(cluster)]; };
    const int resident = program_.resident == 0 ? clusters_ : program_.resident;
    Row done = 0;
    int begun = 0;
    int ended = 0;
    for (bool moved = true; moved;) {
      moved = false;
      if (begun < clusters_ && begun - ended < resident) {
        ++begun;
        moved = true;
      }
      for (std::size_t i = 0; i < ops_.size(); ++i) {
        const bool has_source = !ops_[i].reads || ops_[i].from < 0 || (done >> ops_[i].from & 1U) != 0;
        bool can = (done >> i & 1U) == 0 && turn_of(place(i).cluster) < begun && has_source;
        for (std::size_t before = 0; before < ops_.size(); ++before) {
          can = can && ((done >> before & 1U) != 0 || !(po_.has(before, i) || barriers_.has(before, i)));
        }
        if (can) {
          done |= Row{1} << i;
          moved = true;
        }
      }
      const int now = count_ended(done, begun, turns);
      moved = moved || now != ended;
      ended = now;
    }
    for (std::size_t thread = 0; thread < reach_.size(); ++thread) {
      if (reach_[thread].has_begun != (turn_of(program_.threads[thread].place.cluster) < begun)) {
        return false;
      }
    }
    return done == (ops_.size() == most ? ~Row{0} : (Row{1} << ops_.size()) - 1);
  }
  [[nodiscard]] int count_ended(Row done, int begun, const std::vector<int>& turns) const {
    int count = 0;
    for (int cluster = 0; cluster < clusters_; ++cluster) {
      bool has_ended = turns[static_cast<std::size_t>(cluster)] < begun;
      for (std::size_t thread = 0; thread < reach_.size(); ++thread) {
        has_ended = has_ended && (program_.threads[thread].place.cluster != cluster || reach_[thread].has_ended);
      }
      for (std::size_t i = 0; i < ops_.size(); ++i) {
        has_ended = has_ended && (place(i).cluster != cluster || (done >> i & 1U) != 0);
      }
      count += has_ended ? 1 : 0;
    }
    return count;
  }

  void take() {
    answer_.has_race = answer_.has_race || has_race_;
    answer_.has_narrow_race = answer_.has_narrow_race || has_narrow_race_;
    answer_.has_narrow_fence = answer_.has_narrow_fence || has_narrow_fence_;
    has_race_ = has_narrow_race_ = has_narrow_fence_ = false;
    for (const Reach& reach : reach_) {
      answer_.has_deadlock = answer_.has_deadlock || !reach.has_ended;
    }
    const auto name_of = [&](std::size_t op) { return static_cast<int>(100 * ops_[op].thread) + ops_[op].number; };
    Key key;
    std::size_t op = 0;
    for (std::size_t thread = 0; thread < program_.threads.size(); ++thread) {
      for (std::size_t i = 0; i < program_.threads[thread].operations.size(); ++i) {
        const bool is_done = op < ops_.size() && ops_[op].thread == thread && ops_[op].number == static_cast<int>(i);
        const int from = is_done && ops_[op].reads && !is_reduction_of_sums(op) ? ops_[op].from : -2;
        const bool is_of_sums = from > -2 && ops_[op].it->location == program_.sums;
        key.push_back(is_done && !is_memory(op) ? no_access_done
                      : is_of_sums              ? sum_seen + static_cast<int>(ops_[op].read)
                      : from < 0                ? from
                                                : name_of(static_cast<std::size_t>(from)));
        op += is_done ? 1 : 0;
      }
    }
    for (int location = 0; location < program_.locations; ++location) {
      key.push_back(-3);
      for (const std::size_t write : writes_[static_cast<std::size_t>(location)]) {
        if (location != program_.sums) {
          key.push_back(name_of(write));
        }
      }
      const std::vector<std::size_t>& order = writes_[static_cast<std::size_t>(location)];
      if (location == program_.sums && !order.empty()) {
        key.push_back(sum_seen + static_cast<int>(ops_[order.back()].written));
      }
    }
    answer_.keys.push_back(std::move(key));
  }

  const SmallProgram& program_;
  int clusters_ = 0;
  std::vector<Reach> reach_;
  std::vector<Op> ops_;
  std::vector<std::vector<std::size_t>> writes_;  ///< by location, in order
  std::vector<std::size_t> fences_;
  std::vector<std::pair<std::size_t, std::size_t>> too_narrow_;  ///< would synchronize, if a fence were wider
  Relation po_, strong_, barriers_, rf_, co_, fr_, observed_, synchronizes_;
  bool has_race_ = false;
  bool has_narrow_race_ = false;
  bool has_narrow_fence_ = false;
  Answer answer_;
};

}  // namespace memory_tests::oracle
