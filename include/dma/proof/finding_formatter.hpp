#pragma once

#include <dma/host/emulation/line_of.hpp>
#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/host/emulation/waiting_threads.hpp>
#include <dma/machine/site.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/record/program.hpp>
#include <dma/proof/search/search.hpp>
#include <dma/proof/timeline.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Writes findings and schedules of a program as text.
class FindingFormatter {
 public:
  explicit FindingFormatter(const Program& program) : program_(program), pipelines_(program.pipelines) {}

  /// One line: what is wrong, which agent does it, and where.
  ///
  /// @param first, second  what the agents do, where more is known than their operations say
  [[nodiscard]] std::string describe(const Finding& finding, const std::string& first = "",
                                     const std::string& second = "") {
    std::string text = name_of(finding.kind);
    if (finding.agent >= 0) {
      text += ": " + program_.agents[index(finding.agent)].name;
      if (has_operation(finding.agent, finding.operation)) {
        text += ' ' + (first.empty() ? act_of(finding.agent, finding.operation) : first);
      } else if (const int last = last_transfer_of(finding.agent);
                 finding.kind == FindingKind::armed_at_exit && last >= 0) {
        text += ' ' + act_of(finding.agent, last) + ", and waits for it too early or not at all";
      }
    } else if (finding.operation >= 0) {
      text += ": " + name_of_barrier(finding.operation);
    }
    if (finding.other_agent >= 0) {
      text += "; " + program_.agents[index(finding.other_agent)].name;
      if (has_operation(finding.other_agent, finding.other_operation)) {
        text += ' ' + (second.empty() ? act_of(finding.other_agent, finding.other_operation) : second);
      }
    }
    if (finding.met_by_shuffle) {
      text += "; they met by a shuffle, which orders no accesses; call sync_warp() there";
    }
    if (is_of_tensor_memory(finding)) {
      text +=
          "; they access tensor memory; wait for products by their arrival (tcgen05.commit) and for loads and stores "
          "(tcgen05.wait), and fence before an arrival and behind a wait (tcgen05.fence)";
    }
    if (finding.met_by_relaxed) {
      text +=
          "; they met by an arrival or a wait that is relaxed, which orders no accesses; use .release and .acquire, "
          "or a fence before the one and behind the other";
    }
    return text;
  }

  /// What to do, where that is more than a finding of its kind has.
  [[nodiscard]] const char* way_out(const Finding& finding) const {
    if (finding.kind != FindingKind::deadlock || finding.agent < 0 ||
        !has_operation(finding.agent, finding.operation)) {
      return "";
    }
    const Operation& operation = operation_of(finding.agent, finding.operation);
    return program_.places[index(operation.place)].site.point == machine::Point::cta ? host::detail::let_all_synchronize
                                                                                     : "";
  }

  [[nodiscard]] host::detail::PipelineLetters& pipelines() noexcept { return pipelines_; }
  /// A line for each pipeline that was named.
  [[nodiscard]] std::vector<std::string> legend() const { return pipelines_.lines(); }

  /// A schedule, one step for each move; of a deadlock, then who has ended and who cannot continue.
  [[nodiscard]] Timeline timeline(const std::vector<Event>& schedule, const Finding& finding) {
    Timeline timeline;
    for (const Agent& agent : program_.agents) {
      timeline.agents.push_back(agent.name);
    }
    std::vector<Position> positions(program_.agents.size());
    std::vector<int> arrived(index(program_.named_barriers), 0);
    std::vector<Phase> phases;
    for (const int arrivals : program_.phase_barriers) {
      phases.push_back({arrivals, arrivals});
    }
    for (const Event& event : schedule) {
      const Operation& operation = operation_of(event.agent, event.operation);
      Timeline::Step step{event.agent, mark_of(operation), program_.agents[index(event.agent)].name};
      if (event.is_end_of_copy) {
        step.mark = Timeline::Mark::ends_copy;
        step.text += "'s copy ends";
        step.began = begin_of_copy(schedule, event);
      } else {
        move(event, positions, arrived);
        step.text += ' ' + describe(operation);
        step.is_fault = (event.agent == finding.agent && event.operation == finding.operation) ||
                        (event.agent == finding.other_agent && event.operation == finding.other_operation);
      }
      step.text += phase_of(operation, event.is_end_of_copy, phases);
      timeline.steps.push_back(std::move(step));
    }
    if (finding.kind == FindingKind::deadlock) {
      for (std::size_t agent = 0; agent < positions.size(); ++agent) {
        timeline.steps.push_back(last_step(agent, positions[agent].next));
      }
    }
    timeline.pipelines = legend();
    return timeline;
  }

