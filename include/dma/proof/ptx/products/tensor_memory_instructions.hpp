#pragma once

#include <dma/machine/host/instruction.hpp>
#include <dma/machine/host/tensor_cells.hpp>
#include <dma/machine/matrix_operand.hpp>
#include <dma/proof/ptx/lane.hpp>
#include <dma/proof/ptx/mbarrier_instructions.hpp>
#include <dma/proof/ptx/memory.hpp>
#include <dma/proof/ptx/products/mma_values.hpp>
#include <dma/proof/ptx/products/shared_operand.hpp>
#include <dma/proof/ptx/products/tensor_product_type.hpp>
#include <dma/proof/ptx/register_use.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// Whether a product into tensor memory is one of dense operands, whose rows of A are not shifted.
[[nodiscard]] inline bool is_dense_product(const Statement& statement) {
  return TensorProductType::has_kind(statement) && !statement.has("sp") && !statement.has("ws") &&
         !statement.has("ashift") && statement.operands.size() > 4;
}
/// Whether a warp loads columns of its lanes of tensor memory, or of 16 of them.
[[nodiscard]] inline bool is_load_of_columns(const Statement& statement) {
  return (statement.has("32x32b") || statement.has("16x64b") || statement.has("16x128b") || statement.has("16x256b")) &&
         !statement.has("pack::16b") && !statement.has("red");
}

/// Whether a warp stores columns of its lanes of tensor memory, each thread those of one lane.
[[nodiscard]] inline bool is_store_of_columns(const Statement& statement) {
  return statement.has("32x32b") && !statement.has("unpack::16b");
}

