#pragma once

#include <dma/proof/ptx/atomics.hpp>
#include <dma/proof/ptx/instruction.hpp>
#include <dma/proof/ptx/module.hpp>
#include <dma/proof/ptx/program.hpp>
#include <dma/proof/ptx/values/conversions.hpp>
#include <dma/proof/ptx/values/floats.hpp>
#include <dma/proof/ptx/values/integers.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// A row of the table of instructions that are no values: the words that it begins with, and what executes it.
struct InstructionRow {
  std::string_view name;    ///< the first word
  std::string_view second;  ///< a modifier that it has; empty: any
  Instruction::Kind kind;
  Execute execute;
  bool (*takes)(const Statement&) = nullptr;  ///< whether it is of a statement; null: of each one
  void (*prepare)(Instruction&) = nullptr;    ///< takes from the statement what `execute` needs at each execution
};

/// Makes instructions of the statements of one function.
class Decoder {
 public:
  /// @param rows  looked through in their order
  Decoder(const Program& program, const Code& code, const InstructionRow* rows, std::size_t row_count)
      : program_(program), code_(code), rows_(rows), row_count_(row_count) {}

  [[nodiscard]] std::vector<Instruction> decode() {
    std::vector<int> first_of;
    for (const Statement& statement : code_.function->statements) {
      first_of.push_back(static_cast<int>(out_.size()));
      statement_ = &statement;
      decode_statement();
    }
    first_of.push_back(static_cast<int>(out_.size()));
    out_.push_back({.kind = Instruction::Kind::leave});
    for (Instruction& instruction : out_) {
      if (instruction.kind == Instruction::Kind::branch && instruction.target >= 0) {
        instruction.target = first_of[static_cast<std::size_t>(instruction.target)];
      }
    }
    mark_answers();
    list_registers();
    return std::move(out_);
  }

 private:
  using Kind = Instruction::Kind;

  [[nodiscard]] Instruction blank() const {
    Instruction instruction;
    instruction.guard = statement_->guard;
    instruction.guard_is_negated = statement_->guard_is_negated;
    instruction.place = statement_->place;
    instruction.statement = statement_;
    return instruction;
  }
  void decode_statement() {
    const std::string_view name = statement_->name();
    if (name == "bra") {
      Instruction branch = blank();
      branch.kind = Kind::branch;
      branch.target = statement_->operands.empty() || statement_->operands[0].kind != Operand::Kind::label
                          ? -1
                          : statement_->operands[0].index;
      if (branch.target < 0) {
        branch.kind = Kind::not_understood;
      }
      out_.push_back(std::move(branch));
      return;
    }
    if (name == "ret" || name == "exit") {
      Instruction leave = blank();
      leave.kind = Kind::leave;
      leave.mode = name == "exit" ? 1 : 0;
      out_.push_back(std::move(leave));
      return;
    }
    if (name == "call") {
      return decode_call();
    }
    for (std::size_t i = 0; i < row_count_; ++i) {
      const InstructionRow& row = rows_[i];
      if (row.name == name && (row.second.empty() || statement_->has(row.second)) &&
          (row.takes == nullptr || row.takes(*statement_))) {
        return decode_row(row);
      }
    }
    decode_value();
  }

  void decode_call() {
    Instruction call = blank();
    std::vector<const Operand*> lists;
    for (const Operand& operand : statement_->operands) {
      if (operand.kind == Operand::Kind::function) {
        call.target = program_.module->function_of.at(operand.name);
      } else if (operand.kind == Operand::Kind::call_arguments) {
        lists.push_back(&operand);
      }
    }
    if (call.target >= 0 && program_.module->functions[static_cast<std::size_t>(call.target)].has_body) {
      call.kind = Kind::call;
      // Results come first; where there is one list alone, its place tells.
      const bool has_results =
          !statement_->operands.empty() && lists.size() > 0 && lists[0] == &statement_->operands[0];
      for (std::size_t list = 0; list < lists.size(); ++list) {
        for (const Operand& part : lists[list]->parts) {
          const Source source = source_of(part, {Type::Kind::bits, 8});
          if (list == 0 && has_results) {
            call.results.push_back(static_cast<int>(source.bits));
          } else {
            call.list.push_back(source);
          }
        }
      }
    }
    if (call.kind != Kind::call) {
      take_function_of_system(call);
    }
    out_.push_back(std::move(call));
  }

  /// Of the functions that a GPU's driver has: what prints does nothing here, and a failed assertion is a trap.
  void take_function_of_system(Instruction& call) const {
    for (const Operand& operand : statement_->operands) {
      if (operand.name == "vprintf") {
        call.kind = Kind::nothing;
      }
      for (std::size_t i = 0; operand.name == "__assertfail" && i < row_count_; ++i) {
        if (rows_[i].name == "trap") {
          call.kind = rows_[i].kind;
          call.execute = rows_[i].execute;
        }
      }
    }
  }