 private:
  /// Of an agent: its next operation, or the synchronization where it waits for others.
  struct Position {
    std::size_t next = 0;
    bool waits = false;
  };
  struct Phase {
    int expected;
    int pending;
    int bytes = 0;
    int completed = 0;
  };

  [[nodiscard]] static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  [[nodiscard]] bool has_operation(int agent, int operation) const {
    return operation >= 0 && index(operation) < program_.agents[index(agent)].operations.size();
  }
  [[nodiscard]] const Operation& operation_of(int agent, int operation) const {
    return program_.agents[index(agent)].operations[index(operation)];
  }
  /// Whether both accesses of a finding are of tensor memory.
  [[nodiscard]] bool is_of_tensor_memory(const Finding& finding) const {
    return has_operation(finding.agent, finding.operation) && finding.other_agent >= 0 &&
           has_operation(finding.other_agent, finding.other_operation) &&
           operation_of(finding.agent, finding.operation).is_of_tensor_memory() &&
           operation_of(finding.other_agent, finding.other_operation).is_of_tensor_memory();
  }
  /// The agent's last copy, or read of a product, that its own wait ends; -1 where it has none.
  [[nodiscard]] int last_transfer_of(int agent) const {
    const auto& operations = program_.agents[index(agent)].operations;
    int last = static_cast<int>(operations.size()) - 1;
    while (last >= 0 && operations[index(last)].kind != OperationKind::copy_async &&
           operations[index(last)].kind != OperationKind::copy_to_global &&
           operations[index(last)].kind != OperationKind::read_async &&
           operations[index(last)].kind != OperationKind::multiply &&
           operations[index(last)].kind != OperationKind::load_tensor &&
           operations[index(last)].kind != OperationKind::store_tensor &&
           operations[index(last)].kind != OperationKind::copy_to_tensor) {
      --last;
    }
    return last;
  }
  [[nodiscard]] static Timeline::Mark mark_of(const Operation& operation) {
    switch (operation.kind) {
      case OperationKind::sync:
      case OperationKind::wait:
      case OperationKind::await_async:
      case OperationKind::await_async_groups:
      case OperationKind::await_groups:
      case OperationKind::await_group_reads:
      case OperationKind::await_reads:
        return Timeline::Mark::waits;
      case OperationKind::copy_to_shared:
      case OperationKind::copy_async:
      case OperationKind::copy_to_global:
      case OperationKind::arrive_when_copied:
        return Timeline::Mark::copies;
      default:
        return Timeline::Mark::acts;
    }
  }
  /// An agent does an operation. The last one to come to a named barrier lets those go on that wait there.
  void move(const Event& event, std::vector<Position>& positions, std::vector<int>& arrived) const {
    const Operation& operation = operation_of(event.agent, event.operation);
    Position& own = positions[index(event.agent)];
    own.waits = operation.kind == OperationKind::sync;
    own.next = index(event.operation) + (own.waits ? 0 : 1);
    if (!own.waits && operation.kind != OperationKind::arrive) {
      return;
    }
    int& units = arrived[index(operation.barrier)];
    units += operation.units;
    if (units < operation.count) {
      return;
    }
    units = 0;
    for (std::size_t agent = 0; agent < positions.size(); ++agent) {
      Position& other = positions[agent];
      if (other.waits && program_.agents[agent].operations[other.next].barrier == operation.barrier) {
        other = {other.next + 1, false};
      }
    }
  }
  /// Of a deadlock: an agent has ended, or cannot continue.
  [[nodiscard]] Timeline::Step last_step(std::size_t agent, std::size_t next) {
    const auto& list = program_.agents[agent].operations;
    while (next < list.size() && !SegmentedList::is_step(list[next].kind)) {
      ++next;
    }
    Timeline::Step step{static_cast<int>(agent), Timeline::Mark::acts, program_.agents[agent].name + " has ended"};
    if (next < list.size()) {
      step.mark = Timeline::Mark::cannot_continue;
      step.text = program_.agents[agent].name + " cannot continue: it " + describe(list[next]);
      step.is_fault = true;
    }
    return step;
  }
  /// The index of the event that started the copy.
  [[nodiscard]] static int begin_of_copy(const std::vector<Event>& schedule, const Event& end) {
    const auto begin = std::find_if(schedule.begin(), schedule.end(), [&](const Event& event) {
      return event.agent == end.agent && event.operation == end.operation;
    });
    return static_cast<int>(begin - schedule.begin());
  }

