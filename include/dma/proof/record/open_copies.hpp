#pragma once

#include <dma/machine/host/instruction.hpp>
#include <dma/machine/site.hpp>
#include <dma/proof/record/byte_ranges.hpp>
#include <dma/proof/record/cta_log.hpp>
#include <dma/proof/record/program.hpp>

#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// An operation that has no place yet.
struct Announced {
  Operation operation;
  machine::Site site;
  machine::SourceLocation caller;
};

/// Consecutive copies of one kind, or reads of tensor cores, which are one operation.
class OpenCopies {
  bool is_begun_ = false;  ///< in front: each access asks for it

 public:
  [[nodiscard]] bool any() const { return is_begun_; }
  [[nodiscard]] bool are(OperationKind kind, int barrier, bool adds) const {
    return any() && operation.kind == kind && operation.barrier == barrier && operation.adds == adds;
  }
  void begin(OperationKind kind, int barrier, bool adds, const machine::SourceLocation& from) {
    operation = {.kind = kind, .barrier = barrier, .adds = adds};
    caller = from;
    is_begun_ = true;
  }
  /// @param columns  of tensor memory, the same for all
  /// @param read     likewise, beside those of loads
  /// @param order    of a copy to tensor memory
  void add_tensor(const ByteRanges& columns, const ByteRanges& read, int order) {
    tensor = columns;
    tensor_operands.insert(tensor_operands.end(), read.begin(), read.end());
    operation.count = order;
  }
  /// Moves what they read and write to these, which are empty.
  void take(Accesses& of_shared, Accesses& of_global, CtaLog& cta) {
    if (!operands.empty()) {
      const ByteRanges& bytes = cta.operands().bytes_of(operands, cta.shared());
      shared.insert(shared.end(), bytes.begin(), bytes.end());
      operands.clear();
    }
    const bool is_store = operation.kind == OperationKind::copy_to_global;
    const bool reads_shared = is_store || operation.kind == OperationKind::read_async ||
                              operation.kind == OperationKind::multiply ||
                              operation.kind == OperationKind::copy_to_tensor;
    (reads_shared ? of_shared.reads : of_shared.writes).swap(shared);
    (is_store ? of_global.writes : of_global.reads).swap(global);
    ByteRanges& columns = operation.kind == OperationKind::load_tensor ? of_shared.reads : of_shared.writes;
    columns.insert(columns.end(), tensor.begin(), tensor.end());
    of_shared.reads.insert(of_shared.reads.end(), tensor_operands.begin(), tensor_operands.end());
    tensor.clear();
    tensor_operands.clear();
    is_begun_ = false;
    of_shared.make_tidy();
    of_global.make_tidy();
  }

  Operation operation{.kind = OperationKind::copy_async};
  machine::Site site{.who = machine::Who::dma_warps};
  machine::SourceLocation caller;
  ByteRanges shared;  ///< of shared memory, but those of operands
  std::vector<machine::OperandPieces> operands;
  ByteRanges global;           ///< the other side, where every access is seen
  ByteRanges tensor;           ///< of tensor memory, as `SharedLayout` numbers it
  ByteRanges tensor_operands;  ///< likewise, that products read there
  CtaLog::Copies by;
};

}  // namespace dma::inline v0_1::proof::detail