  void decode_row(const InstructionRow& row) {
    Instruction instruction = blank();
    instruction.kind = row.kind;
    instruction.execute = row.execute;
    take_space(instruction);
    const std::vector<Type> types = statement_->types();
    const Type type = types.empty() ? Type{Type::Kind::bits, 4} : types.back();
    instruction.bytes = type.bytes;
    instruction.is_signed = type.is_signed();
    take_order(instruction, *statement_);
    if (statement_->name() == "atom" || statement_->name() == "red") {
      take_change(instruction, *statement_);
    }
    instruction.is_product = statement_->has("mma_async");
    take_operands(instruction, type);
    if (row.prepare != nullptr) {
      row.prepare(instruction);
    }
    out_.push_back(std::move(instruction));
  }
  void take_space(Instruction& instruction) const {
    const auto has = [&](std::string_view word) { return statement_->has(word); };
    instruction.space = has("shared") || has("shared::cta") || has("shared::cluster") ? Space::shared
                        : has("global")                                               ? Space::global
                        : has("local")                                                ? Space::local
                        : has("param") || has("param::entry") || has("param::func")   ? Space::parameter
                        : has("const")                                                ? Space::constant
                                                                                      : Space::generic;
  }
  /// Registers that come first are results where the instruction begins with one; the first address is `source[0]`,
  /// and everything else follows in `source`, or in `list` where it is in brackets.
  void take_operands(Instruction& instruction, const Type& type) {
    std::vector<Source> sources;
    for (std::size_t i = 0; i < statement_->operands.size(); ++i) {
      const Operand& operand = statement_->operands[i];
      const bool is_result =
          i == 0 && operand.kind != Operand::Kind::memory && instruction.kind != Kind::nothing && begins_with_result();
      if (is_result) {
        take_results(instruction, operand);
      } else if (operand.kind == Operand::Kind::list) {
        for (const Operand& part : operand.parts) {
          instruction.list.push_back(source_of(part, type));
        }
      } else if (operand.kind == Operand::Kind::memory) {
        const Operand& base = operand.parts.empty() ? operand : operand.parts[0];
        Source address = source_of(base, {Type::Kind::bits, 8});
        if (address.kind == Source::Kind::reg) {
          address.bits = static_cast<std::uint64_t>(base.offset);
        }
        sources.push_back(address);
        for (std::size_t part = 1; part < operand.parts.size(); ++part) {
          if (operand.parts[part].kind == Operand::Kind::list) {
            for (const Operand& coordinate : operand.parts[part].parts) {
              instruction.list.push_back(source_of(coordinate, {Type::Kind::signed_integer, 4}));
            }
          }
        }
      } else {
        sources.push_back(source_of(operand, type));
      }
    }
    instruction.sources = static_cast<int>(std::min(sources.size(), instruction.source.size()));
    for (int i = 0; i < instruction.sources; ++i) {
      instruction.source[static_cast<std::size_t>(i)] = sources[static_cast<std::size_t>(i)];
    }
    if (sources.size() > instruction.source.size()) {
      instruction.list.insert(instruction.list.end(), sources.begin() + 4, sources.end());
    }
  }
  [[nodiscard]] bool begins_with_result() const {
    const std::string_view name = statement_->name();
    if (name == "bar" || name == "barrier") {
      return statement_->has("red");
    }
    return name != "st" && name != "red" && name != "cp" && name != "nanosleep" && name != "stmatrix" &&
           !(name == "wgmma" && statement_->has("wait_group")) && !(name == "wmma" && statement_->has("store")) &&
           !(name == "tcgen05" && statement_->has("dealloc"));
  }
  void take_results(Instruction& instruction, const Operand& operand) const {
    if (operand.kind == Operand::Kind::reg) {
      instruction.result = operand.index;
      instruction.result_bytes = bytes_of(operand.index);
    } else if (operand.kind == Operand::Kind::pair) {
      instruction.result = operand.parts[0].kind == Operand::Kind::reg ? operand.parts[0].index : -1;
      instruction.result_bytes = instruction.result < 0 ? 0 : bytes_of(instruction.result);
      instruction.second_result = operand.parts[1].kind == Operand::Kind::reg ? operand.parts[1].index : -1;
    } else if (operand.kind == Operand::Kind::list) {
      for (const Operand& part : operand.parts) {
        instruction.results.push_back(part.kind == Operand::Kind::reg ? part.index : -1);
      }
    }
  }
  [[nodiscard]] int bytes_of(int reg) const { return code_.function->registers[static_cast<std::size_t>(reg)].bytes; }
  [[nodiscard]] Source source_of(const Operand& operand, const Type& type) const {
    Source source{.is_negated = operand.is_negated};
    switch (operand.kind) {
      case Operand::Kind::reg:
        source.kind = Source::Kind::reg;
        source.index = operand.index;
        break;
      case Operand::Kind::special:
        source.kind = Source::Kind::special;
        source.index = static_cast<int>(special_registers[static_cast<std::size_t>(operand.index)].special);
        break;
      case Operand::Kind::variable:
        source = place_of(operand.index);
        source.bits += static_cast<std::uint64_t>(operand.offset);
        break;
      case Operand::Kind::number:
        source.bits = bits_of(operand.number, type) + static_cast<std::uint64_t>(operand.offset);
        break;
      default:
        break;
    }
    return source;
  }
  [[nodiscard]] Source place_of(int variable) const {
    if (variable >= 0) {
      return code_.places[static_cast<std::size_t>(variable)];
    }
    const auto number = static_cast<std::size_t>(~variable);
    if (program_.module->variables[number].space == Space::shared) {
      return {.kind = Source::Kind::shared, .bits = program_.shared_places.at(~variable)};
    }
    return {.bits = reinterpret_cast<std::uintptr_t>((*program_.globals)[number].data())};
  }
  [[nodiscard]] static std::uint64_t bits_of(const Number& number, const Type& type) {
    if (number.is_double && type.bytes == 4) {
      return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(number.bits)));
    }
    if (number.is_single && type.bytes == 8 && type.is_float()) {
      return std::bit_cast<std::uint64_t>(
          static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(number.bits))));
    }
    return number.bits;
  }

  void list_registers();
  void decode_value();
  void decode_move(const Type& type);
  void decode_comparison(const Type& type);
  void decode_conversion();
  void take_arithmetic_modifiers(Instruction& instruction) const;
  void take_address_function(Instruction& instruction) const;
  void take_half_function(Instruction& instruction, const Type& type) const;
  void mark_answers();

  const Program& program_;
  const Code& code_;
  const InstructionRow* rows_;
  std::size_t row_count_;
  const Statement* statement_ = nullptr;
  std::vector<Instruction> out_;
};

