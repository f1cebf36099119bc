#pragma once

#include <dma/machine/host/instruction.hpp>
#include <dma/machine/matrix_operand.hpp>
#include <dma/proof/ptx/products/mma_shape.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// Where rows of A, or columns of B, are in the window of shared memory, as a descriptor says: 32 bytes of k each, or
/// 16 that are copied. Found once for all threads that use them.
class OperandLayout {
 public:
  static constexpr int inner = 16;  ///< pairs of bytes of k, whatever the type
  using Piece = machine::OperandPieces::Piece;
  using Row = std::array<std::uint16_t, inner>;
  static constexpr std::size_t piece_bytes = 16;

  /// @param first      of the rows or columns, whose number is `extent`
  /// @param row_bytes  of k
  void begin(std::uint64_t descriptor, machine::Major major, int first, int extent, int row_bytes) {
    const auto operand = machine::MatrixOperand::decoded(descriptor);
    is_along_mn_ = major == machine::Major::mn;
    first_ = first;
    const int step_mn = is_along_mn_ ? together : 1;
    const int step_k = is_along_mn_ ? 1 : together;
    for (int mn = first; mn < first + extent; mn += step_mn) {
      for (int k = 0; k < row_bytes / 2; k += step_k) {
        places_.push_back(operand.place_of(major, mn, k));
      }
    }
    std::vector<std::uint32_t> sorted = places_;
    std::sort(sorted.begin(), sorted.end());
    for (const std::uint32_t place : sorted) {
      if (!pieces_.empty() && pieces_.back().first + pieces_.back().bytes == place) {
        pieces_.back().bytes += piece_bytes;
      } else {
        pieces_.push_back({place, piece_bytes});
      }
    }
  }
  [[nodiscard]] const std::vector<Piece>& pieces() const noexcept { return pieces_; }
  /// Where a piece of a row is, from the window's beginning on.
  ///
  /// @pre the rows' bytes follow one another
  [[nodiscard]] std::size_t place_of(int mn, int piece, int pieces_of_row) const {
    return places_[static_cast<std::size_t>((mn - first_) * pieces_of_row + piece)];
  }
  /// The 32 bytes of a row of A, or of a column of B.
  ///
  /// @param window  where the window of shared memory begins
  [[nodiscard]] Row row_of(const unsigned char* window, int mn) const {
    Row row{};
    const auto at = static_cast<std::size_t>(mn - first_);
    if (!is_along_mn_) {
      for (std::size_t half = 0; half < 2; ++half) {
        std::memcpy(&row[half * together], window + places_[2 * at + half], piece_bytes);
      }
      return row;
    }
    const std::uint32_t* const places = &places_[at / together * inner];
    const unsigned char* const first = window + at % together * sizeof row[0];
    for (std::size_t k = 0; k < row.size(); ++k) {
      std::memcpy(&row[k], first + places[k], sizeof row[0]);
    }
    return row;
  }

  /// Of the columns of B that lanes 4 g + t multiply, for one t: their bytes, and their values, those of one k side by
  /// side. The last threads of a warpgroup multiply the same columns as the first.
  struct Columns {
    MmaType type = MmaType::f16;
    std::vector<Row> bytes = {};
    std::vector<float> values = {};
  };
  [[nodiscard]] Columns& columns(std::size_t t) noexcept { return columns_[t]; }

 private:
  static constexpr int together = 8;  ///< pairs of bytes that are contiguous

  bool is_along_mn_ = false;
  int first_ = 0;
  std::vector<std::uint32_t> places_;  ///< of the pieces of each row, or of each k for 8 rows
  std::vector<Piece> pieces_;          ///< tidy
  std::array<Columns, MmaShape::lanes_of_row> columns_;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
