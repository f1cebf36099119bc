#pragma once

#include "host/proof/small_programs.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// Every schedule of a small program, one after another, each operation and each end of a copy a move of its own: no
/// states are joined, no agents are alike, no accesses are taken together. What the judges must be equal to.
namespace small {

class BruteForce {
 public:
  /// @param most_moves  of all schedules together
  explicit BruteForce(const Program& program, long most_moves = 2'000'000)
      : program_(program), moves_left_(most_moves) {}

  /// Whether no schedule fails; nothing where there are too many.
  [[nodiscard]] std::optional<bool> is_correct() {
    World world;
    world.next.assign(program_.agents.size(), 0);
    world.is_waiting.assign(program_.agents.size(), false);
    for (const int arrivals : program_.phase_barriers) {
      world.phases.push_back({arrivals > 0, arrivals, arrivals});
    }
    world.named.resize(static_cast<std::size_t>(program_.named_barriers));
    visit(world);
    if (moves_left_ <= 0) {
      return std::nullopt;
    }
    return !has_failed_;
  }

 private:
  struct Named {
    int expected = 0;
    int generation = 0;
    std::vector<std::pair<int, bool>> arrived;  ///< the agent, and whether it waits
  };
  struct Phase {
    bool is_open;
    int expected;
    int pending;
    int bytes = 0;
    int completed = 0;
    bool has_copies = false;
    bool is_unobserved = false;
  };
  /// A copy, or an arrival that comes when copies are over.
  struct Flight {
    int agent;
    int operation;
    int group = 0;
    bool is_tied = false;  ///< a cp.async that an arrival waits for
    bool is_reading = true;
  };
  struct World {
    std::vector<int> next;
    std::vector<bool> is_waiting;
    std::vector<Named> named;
    std::vector<Phase> phases;
    std::vector<Flight> flights;
    std::map<int, int> groups;                  ///< committed, of each agent
    std::map<int, int> read_groups;             ///< the same of asynchronous reads
    std::map<int, int> async_groups;            ///< the same of cp.async
    std::vector<std::pair<int, int>> unfenced;  ///< agents and their operations through the generic proxy
  };

  [[nodiscard]] const Operation& at(int agent, int operation) const {
    return program_.agents[static_cast<std::size_t>(agent)].operations[static_cast<std::size_t>(operation)];
  }
  [[nodiscard]] bool is_finished(const World& world, int agent) const {
    return world.next[static_cast<std::size_t>(agent)] ==
           static_cast<int>(program_.agents[static_cast<std::size_t>(agent)].operations.size());
  }
  void fail() { has_failed_ = true; }

  void visit(const World& world) {
    if (has_failed_ || --moves_left_ <= 0) {
      return;
    }
    check_neighbours(world);
    bool any = false;
    for (int agent = 0; agent < static_cast<int>(program_.agents.size()); ++agent) {
      if (!is_finished(world, agent) && !world.is_waiting[static_cast<std::size_t>(agent)]) {
        World after = world;
        if (move(after, agent)) {
          any = true;
          visit(after);
        }
      }
    }
    for (std::size_t i = 0; i < world.flights.size(); ++i) {
      World after = world;
      if (end(after, i)) {
        any = true;
        visit(after);
      }
    }
    if (!any) {
      check_end(world);
    }
  }

  [[nodiscard]] static bool conflict(const Operation& left, const Operation& right) {
    return (left.writes != 0 && (left.writes == right.writes || left.writes == right.reads)) ||
           (right.writes != 0 && right.writes == left.reads);
  }

  /// Two accesses that could be next, either first, and accesses that conflict with a copy in flight.
  void check_neighbours(const World& world) {
    std::vector<std::pair<int, const Operation*>> next;
    for (int agent = 0; agent < static_cast<int>(program_.agents.size()); ++agent) {
      if (!is_finished(world, agent)) {
        next.emplace_back(agent, &at(agent, world.next[static_cast<std::size_t>(agent)]));
      }
    }
    for (std::size_t i = 0; i < next.size(); ++i) {
      for (std::size_t j = i + 1; j < next.size(); ++j) {
        if (conflict(*next[i].second, *next[j].second)) {
          fail();
        }
      }
      for (const Flight& flight : world.flights) {
        Operation copy = at(flight.agent, flight.operation);
        copy.reads = flight.is_reading ? copy.reads : 0;
        if (conflict(*next[i].second, copy)) {
          fail();
        }
      }
    }
  }

  void check_generation(std::map<std::pair<int, int>, int>& seen, int agent, int operation, int generation) {
    const auto place = seen.try_emplace({agent, operation}, generation);
    if (place.first->second != generation) {
      fail();
    }
  }

