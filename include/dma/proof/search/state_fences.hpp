#pragma once

#include <dma/proof/record/program.hpp>
#include <dma/proof/search/proxy_accesses.hpp>
#include <dma/proof/search/state_conflicts.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Finds bulk copies that no proxy fence separates from earlier accesses through the generic proxy, when all states
/// were reached without another fault.
///
/// An operation precedes that of another agent under every schedule where no state has the one agent up to the first
/// operation and the other at the second. A fence serves that follows the access so, and that the bulk copy follows so.
class StateFences : public StateConflicts {
 public:
  explicit StateFences(const Program& program) : StateConflicts(program) {
    bool has_fences = false;
    bool has_bulk = false;
    bool has_tied = false;
    for (const Agent& agent : program.agents) {
      for (const Operation& operation : agent.operations) {
        has_fences = has_fences || operation.kind == OperationKind::fence;
        has_bulk = has_bulk || operation.kind == OperationKind::copy_to_shared ||
                   operation.kind == OperationKind::copy_to_global || operation.kind == OperationKind::read_async;
        has_tied = has_tied || operation.kind == OperationKind::arrive_when_copied;
      }
    }
    if (has_bulk && has_fences && has_tied) {
      copying_beside_own_ = copying_beside_others_ = together_;
    }
    is_needed_ = has_bulk && fits();
  }

  /// A bulk copy without its fence.
  struct Unfenced {
    std::size_t list;
    std::size_t segment;
    int operation;
    bool is_step;
  };
  /// @pre Every state was reached.
  [[nodiscard]] std::optional<Unfenced> unfenced_copy();
  /// Whether an agent is where it starts this copy.
  [[nodiscard]] bool is_at(const Word* state, std::size_t index, const Unfenced& copy) const {
    return agents_[index].list == copy.list && position(state, index) == copy.segment;
  }
  void fail_at_copy(std::size_t index, const Unfenced& copy) {
    fail(FindingKind::missing_fence, index, copy.operation);
  }

 private:
  using At = ProxyAccesses::At;
  using Generic = ProxyAccesses::Generic;

  [[nodiscard]] const ProxyAccesses& accesses_of(std::size_t index) const { return accesses_[agents_[index].list]; }
  [[nodiscard]] std::size_t first_segment_beside(std::size_t list, std::size_t other_list, int other_segment);
  [[nodiscard]] bool precedes(std::size_t index, At at, std::size_t other, At other_at);
  [[nodiscard]] bool is_over(std::size_t index, const Generic& access, std::size_t other, At other_at);
  [[nodiscard]] bool lacks_fence(std::size_t index, const ProxyAccesses::Bulk& copy);

  bool is_needed_ = false;
  std::vector<ProxyAccesses> accesses_;  ///< of each list
  std::vector<int> first_beside_;        ///< of each list beside each position, -1 where it was not asked for
};

inline std::optional<StateFences::Unfenced> StateFences::unfenced_copy() {
  if (!is_needed_) {
    return std::nullopt;
  }
  first_beside_.assign(lists_.size() * positions_, -1);
  std::vector<std::size_t> models(lists_.size());  // of each list, the last agent that has it
  for (std::size_t index = 0; index < agents_.size(); ++index) {
    models[agents_[index].list] = index;
  }
  for (const std::size_t model : models) {
    accesses_.emplace_back(program_, program_.agents[static_cast<std::size_t>(agents_[model].agent)].operations);
  }
  for (const std::size_t model : models) {
    for (const ProxyAccesses::Bulk& copy : accesses_of(model).bulk) {
      if (lacks_fence(model, copy)) {
        return Unfenced{agents_[model].list, static_cast<std::size_t>(copy.at.segment), copy.at.number, copy.is_step};
      }
    }
  }
  return std::nullopt;
}

/// The first segment of an agent while another one is in this segment.
inline std::size_t StateFences::first_segment_beside(std::size_t list, std::size_t other_list, int other_segment) {
  const std::size_t other_at = first_position_[other_list] + static_cast<std::size_t>(other_segment);
  int& first = first_beside_[list * positions_ + other_at];
  if (first < 0) {
    const auto begin = together_.begin() + static_cast<std::ptrdiff_t>(other_at * positions_ + first_position_[list]);
    const auto end = begin + static_cast<std::ptrdiff_t>(lists_[list].segments.size());
    first = static_cast<int>(std::find(begin, end, 1) - begin);
  }
  return static_cast<std::size_t>(first);
}

inline bool StateFences::precedes(std::size_t index, At at, std::size_t other, At other_at) {
  if (at.number == ProxyAccesses::never) {
    return false;
  }
  return index == other ? at.number < other_at.number
                        : static_cast<std::size_t>(at.segment) <
                              first_segment_beside(agents_[index].list, agents_[other].list, other_at.segment);
}

/// Whether an access precedes this, and is complete there where it is a cp.async.
inline bool StateFences::is_over(std::size_t index, const Generic& access, std::size_t other, At other_at) {
  if (!access.is_copy || precedes(index, access.awaited, other, other_at)) {
    return precedes(index, access.at, other, other_at);
  }
  const std::vector<char>& beside = index == other ? copying_beside_own_ : copying_beside_others_;
  return precedes(index, access.tied, other, other_at) &&
         beside[pair(agents_[index].list, static_cast<std::size_t>(access.tied.segment), agents_[other].list,
                     static_cast<std::size_t>(other_at.segment))] == 0;
}

inline bool StateFences::lacks_fence(std::size_t index, const ProxyAccesses::Bulk& copy) {
  std::vector<std::optional<At>> fences;  // of each agent, the last one before the copy
  for (std::size_t other = 0; other < agents_.size(); ++other) {
    const std::vector<At>& all = accesses_of(other).fences;
    const auto behind =
        std::partition_point(all.begin(), all.end(), [&](At fence) { return precedes(other, fence, index, copy.at); });
    fences.push_back(behind == all.begin() ? std::nullopt : std::optional(*(behind - 1)));
  }
  for (std::size_t other = 0; other < agents_.size(); ++other) {
    for (const Generic& access : accesses_of(other).generic) {
      const bool meets =
          access.writes.meets(copy.reads) || access.writes.meets(copy.writes) || access.reads.meets(copy.writes);
      if (!meets || !precedes(other, access.at, index, copy.at)) {
        continue;
      }
      bool is_fenced = false;
      for (std::size_t fencing = 0; fencing < agents_.size() && !is_fenced; ++fencing) {
        is_fenced = fences[fencing] && is_over(other, access, fencing, *fences[fencing]);
      }
      if (!is_fenced) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace dma::inline v0_1::proof::detail
