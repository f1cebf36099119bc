#pragma once

#include <dma/proof/ptx/launch/arrays.hpp>
#include <dma/proof/ptx/launch/numbers.hpp>
#include <dma/proof/ptx/program.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// Arrays whose elements are larger than all that the program's loads and stores access of them: PTX has no type behind
/// a pointer, so that an array of another type than the kernel's is not refused. An instruction is taken for the array
/// that it accessed first.
[[nodiscard]] inline std::vector<std::string> element_remarks(const Program& program, Arrays& arrays) {
  std::vector<std::string> remarks;
  for (const Array& array : arrays.all()) {
    const auto first = reinterpret_cast<std::uintptr_t>(array.bytes.data());
    const Instruction* largest = nullptr;
    for (const Code& code : program.codes) {
      for (const Instruction& instruction : code.instructions) {
        const bool is_of_it = instruction.first_address - first < array.bytes.size();
        if (is_of_it && (largest == nullptr || largest->bytes < instruction.bytes)) {
          largest = &instruction;
        }
      }
    }
    if (largest != nullptr && largest->bytes < array.type.bytes) {
      remarks.push_back(array.name + " has elements of " + std::to_string(array.type.bytes) + " bytes (" +
                        name_of(array.type) + "), and the kernel accesses " + std::to_string(largest->bytes) +
                        " of them at a time (" + program.text_of(*largest) +
                        "); give it the type of the kernel's parameter, which PTX does not have");
    }
  }
  return remarks;
}

}  // namespace dma::inline v0_1::proof::ptx::detail
