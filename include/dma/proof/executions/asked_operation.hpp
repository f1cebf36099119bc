#pragma once

#include <dma/machine/host/instruction.hpp>
#include <dma/machine/scope.hpp>
#include <dma/proof/executions/stepped_run.hpp>
#include <dma/proof/memory/event.hpp>

#include <cstdint>

namespace dma::inline v0_1::proof::detail {

/// What a read-modify-write makes of a word.
template <machine::AtomicKind kind, machine::AtomicType type, int bytes>
[[nodiscard]] memory::Changed change_word(memory::Value old, memory::Value operand, memory::Value compared) {
  const machine::AtomicInstruction instruction{
      .kind = kind, .type = type, .bytes = bytes, .value = operand, .expected = compared};
  return {instruction.writes(old), instruction.after(old)};
}
/// The same as a function of that type.
template <machine::AtomicKind kind, machine::AtomicType type>
[[nodiscard]] memory::Change change_of(int bytes) {
  return bytes == 1   ? &change_word<kind, type, 1>
         : bytes == 2 ? &change_word<kind, type, 2>
         : bytes == 4 ? &change_word<kind, type, 4>
                      : &change_word<kind, type, 8>;
}
template <machine::AtomicKind kind>
[[nodiscard]] memory::Change change_of(const machine::AtomicInstruction& instruction) {
  using machine::AtomicType;
  return instruction.type == AtomicType::bits        ? change_of<kind, AtomicType::bits>(instruction.bytes)
         : instruction.type == AtomicType::with_sign ? change_of<kind, AtomicType::with_sign>(instruction.bytes)
                                                     : change_of<kind, AtomicType::floating>(instruction.bytes);
}
[[nodiscard]] inline memory::Change change_of(const machine::AtomicInstruction& instruction) {
  using machine::AtomicKind;
  switch (instruction.kind) {
    case AtomicKind::exchange:
      return change_of<AtomicKind::exchange>(instruction);
    case AtomicKind::compare_exchange:
      return change_of<AtomicKind::compare_exchange>(instruction);
    case AtomicKind::bit_and:
      return change_of<AtomicKind::bit_and>(instruction);
    case AtomicKind::bit_or:
      return change_of<AtomicKind::bit_or>(instruction);
    case AtomicKind::bit_xor:
      return change_of<AtomicKind::bit_xor>(instruction);
    case AtomicKind::bit_nand:
      return change_of<AtomicKind::bit_nand>(instruction);
    case AtomicKind::least:
      return change_of<AtomicKind::least>(instruction);
    case AtomicKind::greatest:
      return change_of<AtomicKind::greatest>(instruction);
    case AtomicKind::add_around:
      return change_of<AtomicKind::add_around>(instruction);
    case AtomicKind::sub_around:
      return change_of<AtomicKind::sub_around>(instruction);
    default:
      return change_of<AtomicKind::add>(instruction);
  }
}

/// The same order; `sc` is a fence's.
[[nodiscard]] inline memory::Order order_of(Order order) {
  switch (order) {
    case Order::relaxed:
      return memory::Order::relaxed;
    case Order::acquire:
      return memory::Order::acquire;
    case Order::release:
      return memory::Order::release;
    case Order::acq_rel:
      return memory::Order::acq_rel;
    case Order::seq_cst:
      break;
  }
  return memory::Order::sc;
}
/// The same scope.
[[nodiscard]] inline memory::Scope scope_of(Scope scope) {
  return scope == Scope::cta       ? memory::Scope::cta
         : scope == Scope::cluster ? memory::Scope::cluster
         : scope == Scope::gpu     ? memory::Scope::gpu
                                   : memory::Scope::system;
}

/// The operation that a thread asks for.
///
/// @param may_wait  whether it may be a poll
[[nodiscard]] inline memory::Operation graph_operation_of(const Ask& ask, bool may_wait) {
  using Kind = memory::Operation::Kind;
  const machine::AtomicInstruction& instruction = ask.instruction;
  memory::Operation operation;
  operation.location = ask.word;
  operation.order = memory::Order::weak;
  operation.value = instruction.value;
  switch (ask.kind) {
    case Ask::Kind::point:
      operation.kind = Kind::point;
      operation.after = ask.after;
      operation.orders = ask.orders;
      return operation;
    case Ask::Kind::read:
      operation.kind = Kind::read;
      operation.bits = ask.bits;
      return operation;
    case Ask::Kind::write:
      operation.kind = ask.bits == ~memory::Value{0} ? Kind::write : Kind::change;
      operation.change = &memory::merge;
      operation.compared = operation.bits = ask.bits;
      operation.store = ask.store;
      return operation;
    case Ask::Kind::atomic:
      break;
  }
  operation.order = order_of(instruction.order);
  operation.scope = scope_of(instruction.scope);
  operation.may_wait = may_wait;
  if (instruction.is_fence()) {
    operation.kind = Kind::fence;
  } else if (instruction.is_change()) {
    operation.kind = Kind::change;
    operation.compared = instruction.expected;
    operation.change = change_of(instruction);
    operation.is_unread = instruction.is_unread();
    operation.is_sum =
        instruction.kind == machine::AtomicKind::store_add && instruction.type != machine::AtomicType::floating;
  } else {
    operation.kind = instruction.reads() ? Kind::read : Kind::write;
  }
  return operation;
}

}  // namespace dma::inline v0_1::proof::detail
