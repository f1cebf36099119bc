#pragma once

#include <dma/machine/host/instruction.hpp>
#include <dma/machine/host/tensor_cells.hpp>
#include <dma/proof/ptx/lane.hpp>
#include <dma/proof/ptx/values/conversions.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// How a product scales the blocks of a row of A, or of a column of B.
///
/// Source  PTX ISA, "Block Scaling" of tcgen05
struct ScaleType {
  std::size_t count = 0;       ///< of a row, one byte each; 0: there are none
  bool is_exponent = false;    ///< UE8M0, a power of two; otherwise UE4M3
  std::size_t first_of_a = 0;  ///< byte of a word
  std::size_t first_of_b = 0;

  [[nodiscard]] explicit operator bool() const noexcept { return count != 0; }

  /// Of a product with block scaling; nothing where the instruction descriptor says what is not defined.
  [[nodiscard]] static std::optional<ScaleType> of(const Statement& statement, std::uint64_t descriptor) {
    const bool is_of_bytes = statement.has("kind::mxf8f6f4");
    const bool is_of_16 = statement.has("scale_vec::4X") || statement.has("block16");
    const ScaleType type{.count = is_of_16      ? 4U
                                  : is_of_bytes ? 1U
                                                : 2U,
                         .is_exponent = (descriptor >> 23U & 1U) != 0,
                         .first_of_a = descriptor >> 29U & 3U,
                         .first_of_b = descriptor >> 4U & 3U};
    const bool is_defined = type.first_of_a % type.count == 0 && type.first_of_b % type.count == 0 &&
                            (type.is_exponent || (is_of_16 && statement.has("kind::mxf4nvf4")));
    return is_defined ? std::optional(type) : std::nullopt;
  }
  [[nodiscard]] double value_of(unsigned char bits) const {
    if (!is_exponent) {
      return decode_float(bits, shape_of(Format::e4m3));
    }
    return bits == 0xffU ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, int{bits} - 127);
  }
};

/// The scales of A, or of B, in tensor memory: a column of words has those of 32 rows, a row a lane, and each warp's
/// lanes have the same.
class TensorScales {
  using Cells = machine::TensorCells;

 public:
  using OfRow = std::array<double, 4>;

  TensorScales() = default;
  TensorScales(const ScaleType& type, std::size_t first_byte, int column, int rows)
      : type_(type), first_byte_(first_byte), column_(column), rows_(rows) {}

  [[nodiscard]] machine::TensorColumns columns() const noexcept {
    return {column_, (rows_ + Cells::warp_lanes - 1) / Cells::warp_lanes};
  }
  /// @param values  of each row
  /// @return whether some are not known, and why
  [[nodiscard]] Unknown read(Lane& lane, const Instruction& i, Cells& cells, std::vector<OfRow>& values) const {
    values.resize(static_cast<std::size_t>(rows_));
    Unknown is_unknown;
    for (int row = 0; row < rows_ && !is_unknown; ++row) {
      const unsigned char* const scales = place_of(cells, row, 0);
      for (int copy = 0; copy < Cells::lanes / Cells::warp_lanes && !is_unknown; ++copy) {
        const unsigned char* const same = place_of(cells, row, copy);
        is_unknown = lane.launch().unknown.any(same, type_.count);
        if (!is_unknown && std::memcmp(same, scales, type_.count) != 0) {  // which of them counts is not said
          is_unknown = lane.note_not_computed(i);
        }
      }
      for (std::size_t k = 0; k < type_.count && !is_unknown; ++k) {
        is_unknown = !type_.is_exponent && scales[k] >= 0x80U ? lane.note_not_computed(i) : Unknown();
        values[static_cast<std::size_t>(row)][k] = type_.value_of(scales[k]);
      }
    }
    return is_unknown;
  }

 private:
  [[nodiscard]] const unsigned char* place_of(Cells& cells, int row, int copy) const {
    const float& word = cells.at(copy * Cells::warp_lanes + row % Cells::warp_lanes, column_ + row / Cells::warp_lanes);
    return reinterpret_cast<const unsigned char*>(&word) + first_byte_;
  }

  ScaleType type_;
  std::size_t first_byte_ = 0;
  int column_ = 0;
  int rows_ = 0;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
