#pragma once

#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/machine/host/instruction.hpp>
#include <dma/machine/scope.hpp>
#include <dma/machine/site.hpp>
#include <dma/proof/record/shared_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

namespace dma::inline v0_1::proof::detail {

using machine::OperationKind;

struct Operation {
  static constexpr int of_openings = 1;  ///< `count` of a fence between proxies that is for phase barriers' words alone
  /// `count` of such a fence that is one between threads: for accesses to its CTA's shared memory, before an arrival
  /// that is relaxed, and for those to the cluster's, behind such a wait.
  static constexpr int releases_shared = 2;
  static constexpr int acquires_shared = 3;
  static constexpr int unread = 4;  ///< in `count` of an atomic whose result is not read: it acquires nothing

  OperationKind kind;
  Memory memory = Memory::tile;  ///< that it accesses; not part of its meaning
  std::uint16_t ctas = 0;        ///< bits by rank: whose shared memory or barrier it uses, where not its own alone
  int barrier = 0;               ///< which named or phase barrier
  /// Threads of a named barrier, arrivals, bytes, parity or groups, by kind. Of an atomic, or a fence between threads,
  /// 1 where it acquires and 2 where it releases, added. Of a fence between proxies, what it is for. Of a copy to
  /// tensor memory, `machine::Instruction::order`.
  int count = 0;
  int units = 1;                ///< threads that do it: more than 1 for an agent that is a warp
  int reads = 0;                ///< a cell set
  int writes = 0;               ///< a cell set
  bool adds : 1 = false;        ///< of a copy to memory, as one atomic access of each element
  bool is_generic : 1 = false;  ///< of a copy to shared memory: through the generic proxy, as ordinary stores
  machine::Ordered ordered = machine::Ordered::in_cta;  ///< by an arrival at a phase barrier, or a wait
  bool is_relaxed : 1 = false;                          ///< of these: it orders nothing by itself
  bool drops : 1 = false;          ///< of an arrival at a phase barrier: later phases take `units` fewer
  bool is_never_last : 1 = false;  ///< of such an arrival: it may not complete the phase
  Scope scope = Scope::system;     ///< of an atomic, or a fence between threads
  int place = 0;                   ///< index of its source location; not part of its meaning
  unsigned lanes = 0;              ///< the lanes of the warp that do it; not part of its meaning
  /// Of an atomic: the write of its location that it reads, 0 for the first value, -1 where it reads none; and its own
  /// one's number from 1 on, 0 where it writes none. Not part of its meaning.
  int from = 0;
  int write = 0;
  int seen_first = 0;  ///< its instructions in `Recording::seen`; not part of its meaning
  int seen_last = 0;   ///< one behind the last
  int together = -1;   ///< index in `Program::together` of lanes that do it together; -1 where none are taken to

  /// Of a phase barrier.
  [[nodiscard]] static Operation at_phase(int barrier, const machine::Instruction& instruction) {
    return {.kind = instruction.kind,
            .barrier = barrier,
            .count = instruction.count,
            .ordered = instruction.ordered,
            .is_relaxed = instruction.is_relaxed,
            .drops = instruction.drops,
            .is_never_last = instruction.is_never_last};
  }
  [[nodiscard]] auto meaning() const {
    return std::tuple(kind, barrier, count, units, reads, writes, bool{adds}, bool{is_generic}, ordered,
                      bool{is_relaxed}, bool{drops}, bool{is_never_last}, scope);
  }
  /// Whether a search of the warps' schedules has it. There lanes are converged, and global memory is not judged.
  [[nodiscard]] bool is_searched() const {
    return kind != OperationKind::shuffle && kind != OperationKind::await_grids && kind != OperationKind::use_global;
  }
  /// Whether it is an access of tensor memory, of products beside their operands.
  [[nodiscard]] bool is_of_tensor_memory() const {
    return kind == OperationKind::multiply || kind == OperationKind::load_tensor ||
           kind == OperationKind::store_tensor || kind == OperationKind::copy_to_tensor ||
           kind == OperationKind::shift_tensor || kind == OperationKind::free_tensor;
  }
  /// Whether its barrier is a named one.
  [[nodiscard]] bool is_named() const {
    return kind == OperationKind::sync || kind == OperationKind::shuffle || kind == OperationKind::arrive;
  }
  /// Whether it orders threads of several CTAs.
  [[nodiscard]] bool crosses_ctas() const { return ordered != machine::Ordered::in_cta; }
  /// Whether it has no race with others of which this is true.
  [[nodiscard]] bool is_atomic() const { return kind == OperationKind::atomic || adds; }
};

/// A `fence.sc` that is before another one in the order of all of them: each by its agent and its number there.
struct OrderedFences {
  std::size_t first_agent;
  std::size_t first;
  std::size_t last_agent;
  std::size_t last;
};

/// The source of an operation, for a message.
struct Place {
  machine::Site site;
  machine::SourceLocation caller;
};

/// A thread, or a warp whose lanes are converged.
struct Agent {
  std::string name;
  std::vector<Operation> operations;
  int cta = 0;  ///< its index among those that run together
};

/// The operations of each agent of a CTA, or of all CTAs of a cluster or a grid. They are the same under every
/// schedule.
///
/// Shared memory is divided into cells: a cell is the bytes that the same operations write.
struct Program {
  static constexpr int global = -1;
  static constexpr std::size_t warpgroup = 128;  ///< threads

  std::vector<Agent> agents;
  int ctas = 1;     ///< that run together
  int cluster = 1;  ///< CTAs of each cluster
  int named_barriers = 0;
  /// The arrivals that complete a phase of each phase barrier; 0 where an agent opens it.
  std::vector<int> phase_barriers;
  int cells = 0;
  int atomics = 0;                   ///< locations of atomic accesses, by which these have their `barrier`
  std::vector<int> memory_of_cells;  ///< the index of a CTA, whose shared memory it is, or `global`; empty: all 0
  std::vector<std::vector<int>> cell_sets{{}};  ///< the first is empty
  std::vector<OrderedFences> ordered_fences = {};
  std::vector<int> together = {};     ///< how many lanes of a warp do an operation together
  bool leaves_pending = false;        ///< arrivals, and reads of bulk stores, may be pending at the end
  bool waits_for_warpgroups = false;  ///< a wait for asynchronous reads is for those of a warpgroup
  std::vector<Place> places{{}};
  host::detail::PipelineLetters pipelines = {};
  /// Whether two accesses without an order, which write the same bytes, are one instruction of a warp that stores one
  /// value; empty where none is.
  std::function<bool(int agent, const Operation&, int other_agent, const Operation&)> is_one_store = {};
};

}  // namespace dma::inline v0_1::proof::detail
