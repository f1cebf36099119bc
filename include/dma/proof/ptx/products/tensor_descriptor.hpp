#pragma once

#include <dma/proof/ptx/lane.hpp>

#include <cstdint>
#include <string>

namespace dma::inline v0_1::proof::ptx::detail {

/// A descriptor of shared memory for tensor memory's instructions: with its constant, and without a base offset and
/// modes that are not understood.
///
/// Source  PTX ISA, "Shared Memory Descriptor" of tcgen05
[[nodiscard]] inline std::uint64_t tensor_descriptor(Lane& lane, const Instruction& i, int source, const char* what) {
  const std::uint64_t descriptor = lane.known(i, source, what);
  constexpr std::uint64_t constant = std::uint64_t{1} << 46U;
  constexpr std::uint64_t fixed = ((std::uint64_t{1} << 62U) - 1) & ~((std::uint64_t{1} << 46U) - 1);
  if ((descriptor & fixed) != constant) {
    lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood with " + what + " that it has");
  }
  return descriptor;
}

}  // namespace dma::inline v0_1::proof::ptx::detail
