#pragma once

#include <dma/proof/finding.hpp>
#include <dma/proof/record/program.hpp>
#include <dma/proof/search/search_state.hpp>
#include <dma/proof/search/state_machine.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace dma::host {

/// One move of a schedule: an agent does an operation, or a copy that it started with that operation ends.
struct Event {
  int agent;
  int operation;
  bool is_end_of_copy;
};

struct SearchLimits {
  std::size_t states = 20'000'000;
  double seconds = 60;
};

/// Searches every schedule of a program, breadth first over states, agents with the same list of operations not told
/// apart: what it finds is found by no shorter schedule.
class Search {
 public:
  explicit Search(const Program& program, const SearchLimits& limits = {})
      : program_(program), limits_(limits), machine_(program) {}

  /// What is wrong, of kind `none` where nothing is under any schedule, `too_many_states` where a limit was met.
  [[nodiscard]] Finding judge() {
    const auto start = std::chrono::steady_clock::now();
    if (!machine_.fits()) {
      return {FindingKind::too_many_states};
    }
    next_.resize(machine_.width());
    machine_.begin(next_.data());
    store_.reset(machine_.width());
    store_.insert(next_, StateStore::nothing, {});
    if (has_failed()) {
      return retrace(0, nullptr);
    }
    for (std::uint32_t state = 0; state < store_.size(); ++state) {
      const bool checks_time = state % 4096 == 4095;
      if (store_.size() > limits_.states ||
          (checks_time &&
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > limits_.seconds)) {
        return {FindingKind::too_many_states};
      }
      StateStore::Move failed{};
      if (!expand(state, failed) && !has_failed()) {
        load(state);
        machine_.judge_end(next_.data());
        if (has_failed()) {
          return retrace(state, nullptr);
        }
      }
      if (has_failed()) {
        return retrace(state, &failed);
      }
    }
    return {};
  }

  [[nodiscard]] std::size_t states() const { return store_.size(); }
  /// The moves to what was found.
  [[nodiscard]] const std::vector<Event>& schedule() const { return schedule_; }

 private:
  [[nodiscard]] bool has_failed() const { return machine_.finding().kind != FindingKind::none; }
  void load(std::uint32_t state) { std::copy_n(store_.at(state), machine_.width(), next_.begin()); }

  /// Whether a state has any move; all of them are made, up to one that fails.
  bool expand(std::uint32_t state, StateStore::Move& failed) {
    bool any_moved = false;
    const auto try_move = [&](std::size_t slot, std::size_t flight) {
      const StateStore::Move move{static_cast<std::uint16_t>(slot), static_cast<std::uint16_t>(flight)};
      load(state);
      machine_.make(next_.data(), move);
      any_moved = true;
      if (has_failed()) {
        failed = move;
        return false;
      }
      machine_.normalize(next_.data(), nullptr);
      store_.insert(next_, state, move);
      return true;
    };
    for (std::size_t slot = 0; slot < machine_.slots(); ++slot) {
      if (machine_.has_twin(store_.at(state), slot)) {
        continue;
      }
      if (machine_.can_step(store_.at(state), slot) && !try_move(slot, StateStore::own_step)) {
        return true;
      }
      std::uint64_t flights = machine_.flying(store_.at(state), slot);
      for (std::size_t flight = 0; flights != 0; ++flight, flights >>= 1U) {
        if ((flights & 1U) != 0 && !try_move(slot, flight)) {
          return true;
        }
      }
    }
    return any_moved;
  }

  /// Writes down the way to a state, and the move after it, with the program's agents in place of the states' slots.
  Finding retrace(std::uint32_t state, const StateStore::Move* last) {
    std::vector<StateStore::Move> moves;
    if (last != nullptr) {
      moves.push_back(*last);
    }
    for (; store_.parent(state) != StateStore::nothing; state = store_.parent(state)) {
      moves.push_back(store_.move(state));
    }
    Finding finding = machine_.finding();
    std::vector<int> agents(machine_.slots());
    for (std::size_t slot = 0; slot < agents.size(); ++slot) {
      agents[slot] = machine_.agent_of(slot);
    }
    StateMachine again(program_);
    again.begin(next_.data());
    for (std::size_t i = moves.size(); i-- > 0;) {
      const StateStore::Move move = moves[i];
      schedule_.push_back(
          {agents[move.agent], again.operation_of(next_.data(), move), move.flight != StateStore::own_step});
      again.make(next_.data(), move);
      if (i != 0 || last == nullptr) {
        again.normalize(next_.data(), &agents);
      }
    }
    if (finding.agent >= 0) {
      finding.agent = agents[static_cast<std::size_t>(finding.agent)];
    }
    return finding;
  }

  const Program& program_;
  SearchLimits limits_;
  StateMachine machine_;
  StateStore store_;
  std::vector<StateMachine::Word> next_;
  std::vector<Event> schedule_;
};

}  // namespace dma::host
