#pragma once

#include <dma/machine/site.hpp>
#include <dma/machine/source_location.hpp>

#include <string>
#include <tuple>
#include <vector>

namespace dma::host {

/// What an agent of a program does, as far as other agents can tell.
enum class OperationKind : unsigned char {
  access,              ///< reads and writes cells by ordinary loads and stores
  fence,               ///< `fence.proxy.async`: bulk copies see what this agent wrote before
  sync,                ///< arrives at a named barrier and waits for its generation
  arrive,              ///< arrives at a named barrier
  open,                ///< makes a phase barrier of `count` arrivals
  close,               ///< gives it up
  phase_arrive,        ///< `units` arrivals, after announcing `count` bytes
  expect,              ///< announces `count` bytes
  wait,                ///< until the latest phase that is complete has the parity `count`
  copy_to_shared,      ///< a bulk copy of `count` bytes, of which its barrier hears when they are there
  copy_async,          ///< a cp.async
  arrive_when_copied,  ///< `units` arrivals when the agent's cp.async so far are complete
  await_async,         ///< until the agent's cp.async are complete
  copy_to_global,      ///< a bulk copy in the agent's open group
  commit_group,        ///< closes the group
  await_groups,        ///< until at most `count` of the agent's groups are under way
};

struct Operation {
  OperationKind kind;
  int barrier = 0;     ///< which named or phase barrier
  int count = 0;       ///< units of a named generation, arrivals, bytes, parity or groups: as the kind says
  int units = 1;       ///< threads that it stands for
  int reads = 0;       ///< a cell set
  int writes = 0;      ///< a cell set
  int place = 0;       ///< of the program's places; no part of what the operation does
  unsigned lanes = 0;  ///< of a warp, which lanes do it; no part of it either

  [[nodiscard]] auto meaning() const { return std::tie(kind, barrier, count, units, reads, writes); }
};

/// Where an operation comes from, for a message.
struct Place {
  machine::Site site;
  machine::SourceLocation caller;
};

/// A thread, or a warp whose lanes are together.
struct Agent {
  std::string name;
  std::vector<Operation> operations;
};

/// What the agents of a CTA do: for each a list of operations, the same under every schedule.
///
/// Shared memory is a number of cells, bytes that no operation tells apart.
struct Program {
  std::vector<Agent> agents;
  int named_barriers = 0;
  /// How many arrivals complete a phase of each phase barrier; 0 of one that an agent opens.
  std::vector<int> phase_barriers;
  int cells = 0;
  std::vector<std::vector<int>> cell_sets{{}};  ///< the first is empty
  std::vector<Place> places{{}};
};

}  // namespace dma::host
