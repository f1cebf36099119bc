#pragma once

#include <dma/host/emulation/line_of.hpp>
#include <dma/proof/ptx/instruction.hpp>
#include <dma/proof/ptx/program.hpp>

#include <deque>
#include <string>

namespace dma::inline v0_1::proof::ptx::detail {

/// Messages name the lines of these programs, as long as this lives.
class Naming {
 public:
  explicit Naming(const std::deque<Program>& programs) {
    running = &programs;
    host::detail::line_of_statement = [](const void* statement) {
      for (const Program& program : *running) {
        if (const Instruction* const instruction = program.instruction_at(statement); instruction != nullptr) {
          return program.text_of(*instruction);
        }
      }
      return std::string();
    };
  }
  ~Naming() {
    running = nullptr;
    host::detail::line_of_statement = nullptr;
  }
  Naming(const Naming&) = delete;
  Naming& operator=(const Naming&) = delete;

 private:
  static inline const std::deque<Program>* running = nullptr;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
