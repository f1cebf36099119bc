#pragma once

#include <dma/proof/ptx/products/mma_shape.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace dma::inline v0_1::proof::ptx::detail {

/// The types of a product into tensor memory of dense operands.
///
/// Source  PTX ISA, "Instruction descriptor" of tcgen05
struct TensorProductType {
  static constexpr std::size_t row_bytes = 32;  ///< of A and B, along k

  MmaType a;
  MmaType b;
  MmaType d;  ///< of the sums
  bool saturates;
  std::size_t depth;  ///< values of k

  [[nodiscard]] static bool has_kind(const Statement& statement) { return kind_of(statement) != nullptr; }
  /// What an instruction descriptor says, without signs; nothing where that is not known: sums of halves, and elements
  /// of 6 and 4 bits.
  ///
  /// @pre `has_kind`
  [[nodiscard]] static std::optional<TensorProductType> of(const Statement& statement, std::uint64_t descriptor) {
    const Kind& kind = *kind_of(statement);
    const auto field = [&](int at, unsigned mask) { return static_cast<std::size_t>(descriptor >> at & mask); };
    const std::size_t a = field(7, 7);
    const std::size_t b = field(10, 7);
    const bool is_integer = kind.d == MmaType::s32;
    const bool is_known = field(0, 7) == 0 && field(4, 7) == (is_integer ? 2U : 1U) &&
                          (is_integer || field(3, 1) == 0) && field(13, 3) == 0 && is_element(kind, a) &&
                          is_element(kind, b) && (a == b || kind.bytes == 1) && (field(15, 3) == 0 || kind.bytes == 2);
    if (!is_known) {
      return std::nullopt;
    }
    return TensorProductType{kind.elements[a - kind.first], kind.elements[b - kind.first], kind.d, field(3, 1) != 0,
                             row_bytes / kind.bytes};
  }

 private:
  struct Kind {
    const char* word;
    std::size_t bytes;  ///< of an element
    std::size_t first;  ///< its number in a descriptor
    std::size_t count;
    std::array<MmaType, 2> elements;
    MmaType d;
  };
  static constexpr std::array<Kind, 4> kinds{{{"kind::f16", 2, 0, 2, {MmaType::f16, MmaType::bf16}, MmaType::f32},
                                              {"kind::tf32", 4, 2, 1, {MmaType::tf32}, MmaType::f32},
                                              {"kind::f8f6f4", 1, 0, 2, {MmaType::e4m3, MmaType::e5m2}, MmaType::f32},
                                              {"kind::i8", 1, 0, 2, {MmaType::u8, MmaType::s8}, MmaType::s32}}};

  [[nodiscard]] static const Kind* kind_of(const Statement& statement) {
    for (const Kind& kind : kinds) {
      if (statement.has(kind.word)) {
        return &kind;
      }
    }
    return nullptr;
  }
  [[nodiscard]] static bool is_element(const Kind& kind, std::size_t number) {
    return number >= kind.first && number - kind.first < kind.count;
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
