#pragma once

#include <dma/machine/host/emulated_thread.hpp>
#include <dma/proof/ptx/lane.hpp>
#include <dma/proof/ptx/memory.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace dma::inline v0_1::proof::ptx::detail {

/// Loads and stores of matrices by a warp.
///
/// Source  PTX ISA, "ldmatrix", "stmatrix"
class MatrixInstructions {
 public:
  static constexpr unsigned all_lanes = 0xffffffffU;

  /// Takes whether the matrices are transposed, and whether they are of 8 x 8 halves.
  static void prepare(Instruction& i) {
    i.flags = i.statement->has("trans") ? transposed : 0;
    i.mode = i.statement->has("m8n8") && i.statement->has("b16") ? 1 : 0;
  }
  /// Each lane of a group of eight gives the address of a row of 16 bytes.
  static void load_rows(Lane& lane, const Instruction& i) {
    const std::size_t count = expect_8_by_8(lane, i, i.results.empty() ? 1 : i.results.size());
    Value mine;
    if (lane.lane() < 8 * count) {
      unsigned char* const row = row_of(lane, i, machine::Access::read, &i);
      mine = {reinterpret_cast<std::uintptr_t>(row), lane.launch().unknown.any(row, row_bytes)};
    }
    std::array<Value, 32> rows{};
    lane.here(i);
    lane.thread().exchange(all_lanes, &mine, sizeof mine, rows.data());
    const bool is_transposed = (i.flags & transposed) != 0;
    for (std::size_t matrix = 0; matrix < count; ++matrix) {
      std::uint32_t bits = 0;
      Unknown is_unknown;
      for (unsigned half = 0; half < 2; ++half) {
        const auto [row, column] = element_of(lane.lane(), half, is_transposed);
        const Value& from = rows[8 * matrix + row];
        std::uint16_t value = 0;
        std::memcpy(&value, reinterpret_cast<const unsigned char*>(from.bits) + 2 * column, sizeof value);
        bits |= std::uint32_t{value} << (16 * half);
        is_unknown = is_unknown | from.is_unknown;
      }
      lane.set(i.results.empty() ? i.result : i.results[matrix], bits, is_unknown);
    }
  }
  static void store_rows(Lane& lane, const Instruction& i) {
    const std::size_t count = expect_8_by_8(lane, i, i.list.empty() ? 1 : i.list.size());
    std::array<std::uint32_t, 4> mine{};
    std::array<Unknown, 4> unknown{};
    for (std::size_t matrix = 0; matrix < count; ++matrix) {
      const Value value = lane.value_of(i.list.empty() ? i.source[1] : i.list[matrix]);
      mine[matrix] = static_cast<std::uint32_t>(value.bits);
      unknown[matrix] = value.is_unknown;
    }
    std::array<std::array<std::uint32_t, 4>, 32> all{};
    std::array<std::array<Unknown, 4>, 32> all_unknown{};
    lane.here(i);
    lane.thread().exchange(all_lanes, mine.data(), sizeof mine, all.data());
    lane.thread().exchange(all_lanes, &unknown, sizeof unknown, all_unknown.data());
    const std::size_t matrix = lane.lane() / 8;
    if (matrix >= count) {
      return;
    }
    Unknown why;
    for (unsigned from = 0; from < 32; ++from) {
      why = why | all_unknown[from][matrix];
    }
    unsigned char* const row = row_of(lane, i, machine::Access::write, lane.code_of_store(i, why));
    for (unsigned from = 0; from < 32; ++from) {
      for (unsigned half = 0; half < 2; ++half) {
        const auto [at, column] = element_of(from, half, (i.flags & transposed) != 0);
        if (at == lane.lane() % 8) {
          const auto value = static_cast<std::uint16_t>(all[from][matrix] >> (16 * half));
          std::memcpy(row + 2 * column, &value, sizeof value);
          lane.launch().unknown.set(row + 2 * column, sizeof value, all_unknown[from][matrix]);
        }
      }
    }
  }

 private:
  static constexpr std::size_t row_bytes = 16;
  static constexpr int transposed = 1;  ///< a flag

  struct Element {
    unsigned row;
    unsigned column;
  };

  /// An element of a matrix of 8 x 8 that a lane has in a register, of two.
  [[nodiscard]] static Element element_of(unsigned lane, unsigned half, bool is_transposed) {
    const Element element{lane / 4, 2 * (lane % 4) + half};
    return is_transposed ? Element{element.column, element.row} : element;
  }
  [[nodiscard]] static std::size_t expect_8_by_8(const Lane& lane, const Instruction& i, std::size_t matrices) {
    if (i.mode == 0 || matrices > 4) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood");
    }
    return matrices;
  }
  [[nodiscard]] static unsigned char* row_of(Lane& lane, const Instruction& i, machine::Access access,
                                             const void* code) {
    unsigned char* const row = lane.memory(i, i.space, lane.address(i), row_bytes, row_bytes, access);
    MemoryAccess::report(lane, i, row, row_bytes, access, code);
    return row;
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
