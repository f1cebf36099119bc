#pragma once

#include <dma/machine/host/instruction.hpp>
#include <dma/machine/scope.hpp>
#include <dma/proof/ptx/instruction.hpp>
#include <dma/proof/ptx/module.hpp>

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// What an access of memory is beside its bytes, in `Instruction::flags`.
inline constexpr int strong = 1;        ///< it has no race with others of its kind
inline constexpr int not_computed = 2;  ///< an atomic access whose sum is not known

/// What accesses order, and among which threads. Those of one that are not said are those of `volatile`, or of a
/// membar.
///
/// Source  PTX ISA, "Memory Consistency Model", "membar, fence", "atom"
inline void take_order(Instruction& instruction, const Statement& statement) {
  const auto has = [&](std::string_view word) { return statement.has(word); };
  const std::string_view name = statement.name();
  const bool is_fence = name == "fence" || name == "membar";
  const bool is_change = name == "atom" || name == "red";
  const bool acquires = has("acquire");
  const bool releases = has("release");
  const bool is_strong = has("volatile") || has("relaxed") || has("mmio") || acquires || releases || has("acq_rel");
  instruction.flags = is_strong || is_change ? strong : 0;
  instruction.order = has("acq_rel")                ? Order::acq_rel
                      : acquires                    ? Order::acquire
                      : releases                    ? Order::release
                      : is_fence && !has("relaxed") ? Order::seq_cst
                                                    : Order::relaxed;
  instruction.scope = has("cta")                             ? Scope::cta
                      : has("cluster")                       ? Scope::cluster
                      : has("gpu") || has("gl") || is_change ? Scope::gpu
                                                             : Scope::system;
  if (has("sys")) {
    instruction.scope = Scope::system;
  }
}

/// The change of a word that a statement names and that `fits(kind)`.
template <class Fits>
[[nodiscard]] std::optional<machine::AtomicKind> named_change(const Statement& statement, const Fits& fits) {
  using Kind = machine::AtomicKind;
  struct Named {
    std::string_view name;
    Kind kind;
  };
  static constexpr std::array names{Named{"add", Kind::add},        Named{"and", Kind::bit_and},
                                    Named{"or", Kind::bit_or},      Named{"xor", Kind::bit_xor},
                                    Named{"exch", Kind::exchange},  Named{"cas", Kind::compare_exchange},
                                    Named{"min", Kind::least},      Named{"max", Kind::greatest},
                                    Named{"inc", Kind::add_around}, Named{"dec", Kind::sub_around}};
  for (const Named& row : names) {
    if (statement.has(row.name) && fits(row.kind)) {
      return row.kind;
    }
  }
  return std::nullopt;
}

/// What `atom` or `red` does with its word.
inline void take_change(Instruction& instruction, const Statement& statement) {
  using Kind = machine::AtomicKind;
  const std::vector<Type> types = statement.types();
  const Type type = types.empty() ? Type{} : types.back();
  const auto fits = [&](Kind kind) {
    return type.is_float() ? kind == Kind::add : type.kind != Type::Kind::other && type.bytes <= 8;
  };
  instruction.type = type.is_float()    ? machine::AtomicType::floating
                     : type.is_signed() ? machine::AtomicType::with_sign
                                        : machine::AtomicType::bits;
  const std::optional<Kind> kind = named_change(statement, fits);
  instruction.atomic = kind.value_or(Kind::add);
  if (kind) {
    return;
  }
  // What it writes is not known: it adds nothing.
  instruction.type = machine::AtomicType::bits;
  instruction.flags |= not_computed;
}

}  // namespace dma::inline v0_1::proof::ptx::detail