/// Tensor memory, and products into it. A sum is made along k, in order; a GPU's order and roundings are its own.
///
/// Source  PTX ISA, "TensorCore 5th Generation Family Instructions"
class TensorMemoryInstructions {
 public:
  static void allocate(Lane& lane, const Instruction& i) {
    const int columns = columns_of(lane, i);
    const std::uint64_t address = lane.address(i);
    lane.here(i);
    if (lane.thread().elect()) {
      const int ctas = ctas_of(i);
      if (ctas == 2) {  // The other CTA has to be there.
        static_cast<void>(lane.thread().peer_address(lane.thread().shared(), rank_in_pair(lane, i, 0) ^ 1));
      }
      unsigned char* const place = lane.memory(i, Space::shared, address, word, word, machine::Access::write);
      MemoryAccess::report(lane, i, place, word, machine::Access::write);
      const auto first = static_cast<std::uint32_t>(cells(lane).allocate(columns, lane.thread().rank() / 32, ctas));
      std::memcpy(place, &first, word);
      lane.launch().unknown.set(place, word, {});
    }
  }
  static void relinquish(Lane& lane, const Instruction& i) {
    lane.here(i);
    if (lane.thread().elect()) {
      cells(lane).relinquish(ctas_of(i));
    }
  }
  static void free(Lane& lane, const Instruction& i) {
    const int columns = columns_of(lane, i);
    const auto first = static_cast<int>(lane.known(i, 0, "the address"));
    lane.here(i);
    if (lane.thread().elect()) {
      lane.thread().execute({.kind = machine::OperationKind::free_tensor, .count = columns, .column = first});
      cells(lane).free(first, columns, lane.thread().rank() / 32, ctas_of(i));
    }
  }
  static void fence(Lane& lane, const Instruction& i) {
    lane.here(i);
    lane.thread().execute(
        {.kind = machine::OperationKind::fence_tensor, .count = i.statement->has("fence::after_thread_sync") ? 1 : 0});
  }
  static void multiply(Lane& lane, const Instruction& i) {
    const Product product = product_of(lane, i);
    lane.here(i);
    lane.thread().execute({.kind = machine::OperationKind::multiply,
                           .count = product.columns,
                           .ctas = product.ctas,
                           .column = product.first,
                           .operand_column = product.column_of_a,
                           .operand_columns = columns_of_a});
    Unknown is_unknown;
    for (int cta = 0; cta < product.ctas; ++cta) {
      const int rank = rank_in_pair(lane, i, cta);
      cells(lane, rank).begin_product(product.first, product.columns, product.adds, product.ctas);
      if (product.has_a_in_tensor_memory()) {
        cells(lane, rank).begin_operand(product.column_of_a, columns_of_a);
      } else {
        is_unknown = is_unknown | product.a.of(rank).read(lane, i, machine::OperationKind::multiply, 0, rows);
      }
      is_unknown =
          is_unknown | product.b.of(rank).read(lane, i, machine::OperationKind::multiply, 0, product.columns_of_one());
    }
    is_unknown = is_unknown | lane.left_out(i);
    product.type.d == MmaType::s32 ? compute<std::int64_t>(lane, i, product, is_unknown)
                                   : compute<float>(lane, i, product, is_unknown);
  }
  /// At the mbarrier, or at that which each CTA of a mask has at its place.
  static void commit(Lane& lane, const Instruction& i) {
    machine::Instruction arrival =
        MbarrierInstructions::at(lane, i, lane.address(i), machine::OperationKind::arrive_when_multiplied);
    arrival.ctas = ctas_of(i);
    arrival.ordered = lane.thread().cluster_size() > 1 ? machine::Ordered::in_cluster : machine::Ordered::in_cta;
    lane.here(i);
    if (!i.statement->has("multicast::cluster")) {
      return lane.thread().execute(arrival);
    }
    const std::uint64_t mask = lane.known(i, 1, "the mask of CTAs");
    for (int rank = 0; mask >> rank != 0; ++rank) {
      if ((mask >> rank & 1U) != 0) {
        arrival.cta = rank == lane.thread().cluster_rank() ? machine::Instruction::own_cta : rank;
        lane.thread().execute(arrival);
      }
    }
  }
  /// Where 32 threads load from 16 lanes, what each of them gets is not computed.
  static void load(Lane& lane, const Instruction& i) {
    const std::uint64_t address = lane.address(i);
    const bool is_of_each = i.statement->has("32x32b");
    const int from = first_lane_of(lane, i, address, is_of_each);
    const int row = is_of_each ? lane.thread().rank() % Cells::lanes : from;
    const auto first = static_cast<int>(address & 0xffffU);
    const std::vector<int> one{i.result};
    const std::vector<int>& results = i.results.empty() ? one : i.results;
    const auto registers = static_cast<int>(results.size());
    const int count = is_of_each ? registers : 2 * registers;
    const Unknown why = is_of_each ? Unknown() : lane.note_not_computed(i);
    lane.here(i);
    cells(lane).begin_load(first, count, row);
    lane.thread().execute({.kind = machine::OperationKind::load_tensor,
                           .count = count,
                           .column = first,
                           .lane = row,
                           .lanes = is_of_each ? 1 : 16});
    for (int k = 0; k < registers; ++k) {
      const float& cell = cells(lane).at(row, first + k);
      const int reg = results[static_cast<std::size_t>(k)];
      const Unknown is_unknown = why | lane.launch().unknown.any(&cell, sizeof cell);
      lane.set(reg, is_unknown ? 0 : std::bit_cast<std::uint32_t>(cell), is_unknown);
      if (reg >= 0) {
        lane.products().begin(lane.place_of(reg), {RegisterUse::By::load, 0});
      }
    }
  }
  static void await_loads(Lane& lane, const Instruction& i) {
    lane.here(i);
    lane.thread().execute({.kind = machine::OperationKind::await_loads});
    lane.products().commit();
    lane.products().wait(0);
  }
  static void store(Lane& lane, const Instruction& i) {
    const std::uint64_t address = lane.address(i);
    static_cast<void>(first_lane_of(lane, i, address, true));
    const std::vector<Source> one{i.source[1]};
    const std::vector<Source>& values = i.list.empty() ? one : i.list;
    const int row = lane.thread().rank() % Cells::lanes;
    const auto first = static_cast<int>(address & 0xffffU);
    const auto count = static_cast<int>(values.size());
    lane.here(i);
    cells(lane).begin_store(first, count, row);
    lane.thread().execute(
        {.kind = machine::OperationKind::store_tensor, .count = count, .column = first, .lane = row, .lanes = 1});
    for (int k = 0; k < count; ++k) {
      const Value value = lane.value_of(values[static_cast<std::size_t>(k)]);
      float& cell = cells(lane).at(row, first + k);
      cell = std::bit_cast<float>(static_cast<std::uint32_t>(value.bits));
      lane.launch().unknown.set(&cell, sizeof cell, value.is_unknown);
      if (value.is_unknown) {
        lane.launch().on_chip.insert_or_assign(&cell, sizeof cell);
      }
    }
  }
  static void await_stores(Lane& lane, const Instruction& i) {
    lane.here(i);
    lane.thread().execute({.kind = machine::OperationKind::await_stores});
  }

