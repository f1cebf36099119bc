#pragma once

#include <dma/machine/host/instruction.hpp>
#include <dma/machine/host/tensor_cells.hpp>
#include <dma/machine/matrix_operand.hpp>
#include <dma/proof/ptx/lane.hpp>
#include <dma/proof/ptx/products/mma_values.hpp>
#include <dma/proof/ptx/products/shared_operand.hpp>
#include <dma/proof/ptx/products/tensor_ctas.hpp>
#include <dma/proof/ptx/products/tensor_descriptor.hpp>
#include <dma/proof/ptx/products/tensor_product_type.hpp>
#include <dma/proof/ptx/products/tensor_scales.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// Whether a product into tensor memory is one of dense operands, whose rows of A are not shifted.
[[nodiscard]] inline bool is_dense_product(const Statement& statement) {
  return TensorProductType::has_kind(statement) && !statement.has("sp") && !statement.has("ws") &&
         !statement.has("ashift") && statement.operands.size() > 4;
}

/// Products into tensor memory. A sum is made along k, in order; a GPU's order and roundings are its own.
///
/// Source  PTX ISA, "tcgen05.mma"
class TensorProductInstructions {
 public:
  static void multiply(Lane& lane, const Instruction& i) {
    const TensorCtas ctas(lane, i);
    const Product product = product_of(lane, i, ctas);
    lane.here(i);
    lane.thread().execute(
        {.kind = machine::OperationKind::multiply,
         .count = product.columns,
         .ctas = ctas.count(),
         .column = product.first,
         .operands = {product.columns_of_a, product.scales_of_a.columns(), product.scales_of_b.columns()}});
    Unknown is_unknown;
    for (int cta = 0; cta < ctas.count(); ++cta) {
      Cells& cells = ctas.cells_of(cta);
      cells.begin_product(product.first, product.columns, product.adds, ctas.count());
      for (const machine::TensorColumns& operand :
           {product.columns_of_a, product.scales_of_a.columns(), product.scales_of_b.columns()}) {
        cells.begin_operand(operand.first, operand.count);
      }
      const int rank = ctas.rank_of(cta);
      if (!product.has_a_in_tensor_memory()) {
        is_unknown = is_unknown | product.a.of(rank).read(lane, i, machine::OperationKind::multiply, 0, rows);
      } else if (!product.type.has_whole_bytes()) {
        is_unknown = lane.note_not_computed(i);  // Where 4 or 6 bits are in a byte the ISA shows in figures alone.
      }
      is_unknown =
          is_unknown | product.b.of(rank).read(lane, i, machine::OperationKind::multiply, 0, product.columns_of_one());
    }
    is_unknown = is_unknown | lane.left_out(i);
    if (product.type.d == MmaType::s32) {
      compute<std::int64_t>(lane, i, product, ctas, is_unknown);
    } else if (product.type.scales) {
      compute<double>(lane, i, product, ctas, is_unknown);
    } else {
      compute<float>(lane, i, product, ctas, is_unknown);
    }
  }

 private:
  using Cells = machine::TensorCells;
  using Major = machine::Major;
  template <class Sum>
  using Values = std::array<Sum, 2 * TensorProductType::row_bytes>;
  static constexpr int rows = Cells::lanes;
  static constexpr int columns_of_row = TensorProductType::row_bytes / sizeof(float);

  struct Product {
    TensorProductType type;
    SharedOperand a;
    SharedOperand b;
    int first;  ///< column
    int columns;
    bool adds;
    int ctas;                             ///< each has 128 rows of A and of the sums, and a part of the columns of B
    machine::TensorColumns columns_of_a;  ///< where A is in tensor memory, a row a lane
    TensorScales scales_of_a = {};        ///< of the rows that each CTA has
    TensorScales scales_of_b = {};        ///< of all columns, in each CTA