/// Marks the atomic accesses whose result an instruction reads; for the others their order makes no difference.
inline void Decoder::mark_answers() {
  std::vector<bool> is_read(code_.function->registers.size(), false);
  const auto mark = [&](const Source& source) {
    if (source.kind == Source::Kind::reg) {
      is_read[static_cast<std::size_t>(source.index)] = true;
    }
  };
  for (const Instruction& instruction : out_) {
    if (instruction.guard >= 0) {
      is_read[static_cast<std::size_t>(instruction.guard)] = true;
    }
    for (const Source& source : instruction.source) {
      mark(source);
    }
    for (const Source& source : instruction.list) {
      mark(source);
    }
  }
  for (Instruction& instruction : out_) {
    instruction.answers = instruction.result >= 0 && is_read[static_cast<std::size_t>(instruction.result)];
    for (const int result : instruction.results) {
      instruction.answers = instruction.answers || (result >= 0 && is_read[static_cast<std::size_t>(result)]);
    }
  }
}

/// Calls `visit` with each register that an instruction names, but its guard.
template <class Visit>
void for_each_register(const Instruction& instruction, const Visit& visit) {
  const auto take = [&](int reg) {
    if (reg >= 0) {
      visit(reg);
    }
  };
  const auto take_source = [&](const Source& source) { take(source.kind == Source::Kind::reg ? source.index : -1); };
  std::for_each_n(instruction.source.begin(), instruction.sources, take_source);
  std::for_each(instruction.list.begin(), instruction.list.end(), take_source);
  take(instruction.result);
  take(instruction.second_result);
  std::for_each(instruction.results.begin(), instruction.results.end(), take);
}
/// Lists of each instruction the registers that a product, or a load of tensor memory, may have in flight. A `mov`
/// gives one that is loaded another name.
inline void Decoder::list_registers() {
  std::vector<bool> is_of_products(code_.function->registers.size(), false);
  const auto is_one = [&](int reg) { return static_cast<bool>(is_of_products[static_cast<std::size_t>(reg)]); };
  const auto add = [&](int reg) { is_of_products[static_cast<std::size_t>(reg)] = true; };
  bool may_find_another = false;
  for (const Instruction& instruction : out_) {
    const bool may_load = instruction.statement != nullptr && instruction.statement->name() == "tcgen05";
    if (instruction.is_product || may_load) {
      for_each_register(instruction, add);
    }
    may_find_another = may_find_another || may_load;
  }
  while (std::exchange(may_find_another, false)) {
    for (const Instruction& move : out_) {
      if (move.statement != nullptr && move.statement->name() == "mov" && move.result >= 0 && !is_one(move.result) &&
          std::any_of(move.source.begin(), move.source.begin() + move.sources,
                      [&](const Source& source) { return source.kind == Source::Kind::reg && is_one(source.index); })) {
        add(move.result);
        may_find_another = true;
      }
    }
  }
  for (Instruction& instruction : out_) {
    for_each_register(instruction, [&](int reg) {
      if (is_one(reg)) {
        instruction.registers.push_back(reg);
      }
    });
  }
}

}  // namespace dma::inline v0_1::proof::ptx::detail
