#pragma once

#include <dma/machine/host/emulated_thread.hpp>
#include <dma/proof/ptx/lane.hpp>
#include <dma/proof/ptx/matrix_instructions.hpp>
#include <dma/proof/ptx/products/mma_shape.hpp>
#include <dma/proof/ptx/products/mma_values.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// Products of a warp, whose lanes have their parts of the matrices in registers (`MmaShape`).
///
/// A sum is made along k, in order and in the type of C; a GPU's order and roundings are its own.
///
/// Source  PTX ISA, "mma"
class MmaInstructions {
 public:
  /// @pre `has_known_shape` of the statement
  static void multiply(Lane& lane, const Instruction& i) {
    const auto [known, is_new] = lane.launch().mma_shapes.try_emplace(i.statement);
    if (is_new) {
      known->second = MmaShape::of(*i.statement);
    }
    const MmaShape& shape = known->second;
    std::vector<Source> operands = i.list;  // single registers stand without braces
    if (i.sources > 0) {
      const std::size_t first = i.sources == 1 ? shape.registers_of_a() : 0;
      operands.insert(operands.begin() + static_cast<std::ptrdiff_t>(std::min(first, operands.size())),
                      i.source.begin(), i.source.begin() + i.sources);
    }
    const std::size_t of_a = shape.registers_of_a();
    const std::size_t factors = of_a + shape.registers_of_b();
    if (operands.size() != factors + shape.registers_of(shape.c) || i.results.size() != shape.registers_of(shape.d)) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " has other registers than its shape");
    }
    lane.here(i);
    const Factors all(lane, operands.data(), shape);
    if (shape.a == MmaType::f64) {
      set_sums<double>(lane, i, shape, all, operands.data() + factors);
    } else if (shape.c == MmaType::s32) {
      set_sums<std::int64_t>(lane, i, shape, all, operands.data() + factors);
    } else {
      set_sums<float>(lane, i, shape, all, operands.data() + factors);
    }
  }

 private:
  /// A and B in the registers of all lanes.
  class Factors {
   public:
    Factors(Lane& lane, const Source* operands, const MmaShape& shape)
        : of_a_(shape.registers_of_a()), of_lane_(of_a_ + shape.registers_of_b() + 1) {
      std::array<std::uint64_t, most> mine{};
      std::uint64_t unknown = 0;
      for (std::size_t k = 0; k + 1 < of_lane_; ++k) {
        const Value value = lane.value_of(operands[k]);
        mine[k] = value.bits;
        unknown |= value.is_unknown ? k < of_a_ ? 1U : 2U : 0U;
      }
      mine[of_lane_ - 1] = unknown;
      lane.thread().exchange(MatrixInstructions::all_lanes, mine.data(), of_lane_ * sizeof mine[0], words_.data());
    }
    [[nodiscard]] std::uint64_t a(std::size_t lane, std::size_t reg) const { return words_[lane * of_lane_ + reg]; }
    [[nodiscard]] std::uint64_t b(std::size_t lane, std::size_t reg) const { return a(lane, of_a_ + reg); }
    /// Whether some of row `g` of A, in each block, or of column `n` of B are not known.
    [[nodiscard]] bool any_unknown(std::size_t g, std::size_t n) const {
      bool any = false;
      for (std::size_t t = 0; t < MmaShape::lanes_of_row; ++t) {
        any = any || (a(4 * g + t, of_lane_ - 1) & 1U) != 0 || (a(4 * n + t, of_lane_ - 1) & 2U) != 0;
      }
      return any;
    }

   private:
    static constexpr std::size_t most = 13;  ///< words of a lane

    std::size_t of_a_;
    std::size_t of_lane_;
    std::array<std::uint64_t, 32 * most> words_{};
  };

  /// With the product of values `place` of two registers.
  template <class Sum>
  [[nodiscard]] static Sum add(const MmaShape& shape, Sum sum, std::uint64_t a, std::uint64_t b, std::size_t place) {
    if (shape.a == MmaType::b1) {
      return sum + static_cast<Sum>(std::popcount(static_cast<std::uint32_t>(shape.is_and ? a & b : a ^ b)));
    }
    if constexpr (std::is_same_v<Sum, double>) {
      return std::fma(mma_value<Sum>(shape.a, a, place), mma_value<Sum>(shape.b, b, place), sum);
    }
    return sum + mma_value<Sum>(shape.a, a, place) * mma_value<Sum>(shape.b, b, place);
  }
  /// Row g + 8 h and column 2 t + p of D.
  template <class Sum>
  static void set_sums(Lane& lane, const Instruction& i, const MmaShape& shape, const Factors& all, const Source* c) {
    const std::size_t g = lane.lane() / MmaShape::lanes_of_row;
    for (std::size_t h = 0; h < shape.row_blocks(); ++h) {
      std::uint64_t halves = 0;
      bool is_unknown = false;
      for (std::size_t p = 0; p < 2; ++p) {
        const std::size_t n = 2 * (lane.lane() % MmaShape::lanes_of_row) + p;
        const Value before = lane.value_of(c[shape.c == MmaType::f16 ? h : 2 * h + p]);
        Sum sum = mma_value<Sum>(shape.c, before.bits, p);
        for (std::size_t reg = 0; reg < shape.blocks() * MmaShape::lanes_of_row; ++reg) {
          const std::size_t block = reg / MmaShape::lanes_of_row;
          const std::size_t t = reg % MmaShape::lanes_of_row;
          const std::uint64_t a = all.a(MmaShape::lanes_of_row * g + t, h + shape.row_blocks() * block);
          const std::uint64_t b = all.b(MmaShape::lanes_of_row * n + t, block);
          for (std::size_t place = 0; place < shape.packed; ++place) {
            sum = add(shape, sum, a, b, place);
          }
        }
        const bool is_open = before.is_unknown || all.any_unknown(g, n);
        is_unknown = is_unknown || is_open;
        halves |= mma_bits(shape.d, sum, shape.saturates) << (shape.d == MmaType::f16 ? 16 * p : 0);
        if (shape.d != MmaType::f16) {
          lane.set(i.results[2 * h + p], std::exchange(halves, 0), is_open);
        }
      }
      if (shape.d == MmaType::f16) {
        lane.set(i.results[h], halves, is_unknown);
      }
    }
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