  /// What the bulk copy touches was accessed through the generic proxy, and no agent has fenced since. In the schedules
  /// that have the fewest fences between the two, those that are there are ordered after the one and before the other.
  void check_fences(const World& world, const Operation& copy) {
    for (const auto& [agent, number] : world.unfenced) {
      const Operation& earlier = at(agent, number);
      const bool opens = earlier.kind == OperationKind::open;
      if (opens ? copy.kind == OperationKind::copy_to_shared && earlier.barrier == copy.barrier
                : conflict(earlier, copy)) {
        fail();
      }
    }
  }
  /// A fence serves accesses that are over.
  static void fence(World& world) {
    std::erase_if(world.unfenced, [&](const std::pair<int, int>& access) {
      return std::none_of(world.flights.begin(), world.flights.end(), [&](const Flight& flight) {
        return flight.agent == access.first && flight.operation == access.second;
      });
    });
  }

  static bool complete_if_done(Phase& phase) {
    if (phase.pending != 0 || phase.bytes != 0) {
      return false;
    }
    ++phase.completed;
    phase.pending = phase.expected;
    phase.is_unobserved = phase.is_unobserved || phase.has_copies;
    phase.has_copies = false;
    return true;
  }

  [[nodiscard]] bool move(World& world, int agent) {
    const auto index = static_cast<std::size_t>(agent);
    const int number = world.next[index];
    const Operation& operation = at(agent, number);
    const bool is_of_phase = operation.kind == OperationKind::open || operation.kind == OperationKind::close ||
                             operation.kind == OperationKind::phase_arrive || operation.kind == OperationKind::expect ||
                             operation.kind == OperationKind::wait || operation.kind == OperationKind::copy_to_shared ||
                             operation.kind == OperationKind::arrive_when_copied;
    Phase none{};
    Phase& phase = is_of_phase ? world.phases[static_cast<std::size_t>(operation.barrier)] : none;
    if (is_of_phase && phase.is_open == (operation.kind == OperationKind::open)) {
      fail();
      return true;
    }
    switch (operation.kind) {
      case OperationKind::access:
      case OperationKind::atomic:
        world.unfenced.emplace_back(agent, number);
        break;
      case OperationKind::fence_threads:
        break;
      case OperationKind::fence:
        fence(world);
        break;
      case OperationKind::sync:
      case OperationKind::arrive: {
        Named& barrier = world.named[static_cast<std::size_t>(operation.barrier)];
        check_generation(generations_, agent, number, barrier.generation);
        if (barrier.arrived.empty()) {
          barrier.expected = operation.count;
        }
        if (barrier.expected != operation.count) {
          fail();
          return true;
        }
        const bool waits = operation.kind == OperationKind::sync;
        barrier.arrived.emplace_back(agent, waits);
        world.is_waiting[index] = waits;
        world.next[index] += waits ? 0 : 1;
        if (static_cast<int>(barrier.arrived.size()) == barrier.expected) {
          bool anybody = false;
          for (const auto& [who, is_waiting] : barrier.arrived) {
            if (is_waiting) {
              anybody = true;
              world.is_waiting[static_cast<std::size_t>(who)] = false;
              ++world.next[static_cast<std::size_t>(who)];
            }
          }
          if (!anybody) {
            fail();
          }
          barrier.arrived.clear();
          ++barrier.generation;
        }
        return true;
      }
      case OperationKind::open:
        world.unfenced.emplace_back(agent, number);
        phase.is_open = true;
        phase.expected = phase.pending = operation.count;
        break;
      case OperationKind::close:
        check_generation(generations_, agent, number, phase.completed);
        if (phase.pending != phase.expected || phase.bytes != 0 || phase.has_copies) {
          fail();
        }
        phase.is_open = false;
        break;
      case OperationKind::phase_arrive:
      case OperationKind::expect:
        check_generation(generations_, agent, number, phase.completed);
        phase.bytes += operation.count;
        phase.expected -= operation.drops ? 1 : 0;
        if (operation.kind == OperationKind::phase_arrive && --phase.pending < 0) {
          fail();
          return true;
        }
        if (complete_if_done(phase) && operation.is_never_last) {
          fail();
        }
        break;
      case OperationKind::wait:
        if ((phase.completed & 1) == operation.count) {
          return false;
        }
        check_generation(generations_, agent, number, phase.completed);
        phase.is_unobserved = false;
        break;
      case OperationKind::copy_to_shared:
        check_fences(world, operation);
        world.flights.push_back({agent, number});
        break;
      case OperationKind::copy_to_global:
        check_fences(world, operation);
        world.flights.push_back({agent, number, world.groups[agent]});
        break;
      case OperationKind::read_async:
        check_fences(world, operation);
        world.flights.push_back({agent, number, world.read_groups[agent]});
        break;
      case OperationKind::commit_reads:
        ++world.read_groups[agent];
        break;
      case OperationKind::await_reads:
        std::erase_if(world.flights, [&](const Flight& flight) {
          return flight.agent == agent && kind_of(flight) == OperationKind::read_async &&
                 flight.group < world.read_groups[agent] - operation.count;
        });
        break;
      case OperationKind::copy_async:
        world.unfenced.emplace_back(agent, number);
        world.flights.push_back({agent, number, world.async_groups[agent]});
        break;
      case OperationKind::commit_async:
        ++world.async_groups[agent];
        break;
      case OperationKind::await_async_groups:
        std::erase_if(world.flights, [&](const Flight& flight) {
          return flight.agent == agent && kind_of(flight) == OperationKind::copy_async &&
                 flight.group < world.async_groups[agent] - operation.count;
        });
        break;
      case OperationKind::arrive_when_copied:
        for (Flight& flight : world.flights) {
          flight.is_tied = flight.is_tied || (flight.agent == agent && kind_of(flight) == OperationKind::copy_async);
        }
        world.flights.push_back({agent, number});
        break;
      case OperationKind::await_async:
        std::erase_if(world.flights, [&](const Flight& flight) {
          return flight.agent == agent && kind_of(flight) == OperationKind::copy_async;
        });
        break;
      case OperationKind::shuffle:
      case OperationKind::await_grids:
      case OperationKind::use_global:
      case OperationKind::multiply:
      case OperationKind::arrive_when_multiplied:
      case OperationKind::load_tensor:
      case OperationKind::await_loads:
      case OperationKind::store_tensor:
      case OperationKind::await_stores:
      case OperationKind::copy_to_tensor:
      case OperationKind::shift_tensor:
      case OperationKind::free_tensor:
      case OperationKind::fence_tensor:
        break;  // of no program here
      case OperationKind::commit_group:
        ++world.groups[agent];
        break;
      case OperationKind::await_group_reads:
        for (Flight& flight : world.flights) {
          if (flight.agent == agent && kind_of(flight) == OperationKind::copy_to_global &&
              flight.group < world.groups[agent] - operation.count) {
            flight.is_reading = false;
          }
        }
        break;
      case OperationKind::await_groups:
        std::erase_if(world.flights, [&](const Flight& flight) {
          return flight.agent == agent && kind_of(flight) == OperationKind::copy_to_global &&
                 flight.group < world.groups[agent] - operation.count;
        });
        break;
    }
    ++world.next[index];
    return true;
  }

