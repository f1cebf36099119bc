#pragma once

#include <dma/proof/ptx/module.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// The sizes in a statement's shape, as m16n16k8; zeros where it has none.
[[nodiscard]] inline std::array<std::size_t, 3> sizes_of(const Statement& statement) {
  for (const std::string_view word : statement.words()) {
    std::array<std::size_t, 3> sizes{};
    const char* at = word.data();
    const char* const end = at + word.size();
    std::size_t read = 0;
    for (const char letter : {'m', 'n', 'k'}) {
      if (at == end || *at != letter) {
        break;
      }
      const auto [behind, error] = std::from_chars(at + 1, end, sizes[read]);
      if (error != std::errc{}) {
        break;
      }
      at = behind;
      ++read;
    }
    if (read == 3 && at == end) {
      return sizes;
    }
  }
  return {};
}

/// A type of the operands of tensor cores.
enum class MmaType : unsigned char {
  f16,
  bf16,
  tf32,
  f32,
  f64,
  e4m3,
  e5m2,
  s8,
  u8,
  s4,
  u4,
  b1,
  s32,
  e2m3,  ///< of tensor memory's products alone, as those behind it
  e3m2,
  e2m1
};

/// The types in a statement, in their order.
[[nodiscard]] inline std::vector<MmaType> mma_types_of(const Statement& statement) {
  static constexpr std::array<std::string_view, 13> names{"f16", "bf16", "tf32", "f32", "f64", "e4m3", "e5m2",
                                                          "s8",  "u8",   "s4",   "u4",  "b1",  "s32"};
  std::vector<MmaType> types;
  for (const std::string_view word : statement.words()) {
    const auto* const known = std::find(names.begin(), names.end(), word);
    if (known != names.end()) {
      types.push_back(static_cast<MmaType>(known - names.begin()));
    }
  }
  return types;
}

/// What an `mma.sync` multiplies.
///
/// A has `rows` rows and `depth` columns, B 8 columns. A register has `packed` values that follow one another along k.
/// Lane 4 g + t has, of each 8 rows of A or columns of B, number g, and of each 4 registers along k the one of number
/// t; of C and D row g and columns 2 t and 2 t + 1. Registers of A are those of the blocks of 8 rows, then of the next
/// four registers along k.
///
/// Source  PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type", and those of the other shapes
struct MmaShape {
  static constexpr std::size_t lanes_of_row = 4;

  std::size_t rows = 0;  ///< 0: it is not computed
  std::size_t depth = 0;
  std::size_t packed = 1;  ///< values in a register of A or B; those of one bit count as one, 32 at a time
  MmaType a = MmaType::f16;
  MmaType b = MmaType::f16;
  MmaType c = MmaType::f32;
  MmaType d = MmaType::f32;
  bool saturates = false;
  bool is_and = false;  ///< of bits: `.and.popc`, not `.xor.popc`

  [[nodiscard]] std::size_t row_blocks() const noexcept { return rows / 8; }
  [[nodiscard]] std::size_t blocks() const noexcept { return depth / (lanes_of_row * packed); }
  [[nodiscard]] std::size_t registers_of_a() const noexcept { return row_blocks() * blocks(); }
  [[nodiscard]] std::size_t registers_of_b() const noexcept { return blocks(); }
  [[nodiscard]] std::size_t registers_of(MmaType sums) const noexcept {
    return row_blocks() * (sums == MmaType::f16 ? 1 : 2);
  }

  /// Of a statement; one that is not computed has no rows.
  [[nodiscard]] static MmaShape of(const Statement& statement);