    [[nodiscard]] int columns_of_one() const { return columns / ctas; }
    [[nodiscard]] bool has_a_in_tensor_memory() const { return columns_of_a.count != 0; }
  };

  /// What the instruction's descriptor says, where it is of 128 rows for each CTA.
  [[nodiscard]] static Product product_of(Lane& lane, const Instruction& i, const TensorCtas& ctas) {
    const std::uint64_t to = lane.address(i);
    const std::uint64_t bits = lane.known(i, 3, "the instruction descriptor");
    const auto field = [&](int at, int size) { return static_cast<int>(bits >> at & ((1U << size) - 1U)); };
    const auto type = TensorProductType::of(*i.statement, bits);
    const bool is_known = type && field(24, 5) == ctas.count() * rows >> 4 && to >> 16U == 0 && field(17, 6) != 0 &&
                          field(17, 6) % ((type->scales ? 1 : 2) * ctas.count()) == 0;
    if (!is_known) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood with this instruction descriptor");
    }
    const bool has_a = i.statement->operands[1].kind == Operand::Kind::memory;
    const std::uint64_t from = has_a ? lane.address(i, 1) : 0;
    if (has_a && (from >> 16U != 0 || field(15, 1) != 0)) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood with this place of A");
    }
    const auto major = [&](int at) { return field(at, 1) != 0 ? Major::mn : Major::k; };
    // Lanes whose sums are kept, a vector, are before the predicate; so are scales.
    const bool has_mask = i.statement->operands[4].kind == Operand::Kind::list;
    if (has_mask || i.list.size() != (type->scales ? 3 : 1)) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood with these operands");
    }
    Product product{.type = *type,
                    .a = {has_a ? 0 : tensor_descriptor(lane, i, 1, "the descriptor of A"), major(15)},
                    .b = {tensor_descriptor(lane, i, 2, "the descriptor of B"), major(16)},
                    .first = static_cast<int>(to & 0xffffU),
                    .columns = field(17, 6) << 3,
                    .adds = lane.known(i, i.list.back(), "whether it adds") != 0,
                    .ctas = ctas.count(),
                    .columns_of_a = {static_cast<int>(from), has_a ? columns_of_row : 0}};
    if (type->scales) {
      product.scales_of_a = scales(lane, i, type->scales, i.list[0], type->scales.first_of_a, rows);
      product.scales_of_b = scales(lane, i, type->scales, i.list[1], type->scales.first_of_b, product.columns);
    }
    return product;
  }
  /// @param first_byte  that the descriptor has, which published kernels have in the upper bits of the address too
  [[nodiscard]] static TensorScales scales(Lane& lane, const Instruction& i, const ScaleType& type,
                                           const Source& source, std::size_t first_byte, int count) {
    const std::uint64_t offset = source.kind == Source::Kind::reg ? source.bits : 0;
    const std::uint64_t address = (lane.known(i, source, "the address") + offset) & 0xffffffffU;
    const std::uint64_t byte = address >> 30U;
    if ((address & 0x3fffffffU) >> 16U != 0 || (byte != 0 && byte != first_byte)) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood with this place of scales");
    }
    return {type, first_byte, static_cast<int>(address & 0xffffU), count};
  }

  template <class Sum>
  static void compute(Lane& lane, const Instruction& i, const Product& product, const TensorCtas& ctas,
                      Unknown is_unknown) {
    const OperandLayout& layout = product.b.layout(lane.launch(), 0, product.columns_of_one());
    std::vector<Values<Sum>> columns;
    for (int column = 0; column < product.columns && !is_unknown; ++column) {
      const SharedOperand b = product.b.of(ctas.rank_of(column / product.columns_of_one()));
      columns.push_back(values_of<Sum>(product.type, product.type.b,
                                       layout.row_of(b.window(lane), column % product.columns_of_one())));
    }
    for (int cta = 0; cta < ctas.count(); ++cta) {
      Cells& cells = ctas.cells_of(cta);
      const SharedOperand a = product.a.of(ctas.rank_of(cta));
      if (!product.type.scales) {
        compute_rows(lane, product, a, cells, columns, {}, is_unknown);
        continue;
      }
      std::vector<TensorScales::OfRow> of_rows;
      std::vector<TensorScales::OfRow> of_columns;
      const Unknown is_lost = is_unknown | product.scales_of_a.read(lane, i, cells, of_rows) |
                              product.scales_of_b.read(lane, i, cells, of_columns);
      std::vector<Values<Sum>> scaled = columns;
      for (std::size_t column = 0; column < scaled.size(); ++column) {
        scale(product.type, scaled[column], of_columns[column]);
      }
      compute_rows(lane, product, a, cells, scaled, of_rows, is_lost);
    }
  }
  /// @param scales  of each row; empty: there are none
  template <class Sum>
  static void compute_rows(Lane& lane, const Product& product, const SharedOperand& a, Cells& cells,
                           const std::vector<Values<Sum>>& columns, const std::vector<TensorScales::OfRow>& scales,
                           Unknown is_unknown) {
    using Stored = std::conditional_t<std::is_same_v<Sum, double>, float, Sum>;
    const TensorProductType& type = product.type;
    UnknownBytes& unknown = lane.launch().unknown;
    const auto bytes = static_cast<std::size_t>(product.columns) * sizeof(float);
    const bool has_a = product.has_a_in_tensor_memory();
    const OperandLayout* const layout = has_a ? nullptr : &a.layout(lane.launch(), 0, rows);
    const unsigned char* const window = has_a ? nullptr : a.window(lane);
    for (int row = 0; row < rows; ++row) {
      float* const sums = &cells.at(row, product.first);
      const float* const of_a = has_a ? &cells.at(row, product.columns_of_a.first) : nullptr;
      const Unknown is_lost = is_unknown | (product.adds ? unknown.any(sums, bytes) : Unknown()) |
                              (has_a ? unknown.any(of_a, sizeof(SharedOperand::Row)) : Unknown());
      unknown.set(sums, bytes, is_lost);
      if (is_lost) {
        lane.launch().on_chip.insert_or_assign(sums, bytes);
        continue;
      }
      SharedOperand::Row row_of_a;
      if (has_a) {
        std::memcpy(&row_of_a, of_a, sizeof row_of_a);
      } else {
        row_of_a = layout->row_of(window, row);
      }
      Values<Sum> values = values_of<Sum>(type, type.a, row_of_a);
      if (!scales.empty()) {
        scale(type, values, scales[static_cast<std::size_t>(row)]);
      }
      for (std::size_t column = 0; column < columns.size(); ++column) {
        const auto before = std::bit_cast<std::uint32_t>(sums[column]);
        Sum sum = product.adds ? mma_value<Sum>(type.d, before, 0) : Sum(0);
        for (std::size_t k = 0; k < type.depth; ++k) {
          sum += values[k] * columns[column][k];
        }
        const auto stored = mma_bits(type.d, static_cast<Stored>(sum), type.saturates);
        sums[column] = std::bit_cast<float>(static_cast<std::uint32_t>(stored));
      }
    }
  }
  template <class Sum>
  [[nodiscard]] static Values<Sum> values_of(const TensorProductType& type, MmaType element,
                                             const SharedOperand::Row& row) {
    Values<Sum> values{};
    for (std::size_t k = 0; k < type.depth; ++k) {
      values[k] = mma_value<Sum>(element, type.bits_of(element, row, k), 0);
    }
    return values;
  }
  template <class Sum>
  static void scale(const TensorProductType& type, Values<Sum>& values, const TensorScales::OfRow& scales) {
    const std::size_t block = type.depth / type.scales.count;
    for (std::size_t k = 0; k < type.depth; ++k) {
      values[k] *= static_cast<Sum>(scales[k / block]);
    }
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
