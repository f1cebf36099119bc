#pragma once

#include "host/proof/fuzz/program.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// The agents of a program, for the oracle: lanes of a warp that do the same are one.
namespace fuzz {

using Cells = std::uint64_t;  ///< a set of them

/// A block of memory is three cells: element 0, element 1, and the others. Blocks of shared memory come first, those of
/// CTA 1 behind those of CTA 0, then those of global memory.
[[nodiscard]] constexpr int first_cell(int cta, int block) { return 3 * (cta * shared_blocks + block); }
[[nodiscard]] constexpr int first_global_cell(int block) { return 3 * (2 * shared_blocks + block); }
[[nodiscard]] constexpr Cells block_at(int first) { return Cells{7} << first; }
/// Of each block the elements from 2 on.
inline constexpr Cells other_elements = 0x4924924924924924;
inline constexpr Cells all_shared = (Cells{1} << first_global_cell(0)) - 1;
/// The shared memory of a CTA.
[[nodiscard]] constexpr Cells shared_of(int cta) { return ((Cells{1} << 3 * shared_blocks) - 1) << first_cell(cta, 0); }

/// An ordinary load or store.
struct Access {
  bool writes;
  Cells cells;
  int instruction;  ///< of a store
  int value;
  bool is_neighbours;
  bool is_held;
};
/// What an agent does that others can observe, behind ordinary accesses.
struct Action {
  std::vector<Access> accesses = {};
  Cells reads = 0;   ///< by the accesses
  Cells writes = 0;  ///< by the accesses
  bool ends = false;
  bool races_with_itself = false;  ///< a lane accesses what another lane of the agent writes
  Step step = {};
  int copy = -1;                   ///< that it issues
  std::uint64_t awaits = 0;        ///< copies that have to be complete
  std::uint64_t awaits_reads = 0;  ///< copies that have to have read
  int number = 0;                  ///< among those of all agents
};
struct Agent {
  int warp;
  int cta;
  unsigned classes;  ///< bits: lane 0, lane 1, the others
  std::vector<Action> actions = {};

  [[nodiscard]] int lanes() const {
    return static_cast<int>((classes & 1U) + (classes >> 1U & 1U)) + ((classes & 4U) != 0 ? lane_count - 2 : 0);
  }
};
/// A copy in flight, or an arrival that follows copies.
struct Copy {
  Op op;
  int agent;
  Cells reads;
  Cells writes;
  int cta;                ///< whose mbarrier it completes on
  int barrier;            ///< -1: none
  std::uint64_t follows;  ///< of an arrival: copies that have to be complete
  std::size_t action;     ///< of the agent, that issues it
};

/// Why the lanes of a warp are not converged where they have to be; empty where they are. All lanes do each collective
/// step. A named barrier has no sync of its own: since the last collective step no lane waited for a phase, and all
/// made as many copies.
[[nodiscard]] inline std::string divergence_of(const std::vector<Step>& steps, int warps) {
  bool is_apart = false;
  int copies[3] = {};  // of lane 0, lane 1 and others, beside those of all lanes
  for (const Step& step : steps) {
    const bool copies_one = step.op == Op::copy_async || step.op == Op::load || step.op == Op::store;
    if (copies_one && step.lanes != Lanes::all) {
      copies[static_cast<std::size_t>(step.lanes) - 1] += step.op == Op::copy_async ? block_bytes / 16 : 1;
    }
    is_apart = is_apart || step.op == Op::wait || step.op == Op::wait_in_cluster;
    if (is_collective(step.op)) {
      const bool is_named = step.op == Op::sync_named || step.op == Op::arrive_named;
      if (step.lanes != Lanes::all) {
        return "one lane alone: " + text_of(step);
      }
      if (is_named && step.count > warps) {
        return "more threads than the CTA has: " + text_of(step);
      }
      if (is_named && (is_apart || copies[0] != copies[1] || copies[0] != copies[2])) {
        return "lanes are apart: " + text_of(step);
      }
      is_apart = false;
      copies[0] = copies[1] = copies[2] = 0;
    }
  }
  return "";
}

class Agents {
 public:
  explicit Agents(const Program& program) : program_(program) {
    for (std::size_t warp = 0; warp < program.steps.size(); ++warp) {
      add_warp(static_cast<int>(warp));
    }
  }

  [[nodiscard]] const std::vector<Agent>& agents() const { return agents_; }
  [[nodiscard]] const std::vector<Copy>& copies() const { return copies_; }
  [[nodiscard]] int actions() const { return actions_; }

 private:
  /// What an agent has issued and not waited for.
  struct Issued {
    std::uint64_t async = 0;
    std::vector<std::uint64_t> groups = {0};  ///< the last is open
  };

