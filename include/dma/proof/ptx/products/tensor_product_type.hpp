#pragma once

#include <dma/proof/ptx/products/mma_shape.hpp>
#include <dma/proof/ptx/products/tensor_scales.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
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
  bool saturates = false;
  std::size_t depth;       ///< values of k
  bool is_padded = false;  ///< of less than 8 bits: 16 values that are packed have 16 bytes
  ScaleType scales = {};

  [[nodiscard]] static bool has_kind(const Statement& statement) { return kind_of(statement) != nullptr; }
  /// What an instruction descriptor says, without signs; nothing where that is not known: sums of halves, and elements
  /// of 6 and 4 bits of `kind::f8f6f4`.
  ///
  /// @pre `has_kind`
  [[nodiscard]] static std::optional<TensorProductType> of(const Statement& statement, std::uint64_t descriptor) {
    const Kind& kind = *kind_of(statement);
    const auto field = [&](int at, unsigned mask) { return static_cast<std::size_t>(descriptor >> at & mask); };
    const std::size_t a = field(7, 7);
    const std::size_t b = field(10, 7);
    if (field(0, 7) != 0 || field(13, 3) != 0 || !is_element(kind, a) || !is_element(kind, b)) {
      return std::nullopt;
    }
    TensorProductType type{.a = kind.elements[a - kind.first],
                           .b = kind.elements[b - kind.first],
                           .d = kind.d,
                           .depth = row_bytes * 8 / kind.bits};
    if (kind.is_scaled) {
      const std::optional<ScaleType> scales = ScaleType::of(statement, descriptor);
      const bool is_known = scales && field(3, 1) == 0 && field(6, 1) == 0 && field(15, 3) == 0 && field(31, 1) == 0;
      type.is_padded = kind.bits == 8;
      type.scales = scales.value_or(ScaleType());
      return is_known ? std::optional(type) : std::nullopt;
    }
    const bool is_integer = kind.d == MmaType::s32;
    const bool is_known = field(4, 7) == (is_integer ? 2U : 1U) && (is_integer || field(3, 1) == 0) &&
                          (a == b || kind.bits == 8) && (field(15, 3) == 0 || kind.bits == 16);
    type.saturates = field(3, 1) != 0;
    return is_known ? std::optional(type) : std::nullopt;
  }

  /// The bits of a value of k.
  template <class Row>
  [[nodiscard]] std::uint32_t bits_of(MmaType element, const Row& row, std::size_t k) const {
    const std::size_t container = row_bytes * 8 / depth;
    const std::size_t bits = is_padded ? bits_of(element) : container;
    const std::size_t first = is_padded ? k / 16 * 128 + k % 16 * bits : k * bits;
    std::uint64_t words = 0;
    const std::size_t byte = first / 32 * 4;
    std::memcpy(&words, reinterpret_cast<const unsigned char*>(row.data()) + byte,
                std::min(sizeof words, row_bytes - byte));
    return static_cast<std::uint32_t>(words >> first % 32 & ((std::uint64_t{1} << bits) - 1));
  }
  /// Whether A in tensor memory is as it is in shared memory.
  [[nodiscard]] bool has_whole_bytes() const { return !is_padded || bits_of(a) == 8; }

 private:
  struct Kind {
    const char* word;
    std::size_t bits;   ///< of an element in memory, where it has fewer with what pads it
    std::size_t first;  ///< its number in a descriptor
    std::array<MmaType, 6> elements;
    std::size_t count;
    MmaType d;
    bool is_scaled;
  };
  static constexpr MmaType none = MmaType::s32;
  static constexpr std::array<Kind, 7> kinds{
      {{"kind::f16", 16, 0, {MmaType::f16, MmaType::bf16}, 2, MmaType::f32, false},
       {"kind::tf32", 32, 2, {MmaType::tf32}, 1, MmaType::f32, false},
       {"kind::f8f6f4", 8, 0, {MmaType::e4m3, MmaType::e5m2}, 2, MmaType::f32, false},
       {"kind::i8", 8, 0, {MmaType::u8, MmaType::s8}, 2, MmaType::s32, false},
       {"kind::mxf8f6f4",
        8,
        0,
        {MmaType::e4m3, MmaType::e5m2, none, MmaType::e2m3, MmaType::e3m2, MmaType::e2m1},
        6,
        MmaType::f32,
        true},
       {"kind::mxf4", 4, 1, {MmaType::e2m1}, 1, MmaType::f32, true},
       {"kind::mxf4nvf4", 4, 1, {MmaType::e2m1}, 1, MmaType::f32, true}}};

  [[nodiscard]] static const Kind* kind_of(const Statement& statement) {
    for (const Kind& kind : kinds) {
      if (statement.has(kind.word)) {
        return &kind;
      }
    }
    return nullptr;
  }
  [[nodiscard]] static bool is_element(const Kind& kind, std::size_t number) {
    return number >= kind.first && number - kind.first < kind.count && kind.elements[number - kind.first] != none;
  }
  [[nodiscard]] static std::size_t bits_of(MmaType element) {
    return element == MmaType::e2m1 ? 4 : element == MmaType::e2m3 || element == MmaType::e3m2 ? 6 : 8;
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
