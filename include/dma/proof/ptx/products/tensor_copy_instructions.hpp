#pragma once

#include <dma/machine/host/instruction.hpp>
#include <dma/machine/host/tensor_cells.hpp>
#include <dma/machine/matrix_operand.hpp>
#include <dma/proof/ptx/lane.hpp>
#include <dma/proof/ptx/products/operand_layout.hpp>
#include <dma/proof/ptx/products/shared_operand.hpp>
#include <dma/proof/ptx/products/tensor_ctas.hpp>
#include <dma/proof/ptx/products/tensor_descriptor.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace dma::inline v0_1::proof::ptx::detail {

/// Copies of shared memory to tensor memory, and shifts of its rows, which tensor cores do later. Each CTA of a pair
/// copies from its own shared memory, as published kernels take it.
///
/// Source  PTX ISA, "tcgen05.cp", "tcgen05.shift"
class TensorCopyInstructions {
 public:
  [[nodiscard]] static bool has_shape(const Statement& statement) { return shape_of(statement).rows != 0; }

  static void copy(Lane& lane, const Instruction& i) {
    using machine::Instruction;
    const Shape shape = shape_of(*i.statement);
    const std::uint64_t to = lane.address(i);
    const bool is_of_all = shape.rows != rows_of_last_lanes;
    if (to >> 16U >= (is_of_all ? 1U : unsigned{Cells::warp_lanes})) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood from this lane on");
    }
    const Copy copy{.shape = shape,
                    .from = {.descriptor = tensor_descriptor(lane, i, 1, "the descriptor"),
                             .major = machine::Major::k,
                             .row_bytes = shape.row_bytes},
                    .lane = static_cast<int>(to >> 16U),
                    .column = static_cast<int>(to & 0xffffU)};
    const TensorCtas ctas(lane, i);
    lane.here(i);
    lane.launch().copies_to_tensor = true;
    lane.thread().execute({.kind = machine::OperationKind::copy_to_tensor,
                           .count = copy.columns(),
                           .ctas = ctas.count(),
                           .column = copy.column,
                           .lane = copy.lane,
                           .lanes = is_of_all ? Cells::lanes : shape.rows,
                           .lane_step = is_of_all ? 1 : Cells::warp_lanes,
                           .order = (is_of_all ? 0 : Instruction::behind_shifts) |
                                    (lane.launch().copies_follow_products ? Instruction::behind_products : 0)});
    // Where 4 or 6 bits become 8 the ISA shows in figures alone.
    const Unknown why = i.statement->has("b8x16") ? lane.note_not_computed(i) : Unknown();
    for (int cta = 0; cta < ctas.count(); ++cta) {
      const SharedOperand from = copy.from.of(ctas.rank_of(cta));
      Cells& cells = ctas.cells_of(cta);
      cells.start_copy(copy.column, copy.columns(), is_of_all, ctas.count());
      static_cast<void>(from.read(lane, i, machine::OperationKind::copy_to_tensor, 0, shape.rows));
      if (is_of_all) {
        for (int to_lane = 0; to_lane < Cells::lanes; ++to_lane) {
          copy_row(lane, copy, from, &cells.at(to_lane, copy.column), shape.row_of(to_lane), why);
        }
      } else {
        for (int row = 0; row < shape.rows; ++row) {
          copy_row(lane, copy, from, &cells.at(copy.lane + row * Cells::warp_lanes, copy.column), row, why);
        }
      }
    }
  }
  /// Each row of a warp's lanes moves to the next one, above or below: PTX leaves that to be guessed. What it writes,
  /// all of them, is what it reads.
  static void shift(Lane& lane, const Instruction& i) {
    const std::uint64_t address = lane.address(i);
    const auto first = static_cast<int>(address & 0xffffU);
    const auto from = static_cast<int>(address >> 16U);
    if (from % Cells::warp_lanes != 0 || from >= Cells::lanes) {
      lane.fail(i,
                i.statement->opcode + " from lane " + std::to_string(from) + " on, where 0, 32, 64 and 96 are defined");
    }
    const TensorCtas ctas(lane, i);
    lane.here(i);
    lane.thread().execute({.kind = machine::OperationKind::shift_tensor,
                           .count = columns_of_shift,
                           .ctas = ctas.count(),
                           .column = first,
                           .lane = from,
                           .lanes = Cells::warp_lanes});
    const Unknown why = lane.note_not_computed(i);
    for (int cta = 0; cta < ctas.count(); ++cta) {
      Cells& cells = ctas.cells_of(cta);
      cells.begin_shift(first, columns_of_shift, from, ctas.count());
      for (int row = from; row < from + Cells::warp_lanes; ++row) {
        forget(lane, &cells.at(row, first), std::size_t{columns_of_shift} * sizeof(float), why);
      }
    }
  }

 private:
  using Cells = machine::TensorCells;
  static constexpr int columns_of_shift = 8;
  static constexpr int rows_of_last_lanes = 4;  ///< that go to one lane of each warp

  /// Rows of shared memory, and of which of them the lanes of 32, in their order, have 32.
  struct Shape {
    int rows;
    int row_bytes;
    std::array<int, 4> of_warps;

    [[nodiscard]] int row_of(int lane) const {
      return of_warps[static_cast<std::size_t>(lane / Cells::warp_lanes)] * Cells::warp_lanes +
             lane % Cells::warp_lanes;
    }
  };
  struct Copy {
    Shape shape;
    SharedOperand from;
    int lane;
    int column;

    [[nodiscard]] int columns() const { return shape.row_bytes / int{sizeof(float)}; }
    [[nodiscard]] int pieces() const { return shape.row_bytes / int{OperandLayout::piece_bytes}; }
  };

  [[nodiscard]] static Shape shape_of(const Statement& statement) {
    struct Row {
      std::string_view word;
      std::string_view multicast;  ///< empty: none
      Shape shape;
    };
    static constexpr std::array<Row, 6> shapes{{{"128x256b", "", {128, 32, {0, 1, 2, 3}}},
                                                {"4x256b", "", {rows_of_last_lanes, 32, {}}},
                                                {"128x128b", "", {128, 16, {0, 1, 2, 3}}},
                                                {"64x128b", "warpx2::02_13", {64, 16, {0, 1, 0, 1}}},
                                                {"64x128b", "warpx2::01_23", {64, 16, {0, 0, 1, 1}}},
                                                {"32x128b", "warpx4", {32, 16, {0, 0, 0, 0}}}}};
    for (const Row& row : shapes) {
      if (statement.has(row.word) && (row.multicast.empty() || statement.has(row.multicast))) {
        return row.shape;
      }
    }
    return {};
  }
  static void copy_row(Lane& lane, const Copy& copy, const SharedOperand& from, float* to, int row, Unknown why) {
    const OperandLayout& layout = from.layout(lane.launch(), 0, copy.shape.rows);
    for (int piece = 0; piece < copy.pieces(); ++piece) {
      const unsigned char* const place = from.window(lane) + layout.place_of(row, piece, copy.pieces());
      unsigned char* const at =
          reinterpret_cast<unsigned char*>(to) + static_cast<std::size_t>(piece) * OperandLayout::piece_bytes;
      std::memcpy(at, place, OperandLayout::piece_bytes);
      UnknownBytes& unknown = lane.launch().unknown;
      unknown.copy(at, place, OperandLayout::piece_bytes);
      if (why) {
        unknown.set(at, OperandLayout::piece_bytes, why);
      }
      if (unknown.any(at, OperandLayout::piece_bytes)) {
        lane.launch().on_chip.insert_or_assign(at, OperandLayout::piece_bytes);
      }
    }
  }
  static void forget(Lane& lane, float* cells, std::size_t bytes, Unknown why) {
    lane.launch().unknown.set(cells, bytes, why);
    lane.launch().on_chip.insert_or_assign(cells, bytes);
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
