#pragma once

#include <dma/proof/ptx/module.hpp>
#include <dma/proof/ptx/products/mma_shape.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// A matrix of `wmma`, whose elements the lanes of a warp have in registers.
///
/// Which lane has which element is not said, so the places here are some that load, product and store have in common:
/// element e, row by row, is in lane e % 32, there in number e / 32. Where a lane has more registers, they repeat.
///
/// Source  PTX ISA, "Matrix Fragments for WMMA"
struct WmmaMatrix {
  enum class Role : unsigned char { a, b, sums };

  Role role = Role::sums;
  MmaType type = MmaType::f32;
  std::array<std::size_t, 3> sizes = {};  ///< m, n and k; zeros where it is not known
  bool is_row_major = false;              ///< in memory

  [[nodiscard]] std::size_t rows() const noexcept { return role == Role::b ? sizes[2] : sizes[0]; }
  [[nodiscard]] std::size_t columns() const noexcept { return role == Role::a ? sizes[2] : sizes[1]; }
  [[nodiscard]] std::size_t count() const noexcept { return rows() * columns(); }
  [[nodiscard]] std::size_t of_lane() const noexcept { return count() / 32; }
  [[nodiscard]] std::size_t bits() const noexcept { return bits_of(type); }
  /// Elements in a register.
  [[nodiscard]] std::size_t packed() const noexcept { return bits() >= 32 ? 1 : 32 / bits(); }
  /// Whether a lane may have it in so many registers.
  [[nodiscard]] bool fits(std::size_t registers) const noexcept {
    return count() != 0 && registers != 0 && registers * packed() % of_lane() == 0;
  }
  /// Its shape, its type and, of a factor, its layout: where two have the same, lanes have their elements alike.
  [[nodiscard]] std::uint64_t name() const noexcept {
    std::uint64_t name = (static_cast<std::uint64_t>(role) << 8 | static_cast<std::uint64_t>(type)) << 1 |
                         (role != Role::sums && is_row_major ? 1U : 0U);
    for (const std::size_t size : sizes) {
      name = name << 12 | size;
    }
    return name;
  }
  /// Lines of memory, each contiguous, and the elements of one.
  [[nodiscard]] std::size_t lines() const noexcept { return is_row_major ? rows() : columns(); }
  [[nodiscard]] std::size_t line_length() const noexcept { return is_row_major ? columns() : rows(); }
  /// Number of an element in its line, and of the line.
  [[nodiscard]] std::size_t line_of(std::size_t element) const noexcept {
    return is_row_major ? element / columns() : element % columns();
  }
  [[nodiscard]] std::size_t place_in_line(std::size_t element) const noexcept {
    return is_row_major ? element % columns() : element / columns();
  }
  [[nodiscard]] std::size_t element_at(std::size_t line, std::size_t place) const noexcept {
    return is_row_major ? line * columns() + place : place * columns() + line;
  }

  /// That a load or a store moves.
  [[nodiscard]] static WmmaMatrix of(const Statement& statement) {
    const std::vector<MmaType> types = mma_types_of(statement);
    if (types.size() != 1) {
      return {};
    }
    return {.role = statement.has("a")   ? Role::a
                    : statement.has("b") ? Role::b
                                         : Role::sums,
            .type = types[0],
            .sizes = sizes_of(statement),
            .is_row_major = statement.has("row")};
  }

 private:
  [[nodiscard]] static std::size_t bits_of(MmaType type) noexcept {
    switch (type) {
      case MmaType::b1:
        return 1;
      case MmaType::s4:
      case MmaType::u4:
        return 4;
      case MmaType::s8:
      case MmaType::u8:
      case MmaType::e4m3:
      case MmaType::e5m2:
        return 8;
      case MmaType::f16:
      case MmaType::bf16:
        return 16;
      case MmaType::f64:
        return 64;
      default:
        return 32;
    }
  }
};

/// What a `wmma.mma` multiplies.
///
/// Source  PTX ISA, "wmma.mma"
struct WmmaShape {
  WmmaMatrix a = {};
  WmmaMatrix b = {};
  WmmaMatrix c = {};
  WmmaMatrix d = {};
  bool saturates = false;
  bool is_and = false;  ///< of bits: `.and.popc`, not `.xor.popc`

  /// Of a statement; one that is not computed has no elements.
  [[nodiscard]] static WmmaShape of(const Statement& statement) {
    std::vector<MmaType> types = mma_types_of(statement);  // of D, A, B and C; halves are left out
    if (types.size() == 2) {
      types = {types[0], MmaType::f16, MmaType::f16, types[1]};
    }
    std::vector<bool> is_row_major;
    for (const std::string_view word : statement.words()) {
      if (word == "row" || word == "col") {
        is_row_major.push_back(word == "row");
      }
    }
    const auto sizes = sizes_of(statement);
    const bool has_rounding = statement.has("rz") || statement.has("rm") || statement.has("rp");
    if (types.size() != 4 || is_row_major.size() != 2 || types[1] != types[2] || has_rounding ||
        !has_sizes(types[1], sizes) || (statement.has("satfinite") && types[0] != MmaType::s32)) {
      return {};
    }
    using Role = WmmaMatrix::Role;
    return {.a = {Role::a, types[1], sizes, is_row_major[0]},
            .b = {Role::b, types[2], sizes, is_row_major[1]},
            .c = {Role::sums, types[3], sizes, false},
            .d = {Role::sums, types[0], sizes, false},
            .saturates = statement.has("satfinite"),
            .is_and = statement.has("and")};
  }

 private:
  [[nodiscard]] static bool has_sizes(MmaType type, const std::array<std::size_t, 3>& sizes) {
    const std::size_t k = type == MmaType::tf32                        ? 8
                          : type == MmaType::f64                       ? 4
                          : type == MmaType::s4 || type == MmaType::u4 ? 32
                          : type == MmaType::b1                        ? 128
                                                                       : 16;
    const std::array<std::size_t, 2> of_sums{sizes[0], sizes[1]};
    if (sizes[2] != k) {
      return false;
    }
    return k == 16 ? of_sums == std::array<std::size_t, 2>{16, 16} || of_sums == std::array<std::size_t, 2>{8, 32} ||
                         of_sums == std::array<std::size_t, 2>{32, 8}
           : k == 8 ? of_sums == std::array<std::size_t, 2>{16, 16}
                    : of_sums == std::array<std::size_t, 2>{8, 8};
  }
};

/// Whether a `wmma.mma` is computed.
[[nodiscard]] inline bool has_known_wmma_shape(const Statement& statement) {
  return WmmaShape::of(statement).d.count() != 0;
}

}  // namespace dma::inline v0_1::proof::ptx::detail