  [[nodiscard]] OperationKind kind_of(const Flight& flight) const { return at(flight.agent, flight.operation).kind; }

  /// The completion of copies that a barrier tracks. Copies that only their agent waits for are complete after its
  /// wait.
  [[nodiscard]] bool end(World& world, std::size_t number) {
    const Flight flight = world.flights[number];
    const Operation& operation = at(flight.agent, flight.operation);
    if (operation.kind == OperationKind::copy_async || operation.kind == OperationKind::copy_to_global ||
        operation.kind == OperationKind::read_async) {
      return false;
    }
    world.flights.erase(world.flights.begin() + static_cast<std::ptrdiff_t>(number));
    Phase& phase = world.phases[static_cast<std::size_t>(operation.barrier)];
    if (!phase.is_open) {
      fail();
      return true;
    }
    check_generation(ends_, flight.agent, flight.operation, phase.completed);
    phase.has_copies = true;
    if (operation.kind == OperationKind::copy_to_shared) {
      phase.bytes -= operation.count;
    } else {
      if (--phase.pending < 0) {
        fail();
        return true;
      }
      std::erase_if(world.flights, [&](const Flight& other) {
        return other.agent == flight.agent && other.is_tied && other.operation < flight.operation;
      });
    }
    complete_if_done(phase);
    return true;
  }

  void check_end(const World& world) {
    for (int agent = 0; agent < static_cast<int>(program_.agents.size()); ++agent) {
      if (!is_finished(world, agent)) {
        fail();
      }
    }
    for (const Flight& flight : world.flights) {
      if (flight.is_reading) {
        fail();
      }
    }
    for (const Named& barrier : world.named) {
      if (!barrier.arrived.empty()) {
        fail();
      }
    }
    for (const Phase& phase : world.phases) {
      if (phase.is_unobserved ||
          (phase.is_open && (phase.pending != phase.expected || phase.bytes != 0 || phase.has_copies))) {
        fail();
      }
    }
  }

  const Program& program_;
  long moves_left_;
  bool has_failed_ = false;
  std::map<std::pair<int, int>, int> generations_;
  std::map<std::pair<int, int>, int> ends_;
};

}  // namespace small
