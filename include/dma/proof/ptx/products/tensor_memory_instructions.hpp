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

/// Whether a product into tensor memory is one of dense operands in shared memory.
[[nodiscard]] inline bool is_dense_product(const Statement& statement) {
  return TensorProductType::has_kind(statement) && !statement.has("sp") && !statement.has("ws") &&
         statement.operands.size() > 4 && statement.operands[1].kind != Operand::Kind::memory;
}
/// Whether a warp loads columns of its lanes of tensor memory, or of 16 of them.
[[nodiscard]] inline bool is_load_of_columns(const Statement& statement) {
  return (statement.has("32x32b") || statement.has("16x64b") || statement.has("16x128b") || statement.has("16x256b")) &&
         !statement.has("pack::16b") && !statement.has("red");
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
                           .column = product.first});
    Unknown is_unknown;
    for (int cta = 0; cta < product.ctas; ++cta) {
      const int rank = rank_in_pair(lane, i, cta);
      cells(lane, rank).begin_product(product.first, product.columns, product.adds, product.ctas);
      is_unknown = is_unknown | product.a.of(rank).read(lane, i, machine::OperationKind::multiply, 0, rows);
      is_unknown =
          is_unknown | product.b.of(rank).read(lane, i, machine::OperationKind::multiply, 0, product.columns_of_one());
    }
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
    const int rank = lane.thread().rank();
    const int lane_of_warp = rank / 32 % 4 * 32;
    const bool is_of_each = i.statement->has("32x32b");
    const auto from = static_cast<int>(address >> 16U);
    const bool is_upper_half = from == lane_of_warp + 16;
    if (from != lane_of_warp && (is_of_each || !is_upper_half)) {
      lane.fail(i, "a warp loads tensor memory from lane " + std::to_string(address >> 16U) +
                       " on, of which it has 32 from lane " + std::to_string(lane_of_warp) + " on");
    }
    const auto first = static_cast<int>(address & 0xffffU);
    const std::vector<int> one{i.result};
    const std::vector<int>& results = i.results.empty() ? one : i.results;
    const auto registers = static_cast<int>(results.size());
    const int count = is_of_each ? registers : 2 * registers;
    const Unknown why = is_of_each ? Unknown() : lane.note_not_computed(i);
    lane.here(i);
    cells(lane).begin_load(first, count);
    lane.thread().execute({.kind = machine::OperationKind::load_tensor, .count = count, .column = first});
    for (int k = 0; k < registers; ++k) {
      const float& cell = cells(lane).at(rank % Cells::lanes, first + k);
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

 private:
  using Cells = machine::TensorCells;
  using Major = machine::Major;
  template <class Sum>
  using Values = std::array<Sum, TensorProductType::row_bytes>;
  static constexpr int rows = Cells::lanes;
  static constexpr std::size_t word = 4;  ///< bytes of an allocation's address

  struct Product {
    TensorProductType type;
    SharedOperand a;
    SharedOperand b;
    int first;  ///< column
    int columns;
    bool adds;
    int ctas;  ///< each has 128 rows of A and of the sums, and a part of the columns of B

    [[nodiscard]] int columns_of_one() const { return columns / ctas; }
  };

  [[nodiscard]] static int ctas_of(const Instruction& i) { return i.statement->has("cta_group::2") ? 2 : 1; }
  /// The rank of this CTA, or of a CTA of its pair.
  [[nodiscard]] static int rank_in_pair(Lane& lane, const Instruction& i, int cta) {
    const int own = lane.thread().cluster_rank();
    return ctas_of(i) == 1 ? own : (own & ~1) + cta;
  }
  [[nodiscard]] static Cells& cells(Lane& lane) { return lane.thread().tensor_cells(); }
  [[nodiscard]] static Cells& cells(Lane& lane, int rank) { return lane.thread().tensor_cells_of(rank); }
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
    const auto major = [&](int at) { return field(at, 1) != 0 ? Major::mn : Major::k; };
    // Lanes whose sums are kept, a vector, are before the predicate.
    const bool has_mask = i.statement->operands[4].kind == Operand::Kind::list;
    if (has_mask || i.list.size() != 1) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood with these operands");
    }
    return {.type = *type,
            .a = {operand(lane, i, 1, "the descriptor of A"), major(15)},
            .b = {operand(lane, i, 2, "the descriptor of B"), major(16)},
            .first = static_cast<int>(to & 0xffffU),
            .columns = field(17, 6) << 3,
            .adds = lane.known(i, i.list[0], "whether it adds") != 0,
            .ctas = ctas};
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
    const OperandLayout& layout = a.layout(lane.launch(), 0, rows);
    const unsigned char* const window = a.window(lane);
    for (int row = 0; row < rows; ++row) {
      float* const sums = &cells.at(row, product.first);
      const Unknown is_lost = is_unknown | (product.adds ? unknown.any(sums, bytes) : Unknown());
      unknown.set(sums, bytes, is_lost);
      if (is_lost) {
        lane.launch().on_chip.insert_or_assign(sums, bytes);
        continue;
      }
      const Values<Sum> values = values_of<Sum>(type.a, type.depth, layout.row_of(window, row));
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