 private:
  struct Row {
    MmaType a;
    MmaType other;  ///< that B may have too
    std::size_t bits;
    std::array<std::array<std::size_t, 2>, 4> sizes;  ///< m and k
  };
  static constexpr std::array table{Row{MmaType::f16, MmaType::f16, 16, {{{16, 8}, {16, 16}}}},
                                    Row{MmaType::bf16, MmaType::bf16, 16, {{{16, 8}, {16, 16}}}},
                                    Row{MmaType::tf32, MmaType::tf32, 32, {{{16, 4}, {16, 8}}}},
                                    Row{MmaType::f64, MmaType::f64, 64, {{{8, 4}, {16, 4}, {16, 8}, {16, 16}}}},
                                    Row{MmaType::e4m3, MmaType::e5m2, 8, {{{16, 16}, {16, 32}}}},
                                    Row{MmaType::e5m2, MmaType::e4m3, 8, {{{16, 16}, {16, 32}}}},
                                    Row{MmaType::s8, MmaType::u8, 8, {{{8, 16}, {16, 16}, {16, 32}}}},
                                    Row{MmaType::u8, MmaType::s8, 8, {{{8, 16}, {16, 16}, {16, 32}}}},
                                    Row{MmaType::s4, MmaType::u4, 4, {{{8, 32}, {16, 32}, {16, 64}}}},
                                    Row{MmaType::u4, MmaType::s4, 4, {{{8, 32}, {16, 32}, {16, 64}}}},
                                    Row{MmaType::b1, MmaType::b1, 1, {{{8, 128}, {16, 128}, {16, 256}}}}};
};

inline MmaShape MmaShape::of(const Statement& statement) {
  const std::vector<MmaType> types = mma_types_of(statement);  // of D, A, B and C
  const auto [m, n, k] = sizes_of(statement);
  const bool is_other = statement.has("sp") || statement.has("sp::ordered_metadata") || statement.has("block_scale");
  if (types.size() != 4 || n != 8 || is_other || !statement.has("row") || !statement.has("col")) {
    return {};
  }
  for (const Row& row : table) {
    const bool has_types = types[1] == row.a && (types[2] == row.a || types[2] == row.other);
    if (has_types && std::find(row.sizes.begin(), row.sizes.end(), std::array{m, k}) != row.sizes.end()) {
      const bool is_bits = row.a == MmaType::b1;
      return {.rows = m,
              .depth = is_bits ? k / 32 : k,
              .packed = row.bits == 64 || is_bits ? 1 : 32 / row.bits,
              .a = row.a,
              .b = types[2],
              .c = types[3],
              .d = types[0],
              .saturates = statement.has("satfinite"),
              .is_and = statement.has("and")};
    }
  }
  return {};
}

/// What a `wgmma.mma_async` multiplies: 64 rows of A and 32 bytes of k.
///
/// Source  PTX ISA, "wgmma.mma_async"
struct WgmmaShape {
  static constexpr std::size_t row_bytes = 32;  ///< of A and B, along k

  int columns = 0;  ///< 0: it is not understood
  std::size_t depth = 0;
  MmaType a = MmaType::f16;
  MmaType b = MmaType::f16;
  MmaType d = MmaType::f32;
  bool is_computed = false;
  bool saturates = false;

  [[nodiscard]] bool has_two_bytes() const noexcept { return a == MmaType::f16 || a == MmaType::bf16; }
  [[nodiscard]] bool has_signs() const noexcept { return d != MmaType::s32; }
  [[nodiscard]] std::size_t results() const noexcept {
    return static_cast<std::size_t>(columns) / (d == MmaType::f16 ? 4 : 2);
  }

  [[nodiscard]] static WgmmaShape of(const Statement& statement) {
    const auto [m, n, k] = sizes_of(statement);
    if (m != 64 || n == 0 || n % 8 != 0 || n > 256 || statement.has("sp")) {
      return {};
    }
    WgmmaShape shape{.columns = static_cast<int>(n), .depth = k, .saturates = statement.has("satfinite")};
    const std::vector<MmaType> types = mma_types_of(statement);  // of D, A and B
    if (types.size() == 3) {
      shape.d = types[0];
      shape.a = types[1];
      shape.b = types[2];
      const std::size_t bytes = shape.has_two_bytes() ? 2 : shape.a == MmaType::tf32 ? 4 : 1;
      shape.is_computed = shape.a != MmaType::b1 && k * bytes == row_bytes;
    }
    return shape;
  }
};

/// Whether a statement's values are computed.
[[nodiscard]] inline bool has_known_shape(const Statement& statement) { return MmaShape::of(statement).rows != 0; }

}  // namespace dma::inline v0_1::proof::ptx::detail
