#pragma once

#include <dma/host/emulation/contexts/exception_state.hpp>
#include <dma/host/emulation/convergence.hpp>
#include <dma/host/emulation/cta_state.hpp>
#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/phase_barriers.hpp>
#include <dma/host/emulation/products/products_under_way.hpp>
#include <dma/host/emulation/reads_under_way.hpp>
#include <dma/host/emulation/waiting_thread.hpp>
#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/host/tensor_cells.hpp>
#include <dma/machine/site.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace dma::inline v0_1::host::detail {

/// What tensor cores do for a thread of an emulated CTA: products that read shared memory on, and tensor memory.
class ReadingThread : public WaitingThread {
 public:
  [[nodiscard]] machine::TensorCells& tensor_cells_of(int rank) final {
    const int index = cta_.shape.index - cluster_rank() + rank;
    return cta_.cluster.ctas[static_cast<std::size_t>(index)]->tensor_cells;
  }
  /// One read from the first piece to the last: PTX, which names pieces, releases no slot in between.
  void read_operand(machine::OperationKind kind, const machine::OperandPieces& operand) final {
    execute({.kind = kind, .count = static_cast<int>(operand.bytes()), .from = operand.first()});
  }

 protected:
  ReadingThread(CtaState& cta, int rank, const std::function<void()>& body)
      : WaitingThread(cta, rank, body, [this] { expect_none_under_way(); }) {}

  /// An instruction of tensor cores; of another kind it is none that the emulator does.
  void execute_reads(const machine::Instruction& instruction) {
    using machine::OperationKind;
    switch (instruction.kind) {
      case OperationKind::read_async:
        return reads_.begin(instruction.from, instruction.count, caller());
      case OperationKind::commit_reads:
        return commit_reads();
      case OperationKind::await_reads:
        return wait_for_reads(instruction);
      case OperationKind::multiply:
      case OperationKind::copy_to_tensor:
        // The other CTA of a pair releases its slots by the same arrival.
        if (instruction.from != nullptr && is_own(instruction.from)) {
          products_.begin(instruction.from, instruction.count, caller());
        }
        return;
      case OperationKind::arrive_when_multiplied:
        cta_.tensor_cells.expect_group(instruction.ctas);
        products_.commit(barrier_of(instruction), instruction.site);
        return step();
      case OperationKind::load_tensor:
        step_together(WarpStep::Kind::load_tensor);
        ++loads_;
        return;
      case OperationKind::await_loads:
        step_together(WarpStep::Kind::await_loads);
        loads_ = 0;
        return;
      case OperationKind::store_tensor:
        return step_together(WarpStep::Kind::store_tensor);
      case OperationKind::await_stores:
        return step_together(WarpStep::Kind::await_stores);
      default:
        return;
    }
  }
  /// The thread has waited for a phase of the barrier.
  void learn_of_products(const void* barrier) { products_.wait(barrier); }
  /// Where an error unwinds the stack, the scopes of slots end too.
  void expect_read(const void* place, int bytes, const char* what) {
    if (!is_unwinding()) {
      reads_.expect_over(place, bytes, what);
      products_.expect_over(place, bytes, what, work());
    }
  }

 private:
  [[nodiscard]] bool is_own(const unsigned char* place) const {
    return reinterpret_cast<std::uintptr_t>(place) - reinterpret_cast<std::uintptr_t>(shared()) < shared_bytes();
  }
  void expect_none_under_way() const {
    reads_.expect_none();
    products_.expect_committed();
    if (loads_ != 0) {
      throw PendingAtExit(
          "dma::TensorMemory: a thread ends while its loads of tensor memory are in flight; wait for them "
          "(tcgen05.wait::ld)");
    }
  }
  void commit_reads() {
    cta_.expect_warpgroup(rank());
    step_together(WarpStep::Kind::commit_reads);
    reads_.commit();
    ++warp().committed_reads[static_cast<std::size_t>(lane())];
    step();
  }
  /// What a warpgroup reads is over when all its threads have begun it.
  void wait_for_reads(const machine::Instruction& wait) {
    cta_.expect_warpgroup(rank());
    step_together(WarpStep::Kind::await_reads, 0, wait.count);
    reads_.wait(wait.count);
    const int complete = warp().committed_reads[static_cast<std::size_t>(lane())] - wait.count;
    if (!wait.is_of_warpgroup || complete <= 0) {
      return step();
    }
    wait_until([this, complete] { return cta_.has_committed_reads(rank(), complete); },
               {.point = machine::Point::each_other});
  }

  ReadsUnderWay reads_;
  ProductsUnderWay products_;
  int loads_ = 0;  ///< of tensor memory, that it has not waited for
};

}  // namespace dma::inline v0_1::host::detail
