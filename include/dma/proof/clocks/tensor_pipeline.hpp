#pragma once

#include <dma/machine/host/instruction.hpp>
#include <dma/proof/record/program.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Which products, copies to tensor memory and shifts of a thread come in its order, without a wait.
///
/// Source  PTX ISA, "Pipelined tcgen05 Instructions"
class TensorPipeline {
 public:
  /// Whether one operation of a thread follows an earlier one, or others between them that do.
  [[nodiscard]] static bool has_order(const std::vector<Operation>& operations, std::size_t earlier,
                                      std::size_t later) {
    if (follows(operations[later], operations[earlier])) {
      return true;
    }
    if (!is_member(operations[later]) || !is_member(operations[earlier])) {
      return false;
    }
    std::vector<const Operation*> known{&operations[earlier]};
    for (std::size_t i = earlier + 1; i < later; ++i) {
      const Operation& operation = operations[i];
      const bool is_known = std::any_of(known.begin(), known.end(), [&](const Operation* other) {
        return other->kind == operation.kind && other->writes == operation.writes && other->count == operation.count;
      });
      if (!is_known && follows_any(operation, known)) {
        known.push_back(&operation);
      }
    }
    return follows_any(operations[later], known);
  }

 private:
  [[nodiscard]] static bool is_member(const Operation& operation) {
    return operation.kind == OperationKind::multiply || operation.kind == OperationKind::copy_to_tensor ||
           operation.kind == OperationKind::shift_tensor;
  }
  /// Products into the same sums; copies and shifts, then products; products, then shifts; shifts, then some copies.
  [[nodiscard]] static bool follows(const Operation& later, const Operation& earlier) {
    using machine::Instruction;
    switch (later.kind) {
      case OperationKind::multiply:
        return is_member(earlier) && (earlier.kind != OperationKind::multiply || earlier.writes == later.writes);
      case OperationKind::shift_tensor:
        return earlier.kind == OperationKind::multiply;
      case OperationKind::copy_to_tensor:
        return (earlier.kind == OperationKind::shift_tensor && (later.count & Instruction::behind_shifts) != 0) ||
               (earlier.kind == OperationKind::multiply && (later.count & Instruction::behind_products) != 0);
      default:
        return false;
    }
  }
  [[nodiscard]] static bool follows_any(const Operation& later, const std::vector<const Operation*>& known) {
    return std::any_of(known.begin(), known.end(), [&](const Operation* earlier) { return follows(later, *earlier); });
  }
};

}  // namespace dma::inline v0_1::proof::detail