 private:
  using Cells = machine::TensorCells;
  using Major = machine::Major;
  template <class Sum>
  using Values = std::array<Sum, TensorProductType::row_bytes>;
  static constexpr int rows = Cells::lanes;
  static constexpr std::size_t word = 4;  ///< bytes of an allocation's address
  static constexpr int columns_of_a = 8;  ///< that a product reads, where A is in tensor memory: 32 bytes of a row

  struct Product {
    TensorProductType type;
    SharedOperand a;
    SharedOperand b;
    int first;  ///< column
    int columns;
    bool adds;
    int ctas;         ///< each has 128 rows of A and of the sums, and a part of the columns of B
    int column_of_a;  ///< the first, where A is in tensor memory, a row a lane; or -1

    [[nodiscard]] int columns_of_one() const { return columns / ctas; }
    [[nodiscard]] bool has_a_in_tensor_memory() const { return column_of_a >= 0; }
  };

  [[nodiscard]] static int ctas_of(const Instruction& i) { return i.statement->has("cta_group::2") ? 2 : 1; }
  /// The rank of this CTA, or of a CTA of its pair.
  [[nodiscard]] static int rank_in_pair(Lane& lane, const Instruction& i, int cta) {
    const int own = lane.thread().cluster_rank();
    return ctas_of(i) == 1 ? own : (own & ~1) + cta;
  }
  [[nodiscard]] static Cells& cells(Lane& lane) { return lane.thread().tensor_cells(); }
  [[nodiscard]] static Cells& cells(Lane& lane, int rank) { return lane.thread().tensor_cells_of(rank); }
  /// The lane from which on a warp has its columns, the first or, of an instruction of 16 lanes, the middle of its 32.
  [[nodiscard]] static int first_lane_of(Lane& lane, const Instruction& i, std::uint64_t address, bool is_of_all) {
    const int lane_of_warp = lane.thread().rank() / 32 % 4 * 32;
    const auto from = static_cast<int>(address >> 16U);
    if (from != lane_of_warp && (is_of_all || from != lane_of_warp + 16)) {
      lane.fail(i, std::string("a warp ") + (i.statement->has("st") ? "stores to" : "loads") +
                       " tensor memory from lane " + std::to_string(address >> 16U) +
                       " on, of which it has 32 from lane " + std::to_string(lane_of_warp) + " on");
    }
    return from;
  }
  [[nodiscard]] static int columns_of(Lane& lane, const Instruction& i) {
    const std::uint64_t columns = lane.known(i, 1, "the number of columns");
    if (columns < 32 || columns > Cells::columns || !std::has_single_bit(columns)) {
      lane.fail(i, i.statement->opcode + " of " + std::to_string(columns) +
                       " columns, where 32, 64, 128, 256 and 512 are defined");
    }
    return static_cast<int>(columns);
  }
  /// What the instruction's descriptor says, where it is of 128 rows for each CTA.
  [[nodiscard]] static Product product_of(Lane& lane, const Instruction& i) {
    const std::uint64_t to = lane.address(i);
    const std::uint64_t bits = lane.known(i, 3, "the instruction descriptor");
    const auto field = [&](int at, int size) { return static_cast<int>(bits >> at & ((1U << size) - 1U)); };
    const int ctas = ctas_of(i);
    const auto type = TensorProductType::of(*i.statement, bits);
    const bool is_known = type && field(24, 5) == ctas * rows >> 4 && to >> 16U == 0 && field(17, 6) != 0 &&
                          field(17, 6) % (2 * ctas) == 0;
    if (!is_known) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood with this instruction descriptor");
    }
    const bool has_a = i.statement->operands[1].kind == Operand::Kind::memory;
    const std::uint64_t from = has_a ? lane.address(i, 1) : 0;
    if (has_a && (from >> 16U != 0 || field(15, 1) != 0)) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood with this place of A");
    }
    const auto major = [&](int at) { return field(at, 1) != 0 ? Major::mn : Major::k; };
    // Lanes whose sums are kept, a vector, are before the predicate.
    const bool has_mask = i.statement->operands[4].kind == Operand::Kind::list;
    if (has_mask || i.list.size() != 1) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood with these operands");
    }
    return {.type = *type,
            .a = {has_a ? 0 : operand(lane, i, 1, "the descriptor of A"), major(15)},
            .b = {operand(lane, i, 2, "the descriptor of B"), major(16)},
            .first = static_cast<int>(to & 0xffffU),
            .columns = field(17, 6) << 3,
            .adds = lane.known(i, i.list[0], "whether it adds") != 0,
            .ctas = ctas,
            .column_of_a = has_a ? static_cast<int>(from) : -1};
  }
  [[nodiscard]] static std::uint64_t operand(Lane& lane, const Instruction& i, int source, const char* what) {
    const std::uint64_t descriptor = lane.known(i, source, what);
    constexpr std::uint64_t constant = std::uint64_t{1} << 46U;
    constexpr std::uint64_t fixed = ((std::uint64_t{1} << 62U) - 1) & ~((std::uint64_t{1} << 46U) - 1);
    if ((descriptor & fixed) != constant) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood with " + what + " that it has");
    }
    return descriptor;
  }

  template <class Sum>
  static void compute(Lane& lane, const Instruction& i, const Product& product, Unknown is_unknown) {
    const OperandLayout& layout = product.b.layout(lane.launch(), 0, product.columns_of_one());
    std::vector<Values<Sum>> columns;
    for (int column = 0; column < product.columns && !is_unknown; ++column) {
      const SharedOperand b = product.b.of(rank_in_pair(lane, i, column / product.columns_of_one()));
      columns.push_back(values_of<Sum>(product.type.b, product.type.depth,
                                       layout.row_of(b.window(lane), column % product.columns_of_one())));
    }
    for (int cta = 0; cta < product.ctas; ++cta) {
      const int rank = rank_in_pair(lane, i, cta);
      compute_rows(lane, product, product.a.of(rank), cells(lane, rank), columns, is_unknown);
    }
  }
  template <class Sum>
  static void compute_rows(Lane& lane, const Product& product, const SharedOperand& a, Cells& cells,
                           const std::vector<Values<Sum>>& columns, Unknown is_unknown) {
    const TensorProductType& type = product.type;
    UnknownBytes& unknown = lane.launch().unknown;
    const auto bytes = static_cast<std::size_t>(product.columns) * sizeof(float);
    const bool has_a = product.has_a_in_tensor_memory();
    const OperandLayout* const layout = has_a ? nullptr : &a.layout(lane.launch(), 0, rows);
    const unsigned char* const window = has_a ? nullptr : a.window(lane);
    for (int row = 0; row < rows; ++row) {
      float* const sums = &cells.at(row, product.first);
      const float* const of_a = has_a ? &cells.at(row, product.column_of_a) : nullptr;
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
      const Values<Sum> values = values_of<Sum>(type.a, type.depth, row_of_a);
      for (std::size_t column = 0; column < columns.size(); ++column) {
        const auto before = std::bit_cast<std::uint32_t>(sums[column]);
        Sum sum = product.adds ? mma_value<Sum>(type.d, before, 0) : Sum(0);
        for (std::size_t k = 0; k < type.depth; ++k) {
          sum += values[k] * columns[column][k];
        }
        sums[column] = std::bit_cast<float>(static_cast<std::uint32_t>(mma_bits(type.d, sum, type.saturates)));
      }
    }
  }
  template <class Sum>
  [[nodiscard]] static Values<Sum> values_of(MmaType type, std::size_t depth, const SharedOperand::Row& row) {
    Values<Sum> values{};
    const std::size_t bytes = sizeof row / depth;
    for (std::size_t k = 0; k < depth; ++k) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, reinterpret_cast<const unsigned char*>(row.data()) + k * bytes, bytes);
      values[k] = mma_value<Sum>(type, bits, 0);
    }
    return values;
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
