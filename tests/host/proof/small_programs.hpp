#pragma once

#include <dma/proof/record/program.hpp>

#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

/// Programs of a few operations, written by hand or at random, for the judges.
namespace small {

using dma::proof::detail::Operation;
using dma::proof::detail::OperationKind;
using dma::proof::detail::Program;
using List = std::vector<Operation>;

// A set of one cell has the cell's number, counted from 1; 0 is no cell.
inline Operation read(int cell) { return {.kind = OperationKind::access, .reads = cell}; }
inline Operation write(int cell) { return {.kind = OperationKind::access, .writes = cell}; }
inline Operation fence() { return {.kind = OperationKind::fence}; }
inline Operation sync(int barrier, int count) {
  return {.kind = OperationKind::sync, .barrier = barrier, .count = count};
}
inline Operation arrive(int barrier, int count) {
  return {.kind = OperationKind::arrive, .barrier = barrier, .count = count};
}
inline Operation phase_open(int barrier, int arrivals) {
  return {.kind = OperationKind::open, .barrier = barrier, .count = arrivals};
}
inline Operation phase_close(int barrier) { return {.kind = OperationKind::close, .barrier = barrier}; }
inline Operation phase_arrive(int barrier, int bytes = 0) {
  return {.kind = OperationKind::phase_arrive, .barrier = barrier, .count = bytes};
}
/// Later phases take one fewer.
inline Operation phase_drop(int barrier) {
  return {.kind = OperationKind::phase_arrive, .barrier = barrier, .drops = true};
}
/// It may not complete the phase.
inline Operation phase_arrive_never_last(int barrier) {
  return {.kind = OperationKind::phase_arrive, .barrier = barrier, .is_never_last = true};
}
/// @param bytes  below 0: that have come
inline Operation expect(int barrier, int bytes) {
  return {.kind = OperationKind::expect, .barrier = barrier, .count = bytes};
}
inline Operation wait(int barrier, int parity) {
  return {.kind = OperationKind::wait, .barrier = barrier, .count = parity};
}
/// @param from  the cell that it reads, of global memory
inline Operation bulk_load(int barrier, int bytes, int cell, int from = 0) {
  return {.kind = OperationKind::copy_to_shared, .barrier = barrier, .count = bytes, .reads = from, .writes = cell};
}
inline Operation copy_async(int cell) { return {.kind = OperationKind::copy_async, .writes = cell}; }
inline Operation arrive_when_copied(int barrier) {
  return {.kind = OperationKind::arrive_when_copied, .barrier = barrier};
}
inline Operation await_async() { return {.kind = OperationKind::await_async}; }
inline Operation commit_async() { return {.kind = OperationKind::commit_async}; }
inline Operation await_async_groups(int pending) {
  return {.kind = OperationKind::await_async_groups, .count = pending};
}
/// @param to  the cell that it writes, of global memory
inline Operation bulk_store(int cell, int to = 0) {
  return {.kind = OperationKind::copy_to_global, .reads = cell, .writes = to};
}
inline Operation commit() { return {.kind = OperationKind::commit_group}; }
inline Operation await_groups(int pending) { return {.kind = OperationKind::await_groups, .count = pending}; }
inline Operation await_group_reads(int pending) { return {.kind = OperationKind::await_group_reads, .count = pending}; }
/// A read by tensor cores, which goes on.
inline Operation read_async(int cell) { return {.kind = OperationKind::read_async, .reads = cell}; }
inline Operation commit_reads() { return {.kind = OperationKind::commit_reads}; }
inline Operation await_reads(int pending) { return {.kind = OperationKind::await_reads, .count = pending}; }

/// @param phases  how many arrivals complete a phase of each phase barrier, 0 where an agent opens it
inline Program program(std::vector<List> agents, int named = 0, std::vector<int> phases = {}, int cells = 2) {
  Program result;
  for (std::size_t i = 0; i < agents.size(); ++i) {
    result.agents.push_back({"agent " + std::to_string(i), std::move(agents[i])});
  }
  result.named_barriers = named;
  result.phase_barriers = std::move(phases);
  result.cells = cells;
  for (int cell = 0; cell < cells; ++cell) {
    result.cell_sets.push_back({cell});
  }
  return result;
}

/// As text that `small::` functions can be written from, for a program that is to be kept.
inline std::string text_of(const Program& program) {
  static constexpr const char* names[] = {"access",
                                          "atomic",
                                          "fence_threads",
                                          "fence",
                                          "sync",
                                          "shuffle",
                                          "arrive",
                                          "open",
                                          "close",
                                          "phase_arrive",
                                          "expect",
                                          "wait",
                                          "copy_to_shared",
                                          "copy_async",
                                          "arrive_when_copied",
                                          "await_async",
                                          "commit_async",
                                          "await_async_groups",
                                          "copy_to_global",
                                          "commit_group",
                                          "await_groups",
                                          "await_group_reads",
                                          "read_async",
                                          "commit_reads",
                                          "await_reads",
                                          "multiply",
                                          "arrive_when_multiplied",
                                          "load_tensor",
                                          "await_loads",
                                          "store_tensor",
                                          "await_stores",
                                          "copy_to_tensor",
                                          "shift_tensor",
                                          "free_tensor",
                                          "fence_tensor",
                                          "await_grids",
                                          "use_global"};
  static_assert(std::size(names) == static_cast<std::size_t>(OperationKind::use_global) + 1);
  std::string text;
  for (const auto& agent : program.agents) {
    text += agent.name + ":";
    for (const Operation& operation : agent.operations) {
      text += std::string(" ") + names[static_cast<int>(operation.kind)] + "(b" + std::to_string(operation.barrier) +
              " n" + std::to_string(operation.count) + " r" + std::to_string(operation.reads) + " w" +
              std::to_string(operation.writes) + (operation.drops ? " drops" : "") +
              (operation.is_never_last ? " never last" : "") + ")";
    }
    text += '\n';
  }
  text += "named " + std::to_string(program.named_barriers) + ", phases";
  for (const int arrivals : program.phase_barriers) {
    text += ' ';
    text += std::to_string(arrivals);
  }
  return text + '\n';
}

}  // namespace small
