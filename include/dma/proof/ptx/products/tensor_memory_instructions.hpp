#pragma once

#include <dma/machine/host/instruction.hpp>
#include <dma/machine/host/tensor_cells.hpp>
#include <dma/machine/matrix_operand.hpp>
#include <dma/proof/ptx/lane.hpp>
#include <dma/proof/ptx/mbarrier_instructions.hpp>
#include <dma/proof/ptx/memory.hpp>
#include <dma/proof/ptx/products/mma_values.hpp>
#include <dma/proof/ptx/products/shared_operand.hpp>
#include <dma/proof/ptx/register_use.hpp>

#include <algorithm>
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
  return statement.has("kind::f16") && !statement.has("sp") && !statement.has("ws") && statement.operands.size() > 4 &&
         statement.operands[1].kind != Operand::Kind::memory;
}
/// Whether each lane loads columns of its own lane of tensor memory.
[[nodiscard]] inline bool is_load_of_lanes(const Statement& statement) {
  return statement.has("32x32b") && !statement.has("pack::16b") && !statement.has("red");
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
      lane.launch().unknown.set(place, word, false);
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
    bool is_unknown = false;
    for (int cta = 0; cta < product.ctas; ++cta) {
      const int rank = rank_in_pair(lane, i, cta);
      cells(lane, rank).begin_product(product.first, product.columns, product.adds, product.ctas);
      is_unknown = product.a.of(rank).read(lane, i, machine::OperationKind::multiply, 0, rows) || is_unknown;
      is_unknown =
          product.b.of(rank).read(lane, i, machine::OperationKind::multiply, 0, product.columns_of_one()) || is_unknown;
    }
    compute(lane, i, product, is_unknown);
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
  static void load(Lane& lane, const Instruction& i) {
    const std::uint64_t address = lane.address(i);
    const int rank = lane.thread().rank();
    const int lane_of_warp = rank / 32 % 4 * 32;
    if (static_cast<int>(address >> 16U) != lane_of_warp) {
      lane.fail(i, "a warp loads tensor memory from lane " + std::to_string(address >> 16U) +
                       " on, of which it has 32 from lane " + std::to_string(lane_of_warp) + " on");
    }
    const auto first = static_cast<int>(address & 0xffffU);
    const std::vector<int> one{i.result};
    const std::vector<int>& results = i.results.empty() ? one : i.results;
    const auto count = static_cast<int>(results.size());
    lane.here(i);
    cells(lane).begin_load(first, count);
    lane.thread().execute({.kind = machine::OperationKind::load_tensor, .count = count, .column = first});
    for (int k = 0; k < count; ++k) {
      const float& cell = cells(lane).at(rank % Cells::lanes, first + k);
      const int reg = results[static_cast<std::size_t>(k)];
      const bool is_unknown = lane.launch().unknown.any(&cell, sizeof cell);
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
  using Values = std::array<float, SharedOperand::inner>;
  static constexpr int rows = Cells::lanes;
  static constexpr std::size_t word = 4;  ///< bytes of an allocation's address

  struct Product {
    MmaType type;
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
  /// What the instruction's descriptor says, where it is of 128 rows for each CTA and sums of float without signs.
  [[nodiscard]] static Product product_of(Lane& lane, const Instruction& i) {
    const std::uint64_t to = lane.address(i);
    const std::uint64_t bits = lane.known(i, 3, "the instruction descriptor");
    const auto field = [&](int at, int size) { return static_cast<int>(bits >> at & ((1U << size) - 1U)); };
    const int ctas = ctas_of(i);
    const bool is_known = field(0, 7) == 1 << 4 && field(7, 3) < 2 && field(10, 3) == field(7, 3) &&
                          field(13, 2) == 0 && field(24, 5) == ctas * rows >> 4 && to >> 16U == 0 &&
                          field(17, 6) != 0 && field(17, 6) % (2 * ctas) == 0;
    if (!is_known) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood with this instruction descriptor");
    }
    const auto major = [&](int at) { return field(at, 1) != 0 ? Major::mn : Major::k; };
    // Lanes whose sums are kept, a vector, are before the predicate.
    const bool has_mask = i.statement->operands[4].kind == Operand::Kind::list;
    if (has_mask || i.list.size() != 1) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood with these operands");
    }
    return {.type = field(7, 3) == 0 ? MmaType::f16 : MmaType::bf16,
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

  static void compute(Lane& lane, const Instruction& i, const Product& product, bool is_unknown) {
    std::vector<Values> columns;
    for (int column = 0; column < product.columns && !is_unknown; ++column) {
      const int rank = rank_in_pair(lane, i, column / product.columns_of_one());
      columns.push_back(values_of(product.type, product.b.of(rank).row_of(lane, column % product.columns_of_one())));
    }
    for (int cta = 0; cta < product.ctas; ++cta) {
      const int rank = rank_in_pair(lane, i, cta);
      compute_rows(lane, product, product.a.of(rank), cells(lane, rank), columns, is_unknown);
    }
  }
  static void compute_rows(Lane& lane, const Product& product, const SharedOperand& a, Cells& cells,
                           const std::vector<Values>& columns, bool is_unknown) {
    UnknownBytes& unknown = lane.launch().unknown;
    const auto bytes = static_cast<std::size_t>(product.columns) * sizeof(float);
    for (int row = 0; row < rows; ++row) {
      float* const sums = &cells.at(row, product.first);
      const bool is_lost = is_unknown || (product.adds && unknown.any(sums, bytes));
      unknown.set(sums, bytes, is_lost);
      if (is_lost) {
        continue;
      }
      const Values values = values_of(product.type, a.row_of(lane, row));
      for (std::size_t column = 0; column < columns.size(); ++column) {
        float sum = product.adds ? sums[column] : 0.0F;
        for (std::size_t k = 0; k < values.size(); ++k) {
          sum += values[k] * columns[column][k];
        }
        sums[column] = sum;
      }
    }
  }
  [[nodiscard]] static Values values_of(MmaType type, const SharedOperand::Row& row) {
    Values values{};
    std::transform(row.begin(), row.end(), values.begin(),
                   [&](std::uint16_t bits) { return mma_value<float>(type, bits, 0); });
    return values;
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
