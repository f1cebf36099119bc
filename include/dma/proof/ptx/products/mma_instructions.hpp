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
  /// Takes the shape, and all operands into one list: single registers stand without braces.
  ///
  /// @pre `has_known_shape` of the statement
  static void prepare(Instruction& i) {
    take_shape<MmaShape>(i);
    const std::size_t first = i.sources == 1 ? shape_of<MmaShape>(i).registers_of_a() : 0;
    i.list.insert(i.list.begin() + static_cast<std::ptrdiff_t>(std::min(first, i.list.size())), i.source.begin(),
                  i.source.begin() + i.sources);
    i.sources = 0;
  }
  static void multiply(Lane& lane, const Instruction& i) {
    const auto& shape = shape_of<MmaShape>(i);
    const std::size_t factors = shape.registers_of_a() + shape.registers_of_b();
    if (i.list.size() != factors + shape.registers_of(shape.c) || i.results.size() != shape.registers_of(shape.d)) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " has other registers than its shape");
    }
    lane.here(i);
    if (const Unknown why = lane.left_out(i); why) {
      lane.thread().come_with_warp();
      return lane.forget_results(i, why);
    }
    if (shape.a == MmaType::f64) {
      set_sums<double, double>(lane, i, shape, i.list.data());
    } else if (shape.a == MmaType::b1) {
      set_sums<std::int64_t, std::uint32_t>(lane, i, shape, i.list.data());
    } else if (shape.c == MmaType::s32) {
      set_sums<std::int64_t, std::int16_t>(lane, i, shape, i.list.data());
    } else {
      set_sums<float, float>(lane, i, shape, i.list.data());
    }
  }

 private:
  /// A and B in the registers of all lanes. Each lane converts its own values.
  ///
  /// @tparam Factor  of a value; of one bit, 32 values
  template <class Factor>
  class Factors {
   public:
    Factors(Lane& lane, const Source* operands, const MmaShape& shape)
        : of_a_(shape.registers_of_a()),
          packed_(shape.packed),
          of_lane_((of_a_ + shape.registers_of_b()) * packed_ + 1) {
      std::array<Factor, most> mine{};
      int unknown = 0;
      for (std::size_t reg = 0; reg < of_a_ + shape.registers_of_b(); ++reg) {
        const Value value = lane.value_of(operands[reg]);
        for (std::size_t place = 0; place < packed_; ++place) {
          mine[reg * packed_ + place] = factor_of(reg < of_a_ ? shape.a : shape.b, value.bits, place);
        }
        unknown |= value.is_unknown ? reg < of_a_ ? 1 : 2 : 0;
      }
      mine[of_lane_ - 1] = static_cast<Factor>(unknown);
      lane.thread().exchange(MatrixInstructions::all_lanes, mine.data(), of_lane_ * sizeof mine[0], values_.data());
    }
    /// The values of a register, which follow one another along k.
    [[nodiscard]] const Factor* a(std::size_t lane, std::size_t reg) const {
      return &values_[lane * of_lane_ + reg * packed_];
    }
    [[nodiscard]] const Factor* b(std::size_t lane, std::size_t reg) const { return a(lane, of_a_ + reg); }
    /// Whether some of row `g` of A, in each block, or of column `n` of B are not known.
    [[nodiscard]] bool any_unknown(std::size_t g, std::size_t n) const {
      bool any = false;
      for (std::size_t t = 0; t < MmaShape::lanes_of_row; ++t) {
        any = any || (unknown_of(4 * g + t) & 1) != 0 || (unknown_of(4 * n + t) & 2) != 0;
      }
      return any;
    }

   private:
    static constexpr std::size_t most = 104 / sizeof(Factor);  ///< values of a lane, with what is unknown

    [[nodiscard]] static Factor factor_of(MmaType type, std::uint64_t bits, std::size_t place) {
      if constexpr (std::is_same_v<Factor, std::uint32_t>) {
        return static_cast<Factor>(bits);
      } else {
        return mma_value<Factor>(type, bits, place);
      }
    }
    [[nodiscard]] int unknown_of(std::size_t lane) const {
      return static_cast<int>(values_[lane * of_lane_ + of_lane_ - 1]);
    }

    std::size_t of_a_;
    std::size_t packed_;
    std::size_t of_lane_;
    std::array<Factor, 32 * most> values_;
  };

  /// With the product of two factors.
  template <class Sum, class Factor>
  [[nodiscard]] static Sum add(const MmaShape& shape, Sum sum, Factor a, Factor b) {
    if constexpr (std::is_same_v<Factor, std::uint32_t>) {
      return sum + static_cast<Sum>(std::popcount(shape.is_and ? a & b : a ^ b));
    } else if constexpr (std::is_same_v<Sum, double>) {
      return std::fma(a, b, sum);
    } else {
      return sum + static_cast<Sum>(a) * static_cast<Sum>(b);
    }
  }
  /// Row g + 8 h and column 2 t + p of D.
  template <class Sum, class Factor>
  static void set_sums(Lane& lane, const Instruction& i, const MmaShape& shape, const Source* operands) {
    constexpr std::size_t of_row = MmaShape::lanes_of_row;
    const Factors<Factor> all(lane, operands, shape);
    const Source* const c = operands + shape.registers_of_a() + shape.registers_of_b();
    const std::size_t g = lane.lane() / of_row;
    const std::size_t first = 2 * (lane.lane() % of_row);
    const auto before = [&](std::size_t h, std::size_t p) {
      return lane.value_of(c[shape.c == MmaType::f16 ? h : 2 * h + p]);
    };
    std::array<Sum, 4> sums{};  // of h and p: side by side, so that none waits for another
    for (std::size_t s = 0; s < 2 * shape.row_blocks(); ++s) {
      sums[s] = mma_value<Sum>(shape.c, before(s / 2, s % 2).bits, s % 2);
    }
    for (std::size_t reg = 0; reg < shape.blocks() * of_row; ++reg) {
      const std::size_t t = reg % of_row;
      for (std::size_t place = 0; place < shape.packed; ++place) {
        for (std::size_t s = 0; s < 2 * shape.row_blocks(); ++s) {
          sums[s] = add(shape, sums[s], all.a(of_row * g + t, s / 2 + shape.row_blocks() * (reg / of_row))[place],
                        all.b(of_row * (first + s % 2) + t, reg / of_row)[place]);
        }
      }
    }
    for (std::size_t h = 0; h < shape.row_blocks(); ++h) {
      std::uint64_t halves = 0;
      Unknown is_unknown;
      for (std::size_t p = 0; p < 2; ++p) {
        const Unknown is_open =
            before(h, p).is_unknown | (all.any_unknown(g, first + p) ? lane.unknown_by(i) : Unknown());
        is_unknown = is_unknown | is_open;
        halves |= mma_bits(shape.d, sums[2 * h + p], shape.saturates) << (shape.d == MmaType::f16 ? 16 * p : 0);
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
