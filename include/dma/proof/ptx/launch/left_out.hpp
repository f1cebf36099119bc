#pragma once

#include <dma/proof/finding.hpp>
#include <dma/proof/ptx/launch_state.hpp>
#include <dma/proof/ptx/products/mma_instructions.hpp>
#include <dma/proof/ptx/products/product_instructions.hpp>
#include <dma/proof/ptx/products/tensor_product_instructions.hpp>
#include <dma/proof/ptx/program.hpp>
#include <dma/proof/verdict.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// Whether a program has products, without whose values a proof may do. Atomic accesses, whose order may be in them,
/// are refused where they are executed.
[[nodiscard]] inline bool may_leave_out(const Program& program) {
  return std::any_of(program.codes.begin(), program.codes.end(), [](const Code& code) {
    return std::any_of(code.instructions.begin(), code.instructions.end(), [](const Instruction& instruction) {
      return instruction.execute == &MmaInstructions::multiply ||
             instruction.execute == &ProductInstructions::multiply ||
             instruction.execute == &TensorProductInstructions::multiply;
    });
  });
}
/// Whether a launch whose products were left out has the verdict that it has with them.
///
/// A proof has: what is without races, atomic accesses and polls computes the same in each run, so that its outputs
/// have nothing to be compared for. Of a finding the values may be a part, and of which warps store one value.
[[nodiscard]] inline bool is_final(const Verdict& verdict, const LaunchState& state,
                                   const std::vector<std::vector<std::byte>>& left) {
  return verdict.kind == FindingKind::out_of_time || (verdict.is_proved() && verdict.reservation.empty() &&
                                                      verdict.executions == 0 && left.empty() && !state.one_value);
}

}  // namespace dma::inline v0_1::proof::ptx::detail