  /// Whether lanes that do it one after another find the barrier in unlike phases.
  [[nodiscard]] static bool counts(Op op) {
    return op == Op::arrive || op == Op::arrive_at_peer || op == Op::expect || op == Op::arrive_when_copied;
  }
  void add_warp(int warp) {
    const auto& steps = program_.steps[static_cast<std::size_t>(warp)];
    bool is_apart[2] = {};
    for (const Step& step : steps) {
      const bool is_access = step.op == Op::read || step.op == Op::write;
      const bool is_each_apart =
          step.lanes == Lanes::all && (is_access ? step.element != Element::its_own : counts(step.op));
      for (int lane = 0; lane < 2; ++lane) {
        is_apart[lane] = is_apart[lane] || is_each_apart || step.lanes == Lanes::others ||
                         step.lanes == (lane == 0 ? Lanes::lane0 : Lanes::lane1);
      }
    }
    unsigned together = 4;
    for (unsigned lane = 0; lane < 2; ++lane) {
      if (is_apart[lane]) {
        add_agent(warp, 1U << lane, steps);
      } else {
        together |= 1U << lane;
      }
    }
    add_agent(warp, together, steps);
  }
  void add_agent(int warp, unsigned classes, const std::vector<Step>& steps) {
    agents_.push_back({warp, program_.cta_of(warp), classes});
    Issued issued;
    Action action;
    for (const Step& step : steps) {
      if (step.lanes != Lanes::all && classes != 1U << (static_cast<unsigned>(step.lanes) - 1)) {
        continue;
      }
      if (step.op == Op::read || step.op == Op::write) {
        const Access access{step.op == Op::write,
                            cells_of(step),
                            number_of_store(step),
                            step.value,
                            step.element == Element::its_neighbours,
                            step.is_held};
        (access.writes ? action.writes : action.reads) |= access.cells;
        action.accesses.push_back(access);
      } else if (step.op == Op::commit) {
        issued.groups.push_back(0);
      } else if (step.op != Op::shuffle) {
        action.step = step;
        complete(action, issued);
        push(std::exchange(action, {}));
      }
    }
    action.ends = true;
    push(std::move(action));
  }
  void push(Action action) {
    for (const Access& one : action.accesses) {
      for (const Access& other : action.accesses) {
        const bool meet = (one.cells & other.cells & other_elements) != 0 && (one.writes || other.writes);
        action.races_with_itself = action.races_with_itself || (meet && one.is_neighbours != other.is_neighbours);
      }
    }
    action.number = actions_++;
    agents_.back().actions.push_back(std::move(action));
  }
  /// What it issues, and what it waits for.
  void complete(Action& action, Issued& issued) {
    const Step& step = action.step;
    const int cta = agents_.back().cta;
    const Cells own = block_at(first_cell(cta, step.block));
    const Cells global = block_at(first_global_cell(step.other));
    switch (step.op) {
      case Op::copy_async:
        issued.async |= issue(action, {step.op, 0, global, own, cta, -1, 0, 0});
        break;
      case Op::arrive_when_copied:
        issue(action, {step.op, 0, 0, 0, cta, step.barrier, issued.async, 0});
        break;
      case Op::load:
        issue(action, {step.op, 0, global, own, cta, step.barrier, 0, 0});
        break;
      case Op::store:
        issued.groups.back() |= issue(action, {step.op, 0, own, global, cta, -1, 0, 0});
        break;
      case Op::send:
        issue(action, {step.op, 0, own, block_at(first_cell(1 - cta, step.other)), 1 - cta, step.barrier, 0, 0});
        break;
      case Op::await_async:
        action.awaits = issued.async;
        break;
      case Op::await_groups:
        action.awaits = all_but(issued.groups, 0);
        break;
      case Op::await_reads:
        action.awaits_reads = all_but(issued.groups, static_cast<std::size_t>(step.count));
        break;
      default:
        break;
    }
  }
  std::uint64_t issue(Action& action, Copy copy) {
    action.copy = static_cast<int>(copies_.size());
    copy.agent = static_cast<int>(agents_.size()) - 1;
    copy.action = agents_.back().actions.size();
    copies_.push_back(copy);
    return std::uint64_t{1} << action.copy;
  }
  /// The copies of the groups that are closed, without the newest ones.
  [[nodiscard]] static std::uint64_t all_but(const std::vector<std::uint64_t>& groups, std::size_t newest) {
    std::uint64_t all = 0;
    for (std::size_t group = 0; group + 1 + newest < groups.size(); ++group) {
      all |= groups[group];
    }
    return all;
  }
  [[nodiscard]] Cells cells_of(const Step& step) const {
    const Agent& agent = agents_.back();
    const int cta = step.memory == Memory::peer ? 1 - agent.cta : agent.cta;
    const int first = step.memory == Memory::global ? first_global_cell(step.block) : first_cell(cta, step.block);
    // Lanes 0 and 1 are each other's neighbours, and so are others.
    const unsigned neighbours = (agent.classes & 4U) | (agent.classes & 1U) << 1U | (agent.classes >> 1U & 1U);
    const unsigned elements = step.element == Element::its_own          ? agent.classes
                              : step.element == Element::its_neighbours ? neighbours
                              : step.element == Element::first          ? 1U
                                                                        : 2U;
    return Cells{elements} << first;
  }

  const Program& program_;
  std::vector<Agent> agents_;
  std::vector<Copy> copies_;
  int actions_ = 0;
};

}  // namespace fuzz