  /// The phase that an operation on a phase barrier belongs to, after the moves so far.
  [[nodiscard]] static std::string phase_of(const Operation& operation, bool is_end, std::vector<Phase>& phases) {
    const bool is_of_phase = operation.kind == OperationKind::phase_arrive || operation.kind == OperationKind::expect ||
                             operation.kind == OperationKind::wait || operation.kind == OperationKind::copy_to_shared ||
                             operation.kind == OperationKind::arrive_when_copied;
    if (operation.kind == OperationKind::open) {
      phases[index(operation.barrier)].expected = phases[index(operation.barrier)].pending = operation.count;
    }
    if (!is_of_phase) {
      return "";
    }
    Phase& phase = phases[index(operation.barrier)];
    const int number = phase.completed - (operation.kind == OperationKind::wait ? 1 : 0);
    const bool is_asynchronous =
        operation.kind == OperationKind::copy_to_shared || operation.kind == OperationKind::arrive_when_copied;
    if (is_end == is_asynchronous && operation.kind != OperationKind::wait) {
      phase.bytes += operation.kind == OperationKind::copy_to_shared ? -operation.count : operation.count;
      phase.pending -=
          operation.kind == OperationKind::phase_arrive || operation.kind == OperationKind::arrive_when_copied
              ? operation.units
              : 0;
      phase.expected -= operation.drops ? operation.units : 0;
      if (phase.pending == 0 && phase.bytes == 0) {
        phase.pending = phase.expected;
        ++phase.completed;
      }
    }
    return ", phase " + std::to_string(number);
  }

  /// The first operation that arrives there or waits; null where none does.
  ///
  /// @param number  of a barrier: named ones first, then phase barriers
  [[nodiscard]] const Operation* first_at(int number) const {
    for (const Agent& agent : program_.agents) {
      for (const Operation& operation : agent.operations) {
        const bool is_phase = operation.kind == OperationKind::phase_arrive || operation.kind == OperationKind::wait;
        if ((operation.is_named() && operation.barrier == number) ||
            (is_phase && operation.barrier == number - program_.named_barriers)) {
          return &operation;
        }
      }
    }
    return nullptr;
  }
  [[nodiscard]] std::string name_of_barrier(int number) {
    const Operation* const first = first_at(number);
    return first == nullptr ? "barrier " + std::to_string(number) : place_of(*first);
  }
  /// Of a phase barrier, by who uses it: who opens it does not say what for.
  [[nodiscard]] std::string opened(const Operation& operation) {
    const Operation* const first = first_at(program_.named_barriers + operation.barrier);
    return first == nullptr ? "a barrier that this run does not use" : point_of(*first);
  }

