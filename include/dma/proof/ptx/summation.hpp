#pragma once

#include <dma/machine/half_float.hpp>
#include <dma/machine/host/instruction.hpp>
#include <dma/proof/ptx/atomics.hpp>
#include <dma/proof/ptx/module.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace dma::inline v0_1::proof::ptx::detail {

/// What a copy that changes memory does with each element.
///
/// Source  PTX ISA, "cp.reduce.async.bulk"
struct Summation {
  enum class Of : unsigned char { none, bits, with_sign, floating, f16, bf16 };

  machine::AtomicKind kind = machine::AtomicKind::add;
  Of of = Of::none;
  int bytes = 0;  ///< of an element

  /// Nothing where it is not understood.
  [[nodiscard]] static std::optional<Summation> of_words(const Statement& statement, Of of, int bytes) {
    using Kind = machine::AtomicKind;
    const std::optional<Kind> kind = named_change(statement, [&](Kind named) {
      const bool changes_words = named != Kind::exchange && named != Kind::compare_exchange;
      return of == Of::bits || of == Of::with_sign ? changes_words : of != Of::none && named == Kind::add;
    });
    return kind ? std::optional(Summation{*kind, of, bytes}) : std::nullopt;
  }

  void operator()(unsigned char* to, const unsigned char* from, int count) const {
    if (of == Of::f16) {
      return add_halves<__half>(to, from, count);
    }
    if (of == Of::bf16) {
      return add_halves<__nv_bfloat16>(to, from, count);
    }
    for (int at = 0; at < count; at += bytes) {
      machine::AtomicInstruction change{.kind = kind, .place = to + at, .bytes = bytes};
      change.type = of == Of::floating    ? machine::AtomicType::floating
                    : of == Of::with_sign ? machine::AtomicType::with_sign
                                          : machine::AtomicType::bits;
      std::memcpy(&change.value, from + at, static_cast<std::size_t>(bytes));
      change.make();
    }
  }

 private:
  template <class Element>
  static void add_halves(unsigned char* to, const unsigned char* from, int count) {
    for (int at = 0; at < count; at += 2) {
      std::array<std::uint16_t, 2> halves{};
      std::memcpy(&halves[0], to + at, 2);
      std::memcpy(&halves[1], from + at, 2);
      halves[0] = machine::sum_of<Element>(halves[0], halves[1]);
      std::memcpy(to + at, &halves[0], 2);
    }
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
