#pragma once

#include <dma/proof/finding.hpp>
#include <dma/proof/record/program.hpp>
#include <dma/proof/search/search_limits.hpp>
#include <dma/proof/search/search_state.hpp>
#include <dma/proof/search/state_machine.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// One move of a schedule: an agent does an operation, or a copy that it started with that operation completes.
struct Event {
  int agent;
  int operation;
  bool is_end_of_copy;
};

/// Searches every schedule of a program, breadth first over its states, so that it finds a shortest schedule that
/// fails. States that differ only by an exchange of agents with equal operations are one state.
class Search {
 public:
  explicit Search(const Program& program, const Limits& limits = {})
      : program_(program), limits_(limits), state_machine_(program) {}

  /// The fault; its kind is `none` where every schedule is correct, `too_many_states` where a limit was reached.
  [[nodiscard]] Finding judge() {
    const auto start = std::chrono::steady_clock::now();
    if (!state_machine_.fits()) {
      return {FindingKind::too_many_states};
    }
    next_.resize(state_machine_.width());
    state_machine_.begin(next_.data());
    store_.reset(state_machine_.width());
    store_.insert(next_, StateStore::nothing, {});
    if (has_failed()) {
      return retrace(0, nullptr);
    }
    for (std::uint32_t state = 0; state < store_.size(); ++state) {
      const bool checks_time = state % 4096 == 4095;
      if (store_.size() > limits_.states || store_.bytes() > limits_.bytes ||
          (checks_time &&
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > limits_.seconds)) {
        return {FindingKind::too_many_states};
      }
      StateStore::Move failed{};
      if (!expand(state, failed) && !has_failed()) {
        load(state);
        state_machine_.judge_end(next_.data());
        if (has_failed()) {
          return retrace(state, nullptr);
        }
      }
      if (has_failed()) {
        return retrace(state, &failed);
      }
    }
    return judge_fences();
  }

  [[nodiscard]] std::size_t states() const { return store_.size(); }
  /// The moves up to the fault.
  [[nodiscard]] const std::vector<Event>& schedule() const { return schedule_; }

 private:
  [[nodiscard]] bool has_failed() const { return state_machine_.finding().kind != FindingKind::none; }
  void load(std::uint32_t state) { std::copy_n(store_.at(state), state_machine_.width(), next_.begin()); }

  /// A schedule that begins a bulk copy without its fence, when every state was reached.
  Finding judge_fences() {
    const auto copy = state_machine_.unfenced_copy();
    for (std::uint32_t state = 0; copy && state < store_.size(); ++state) {
      for (std::size_t index = 0; index < state_machine_.agent_count(); ++index) {
        if (state_machine_.is_at(store_.at(state), index, *copy)) {
          const StateStore::Move begin{static_cast<std::uint16_t>(index), StateStore::own_step};
          state_machine_.fail_at_copy(index, *copy);
          return retrace(state, copy->is_step ? &begin : nullptr);
        }
      }
    }
    return {};
  }

  /// Makes all moves of a state, up to one that fails. False where it has none.
  bool expand(std::uint32_t state, StateStore::Move& failed) {
    bool any_moved = false;
    const auto try_move = [&](std::size_t index, std::size_t flight) {
      const StateStore::Move move{static_cast<std::uint16_t>(index), static_cast<std::uint16_t>(flight)};
      load(state);
      state_machine_.make(next_.data(), move);
      any_moved = true;
      if (has_failed()) {
        failed = move;
        return false;
      }
      state_machine_.normalize(next_.data(), nullptr);
      store_.insert(next_, state, move);
      return true;
    };
    for (std::size_t index = 0; index < state_machine_.agent_count(); ++index) {
      if (state_machine_.has_twin(store_.at(state), index)) {
        continue;
      }
      if (state_machine_.can_step(store_.at(state), index) && !try_move(index, StateStore::own_step)) {
        return true;
      }
      std::uint64_t flights = state_machine_.flying(store_.at(state), index);
      for (std::size_t flight = 0; flights != 0; ++flight, flights >>= 1U) {
        if ((flights & 1U) != 0 && !try_move(index, flight)) {
          return true;
        }
      }
    }
    return any_moved;
  }

  /// Writes the schedule to a state and the move after it, with the program's agents in place of a state's indices.
  Finding retrace(std::uint32_t state, const StateStore::Move* last) {
    std::vector<StateStore::Move> moves;
    if (last != nullptr) {
      moves.push_back(*last);
    }
    for (; store_.parent(state) != StateStore::nothing; state = store_.parent(state)) {
      moves.push_back(store_.move(state));
    }
    Finding finding = state_machine_.finding();
    std::vector<int> agents(state_machine_.agent_count());
    for (std::size_t index = 0; index < agents.size(); ++index) {
      agents[index] = state_machine_.agent_of(index);
    }
    StateMachine again(program_);
    again.begin(next_.data());
    for (std::size_t i = moves.size(); i-- > 0;) {
      const StateStore::Move move = moves[i];
      schedule_.push_back(
          {agents[move.index], again.operation_of(next_.data(), move), move.flight != StateStore::own_step});
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
  Limits limits_;
  StateMachine state_machine_;
  StateStore store_;
  std::vector<StateMachine::Word> next_;
  std::vector<Event> schedule_;
};

}  // namespace dma::inline v0_1::proof::detail
