#pragma once

#include <dma/machine/host/instruction.hpp>
#include <dma/machine/host/tensor_cells.hpp>
#include <dma/proof/ptx/lane.hpp>
#include <dma/proof/ptx/mbarrier_instructions.hpp>
#include <dma/proof/ptx/memory.hpp>
#include <dma/proof/ptx/products/tensor_ctas.hpp>
#include <dma/proof/ptx/products/tensor_fragment.hpp>
#include <dma/proof/ptx/registers/register_use.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// Whether a warp loads words of tensor memory, or stores them, as they are.
[[nodiscard]] inline bool is_access_of_words(const Statement& statement) {
  return TensorFragment::has_shape(statement) && !statement.has("pack::16b") && !statement.has("unpack::16b") &&
         !statement.has("red");
}

/// The allocation of tensor memory, its loads and stores, its fences and the arrival of what is done there.
///
/// Source  PTX ISA, "TensorCore 5th Generation Family Instructions"
class TensorMemoryInstructions {
 public:
  static void allocate(Lane& lane, const Instruction& i) {
    const int columns = columns_of(lane, i);
    const std::uint64_t address = lane.address(i);
    lane.here(i);
    if (lane.thread().elect()) {
      const TensorCtas ctas(lane, i);
      ctas.expect_all();
      unsigned char* const place = lane.memory(i, Space::shared, address, word, word, machine::Access::write);
      MemoryAccess::report(lane, i, place, word, machine::Access::write);
      const int first = lane.thread().tensor_cells().allocate(columns, lane.thread().rank() / 32, ctas.count());
      const auto bits = static_cast<std::uint32_t>(first);
      std::memcpy(place, &bits, word);
      lane.launch().unknown.set(place, word, {});
    }
  }
  static void relinquish(Lane& lane, const Instruction& i) {
    lane.here(i);
    if (lane.thread().elect()) {
      lane.thread().tensor_cells().relinquish(TensorCtas(lane, i).count());
    }
  }
  static void free(Lane& lane, const Instruction& i) {
    const int columns = columns_of(lane, i);
    const auto first = static_cast<int>(lane.known(i, 0, "the address"));
    lane.here(i);
    if (lane.thread().elect()) {
      lane.thread().execute({.kind = machine::OperationKind::free_tensor, .count = columns, .column = first});
      lane.thread().tensor_cells().free(first, columns, lane.thread().rank() / 32, TensorCtas(lane, i).count());
    }
  }
  static void fence(Lane& lane, const Instruction& i) {
    lane.here(i);
    lane.thread().execute(
        {.kind = machine::OperationKind::fence_tensor, .count = i.statement->has("fence::after_thread_sync") ? 1 : 0});
  }
  /// At the mbarrier, or at that which each CTA of a mask has at its place.
  static void commit(Lane& lane, const Instruction& i) {
    machine::Instruction arrival =
        MbarrierInstructions::at(lane, i, lane.address(i), machine::OperationKind::arrive_when_multiplied);
    arrival.ctas = TensorCtas(lane, i).count();
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
    const std::vector<int> one{i.result};
    const std::vector<int>& results = i.results.empty() ? one : i.results;
    const Access access = access_of(lane, i, results.size());
    lane.here(i);
    Cells& cells = lane.thread().tensor_cells();
    access.for_each_range([&](int first, int count) { cells.begin_load(first, count, access.lane, access.lanes()); });
    lane.thread().execute(access.operation(machine::OperationKind::load_tensor));
    for (int k = 0; k < access.registers; ++k) {
      const float& cell = access.cell(cells, k);
      const int reg = results[static_cast<std::size_t>(k)];
      const Unknown is_unknown = lane.launch().unknown.any(&cell, sizeof cell);
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
    const std::vector<Source> one{i.source[is_of_halves(i) ? 2 : 1]};
    const std::vector<Source>& values = i.list.empty() ? one : i.list;
    const Access access = access_of(lane, i, values.size());
    lane.here(i);
    Cells& cells = lane.thread().tensor_cells();
    access.for_each_range([&](int first, int count) { cells.begin_store(first, count, access.lane, access.lanes()); });
    lane.thread().execute(access.operation(machine::OperationKind::store_tensor));
    for (int k = 0; k < access.registers; ++k) {
      const Value value = lane.value_of(values[static_cast<std::size_t>(k)]);
      float& cell = access.cell(cells, k);
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
  static constexpr std::size_t word = 4;  ///< bytes of an allocation's address

  /// What a thread loads or stores.
  struct Access {
    TensorFragment fragment;
    int lane;    ///< the warp's first
    int column;  ///< likewise
    int registers;
    int second_half;  ///< columns from the first half on; 0: there is one

    [[nodiscard]] int lanes() const noexcept { return fragment.lanes; }
    [[nodiscard]] int repeats() const noexcept { return registers / fragment.registers(); }
    [[nodiscard]] float& cell(Cells& cells, int reg) const noexcept {
      return cells.at(lane + fragment.row_of(reg), column + fragment.column_of(reg));
    }
    /// Columns of the warp.
    template <class Visit>
    void for_each_range(const Visit& visit) const {
      visit(column, repeats() * fragment.step);
      if (second_half != 0) {
        visit(column + second_half, repeats() * fragment.step);
      }
    }
    [[nodiscard]] machine::Instruction operation(machine::OperationKind kind) const {
      const bool is_dense = fragment.columns == fragment.step;
      return {.kind = kind,
              .count = is_dense ? repeats() * fragment.columns : fragment.columns,
              .column = column + fragment.column,
              .lane = lane + fragment.row,
              .lanes = fragment.rows,
              .lane_step = TensorFragment::row_step,
              .repeats = is_dense ? 1 : repeats(),
              .repeat_step = fragment.step};
    }
  };

  [[nodiscard]] static bool is_of_halves(const Instruction& i) { return i.statement->has("16x32bx2"); }
  [[nodiscard]] static Access access_of(Lane& lane, const Instruction& i, std::size_t registers) {
    const std::uint64_t address = lane.address(i);
    const int second_half = is_of_halves(i) ? static_cast<int>(lane.known(i, 1, "the second half")) : 0;
    const auto fragment = TensorFragment::of(*i.statement, lane.thread().rank() % 32, second_half);
    return {fragment, first_lane_of(lane, i, address, fragment.lanes == Cells::warp_lanes),
            static_cast<int>(address & 0xffffU), static_cast<int>(registers), second_half};
  }
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
};

}  // namespace dma::inline v0_1::proof::ptx::detail