  /// Where statements have lines, that of accesses is of the synchronization behind them, or of the last one.
  [[nodiscard]] std::string act_of(int agent, int number) {
    const Operation& operation = operation_of(agent, number);
    std::string text = describe(operation);
    const std::string line = line_of(operation);
    if (operation.kind == OperationKind::access && host::detail::line_of_statement != nullptr && !line.empty()) {
      text.insert(text.size() - line.size() + 2, has_operation(agent, number + 1) ? "before " : "behind ");
    }
    return text;
  }
  [[nodiscard]] std::string describe(const Operation& operation) {
    switch (operation.kind) {
      case OperationKind::access:
        return std::string(operation.writes == 0  ? "reads "
                           : operation.reads == 0 ? "writes "
                                                  : "reads and writes ") +
               text_of(operation.memory) + line_of(operation);
      case OperationKind::atomic:
        return "accesses memory atomically" + line_of(operation);
      case OperationKind::fence_threads:
      case OperationKind::fence:
        return "fences" + line_of(operation);
      case OperationKind::sync:
        return "arrives and waits for " + place_of(operation);
      case OperationKind::shuffle:
        return "shuffles" + line_of(operation);
      case OperationKind::arrive:
      case OperationKind::phase_arrive:
        return "arrives at " + place_of(operation);
      case OperationKind::open:
        return "opens " + opened(operation) + line_of(operation);
      case OperationKind::close:
        return "closes " + opened(operation) + line_of(operation);
      case OperationKind::expect:
        return (operation.count < 0 ? "completes " : "expects ") + std::to_string(std::abs(operation.count)) +
               " bytes at " + place_of(operation);
      case OperationKind::wait:
        return "waits for " + place_of(operation);
      case OperationKind::copy_to_shared:
      case OperationKind::copy_async:
        return "copies into " + text_of(shared_side(operation)) + line_of(operation);
      case OperationKind::arrive_when_copied:
        return "arrives, when its copies are done, at " + place_of(operation);
      case OperationKind::await_async:
      case OperationKind::await_async_groups:
      case OperationKind::await_groups:
      case OperationKind::await_group_reads:
        return "waits for its copies" + line_of(operation);
      case OperationKind::copy_to_global:
        return "copies out of " + text_of(shared_side(operation)) + line_of(operation);
      case OperationKind::commit_async:
      case OperationKind::commit_group:
        return "commits its copies" + line_of(operation);
      case OperationKind::read_async:
        return "has tensor cores read " + text_of(operation.memory) + line_of(operation);
      case OperationKind::commit_reads:
        return "commits what tensor cores read" + line_of(operation);
      case OperationKind::await_reads:
        return "waits until they have read" + line_of(operation);
      case OperationKind::await_grids:
        return "waits for the grids before" + line_of(operation);
      case OperationKind::use_global:
        return "uses global memory" + line_of(operation) +
               " before cta.grid_dependency_wait(), while the grids before may still use it; call it first, or "
               "synchronize with a thread that has";
      default:
        return describe_tensor_memory(operation);
    }
  }
  [[nodiscard]] std::string describe_tensor_memory(const Operation& operation) {
    switch (operation.kind) {
      case OperationKind::multiply:
        return "has products read " + text_of(shared_side(operation)) + " and write tensor memory" + line_of(operation);
      case OperationKind::arrive_when_multiplied:
        return "arrives, when its products are complete, at " + place_of(operation);
      case OperationKind::load_tensor:
        return "loads tensor memory" + line_of(operation);
      case OperationKind::await_loads:
        return "waits for its loads of tensor memory" + line_of(operation);
      case OperationKind::store_tensor:
        return "stores to tensor memory" + line_of(operation);
      case OperationKind::await_stores:
        return "waits for its stores to tensor memory" + line_of(operation);
      case OperationKind::copy_to_tensor:
        return "copies " + text_of(shared_side(operation)) + " to tensor memory" + line_of(operation);
      case OperationKind::shift_tensor:
        return "shifts rows of tensor memory" + line_of(operation);
      case OperationKind::free_tensor:
        return "frees tensor memory" + line_of(operation);
      case OperationKind::fence_tensor:
        return "fences tensor memory" + line_of(operation);
      default:
        return "";
    }
  }
  /// Of a copy, whose global side may be among its accesses.
  [[nodiscard]] static Memory shared_side(const Operation& operation) {
    return has(operation.memory, Memory::tile) ? Memory::tile : Memory::own_shared;
  }
  [[nodiscard]] std::string place_of(const Operation& operation) { return point_of(operation) + line_of(operation); }
  [[nodiscard]] std::string point_of(const Operation& operation) {
    const machine::Site& site = program_.places[index(operation.place)].site;
    const std::string place = pipelines_.place_of(site);
    return place.empty() ? name_of(site.point) : name_of(site.point) + (", " + place);
  }
  [[nodiscard]] std::string line_of(const Operation& operation) const {
    const std::string line = host::detail::source_line(program_.places[index(operation.place)].caller);
    return line.empty() ? "" : " (" + line + ")";
  }

  const Program& program_;
  host::detail::PipelineLetters pipelines_;
};

}  // namespace dma::inline v0_1::proof::detail
