#pragma once

#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/host/instruction.hpp>
#include <dma/proof/ptx/lane.hpp>
#include <dma/proof/ptx/memory.hpp>
#include <dma/proof/ptx/products/matrix_element.hpp>
#include <dma/proof/ptx/products/mma_values.hpp>
#include <dma/proof/ptx/products/wmma_shape.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// Matrices that a warp loads, multiplies and stores, at places in its registers that are its own (`WmmaMatrix`).
///
/// A value is known where it does not depend on these places: of what was loaded or multiplied with the same shape,
/// type and layout, of one value everywhere, and of the same function of such elements in all lanes and registers. A
/// sum is made along k, in order and in the type of C; a GPU's order and roundings are its own.
///
/// Source  PTX ISA, "wmma.load", "wmma.store", "wmma.mma"
class WmmaInstructions {
 public:
  /// Which lane reads which element is not said: each reads all.
  static void load(Lane& lane, const Instruction& i) {
    const WmmaMatrix matrix = matrix_of(lane, i);
    const std::vector<int> registers = i.results.empty() ? std::vector<int>{i.result} : i.results;
    expect(lane, i, matrix.fits(registers.size()));
    const Lines lines = lines_of(lane, i, matrix);
    std::vector<const unsigned char*> places(matrix.lines());
    Unknown is_unknown;
    for (std::size_t line = 0; line < places.size(); ++line) {
      const unsigned char* const place =
          lane.memory(i, i.space, lines.first + line * lines.pitch, lines.bytes, 1, machine::Access::read);
      MemoryAccess::report(lane, i, place, lines.bytes, machine::Access::read);
      is_unknown = is_unknown | lane.launch().unknown.any(place, lines.bytes);
      places[line] = place;
    }
    if (is_unknown) {
      return lane.forget_results(i, is_unknown);
    }
    for (std::size_t reg = 0; reg < registers.size(); ++reg) {
      std::uint64_t bits = 0;
      for (std::size_t part = 0; part < matrix.packed(); ++part) {
        const std::size_t e = (reg * matrix.packed() + part) * 32 % matrix.count() + lane.lane();
        bits |= element(places[matrix.line_of(e)], matrix.place_in_line(e), matrix.bits()) << (part * matrix.bits());
      }
      lane.set_element(registers[reg], bits, element_of(matrix, reg));
    }
  }
  /// Each lane writes a line.
  static void store(Lane& lane, const Instruction& i) {
    const WmmaMatrix matrix = matrix_of(lane, i);
    const std::vector<Source>& registers = i.list;
    expect(lane, i, matrix.fits(registers.size()) && registers.size() <= most && matrix.bits() >= 8);
    const Lines lines = lines_of(lane, i, matrix);
    lane.here(i);
    const Parts parts(lane, registers.data(), registers.size(), matrix);
    const Unknown why = parts.are_known() ? Unknown() : not_computed(lane, i);
    for (std::size_t line = lane.lane(); line < matrix.lines(); line += 32) {
      unsigned char* const place =
          lane.memory(i, i.space, lines.first + line * lines.pitch, lines.bytes, 1, machine::Access::write);
      MemoryAccess::report(lane, i, place, lines.bytes, machine::Access::write);
      for (std::size_t k = 0; k < matrix.line_length() && parts.are_known(); ++k) {
        const std::uint64_t bits = parts.element(matrix.element_at(line, k));
        std::memcpy(place + k * matrix.bits() / 8, &bits, matrix.bits() / 8);
      }
      lane.launch().unknown.set(place, lines.bytes, why);
    }
  }
  /// @pre `has_known_wmma_shape` of the statement
  static void multiply(Lane& lane, const Instruction& i) {
    const auto& shape = shape_of<WmmaShape>(i);
    const std::size_t of_c = shape.c.of_lane() / shape.c.packed();
    const std::size_t of_d = shape.d.of_lane() / shape.d.packed();
    const std::size_t of_a = registers_of(shape.a);
    const std::size_t of_b = registers_of(shape.b);
    const std::vector<Source> registers = with_single(i, of_a == 1 ? 0 : of_a);
    expect(lane, i, registers.size() == of_a + of_b + of_c && i.results.size() == of_d);
    lane.here(i);
    const Parts a(lane, registers.data(), of_a, shape.a);
    const Parts b(lane, registers.data() + of_a, of_b, shape.b);
    const Parts c(lane, registers.data() + of_a + of_b, of_c, shape.c);
    if (!a.are_known() || !b.are_known() || !c.are_known()) {
      return lane.forget_results(i, not_computed(lane, i));
    }
    if (shape.d.type == MmaType::f64) {
      set_sums<double>(lane, i, shape, a, b, c);
    } else if (shape.d.type == MmaType::s32) {
      set_sums<std::int64_t>(lane, i, shape, a, b, c);
    } else {
      set_sums<float>(lane, i, shape, a, b, c);
    }
  }

 private:
  static constexpr std::size_t most = 8;  ///< registers of an operand

  /// Elements are not known. Those of a product that is left out are no reason for the verdict's list.
  [[nodiscard]] static Unknown not_computed(Lane& lane, const Instruction& i) {
    lane.expect_products(i);
    return lane.note_not_computed(i);
  }

  struct Lines {
    std::uint64_t first;  ///< address
    std::size_t bytes;    ///< of one
    std::uint64_t pitch;
  };
  /// The registers of all lanes for one operand, and whether they have what they should.
  class Parts {
   public:
    Parts(Lane& lane, const Source* registers, std::size_t count, const WmmaMatrix& matrix)
        : matrix_(matrix), of_lane_(count + 1) {
      std::array<std::uint64_t, most + 1> mine{};
      for (std::size_t reg = 0; reg < count; ++reg) {
        mine[reg] = lane.value_of(registers[reg]).bits;
      }
      mine[count] = made_of(lane, registers, count, matrix);
      lane.thread().exchange(all_lanes, mine.data(), of_lane_ * sizeof mine[0], words_.data());
      for (std::size_t other = 0; other < 32; ++other) {
        are_known_ = are_known_ && mine[count] != 0 && words_[other * of_lane_ + count] == mine[count];
      }
    }
    [[nodiscard]] bool are_known() const noexcept { return are_known_; }
    /// Element `e` of the matrix.
    [[nodiscard]] std::uint64_t element(std::size_t e) const {
      const std::size_t at = e / 32;
      const std::uint64_t word = words_[e % 32 * of_lane_ + at / matrix_.packed()];
      const std::size_t bits = matrix_.bits();
      return bits == 64 ? word : word >> (at % matrix_.packed() * bits) & ((std::uint64_t{1} << bits) - 1);
    }

   private:
    /// How a lane's part was made; 0 where it is not known.
    [[nodiscard]] static std::uint64_t made_of(const Lane& lane, const Source* registers, std::size_t count,
                                               const WmmaMatrix& matrix) {
      constexpr std::uint64_t of_elements = 3;
      constexpr std::uint64_t of_one_value = 2;
      const MatrixElement* const first = lane.element_of(registers[0]);
      for (std::size_t reg = 0; reg < count; ++reg) {
        const Source& source = registers[reg];
        if (first != nullptr) {
          const MatrixElement* const element = lane.element_of(source);
          const bool is_its = element != nullptr && element->matrix == matrix.name() && element->place == reg &&
                              element->made == first->made;
          if (!is_its) {
            return 0;
          }
        } else if (const Value value = lane.value_of(source); value.is_unknown ||
                                                              value.bits != lane.value_of(registers[0]).bits ||
                                                              !is_one_value(value.bits, matrix)) {
          return 0;
        }
      }
      return 1 | (first != nullptr ? mixed(of_elements, first->made)
                                   : mixed(of_one_value, lane.value_of(registers[0]).bits));
    }
    [[nodiscard]] static bool is_one_value(std::uint64_t bits, const WmmaMatrix& matrix) {
      for (std::size_t part = 1; part < matrix.packed(); ++part) {
        const std::uint64_t differing = bits ^ bits >> (part * matrix.bits());
        if ((differing & ((std::uint64_t{1} << matrix.bits()) - 1)) != 0) {
          return false;
        }
      }
      return true;
    }

    const WmmaMatrix& matrix_;
    std::size_t of_lane_;
    bool are_known_ = true;
    std::array<std::uint64_t, 32 * (most + 1)> words_{};
  };

  static constexpr unsigned all_lanes = 0xffffffffU;

  static void expect(const Lane& lane, const Instruction& i, bool is_as_it_should) {
    if (!is_as_it_should) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " has other registers than its shape");
    }
  }
  [[nodiscard]] static WmmaMatrix matrix_of(const Lane& lane, const Instruction& i) {
    const WmmaMatrix matrix = WmmaMatrix::of(*i.statement);
    if (matrix.count() == 0) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood");
    }
    return matrix;
  }
  /// Halves of A and B have eight registers, of which a lane needs fewer.
  [[nodiscard]] static std::size_t registers_of(const WmmaMatrix& factor) {
    return factor.type == MmaType::f16 ? 8 : std::max<std::size_t>(factor.of_lane() / factor.packed(), 1);
  }
  /// A single register stands without braces, `place` registers behind the first.
  [[nodiscard]] static std::vector<Source> with_single(const Instruction& i, std::size_t place) {
    std::vector<Source> registers = i.list;
    if (i.sources > 0) {
      const std::size_t at = i.sources == 1 ? place : 0;
      registers.insert(registers.begin() + static_cast<std::ptrdiff_t>(std::min(at, registers.size())),
                       i.source.begin(), i.source.begin() + i.sources);
    }
    return registers;
  }
  [[nodiscard]] static Lines lines_of(Lane& lane, const Instruction& i, const WmmaMatrix& matrix) {
    const std::size_t length = matrix.line_length();
    const std::uint64_t pitch = i.sources > 1 ? lane.known(i, 1, "the pitch") : length;
    return {lane.address(i), length * matrix.bits() / 8, pitch * matrix.bits() / 8};
  }
  [[nodiscard]] static std::uint64_t element(const unsigned char* line, std::size_t place, std::size_t bits) {
    std::uint64_t value = 0;
    if (bits >= 8) {
      std::memcpy(&value, line + place * bits / 8, bits / 8);
      return value;
    }
    return line[place * bits / 8] >> (place * bits % 8) & ((std::uint64_t{1} << bits) - 1);
  }
  [[nodiscard]] static MatrixElement element_of(const WmmaMatrix& matrix, std::size_t reg) {
    return {.matrix = matrix.name(), .place = reg, .made = 1, .is_packed = matrix.packed() > 1};
  }

  template <class Sum>
  [[nodiscard]] static Sum add(const WmmaShape& shape, Sum sum, std::uint64_t a, std::uint64_t b) {
    if (shape.a.type == MmaType::b1) {
      return sum + static_cast<Sum>(shape.is_and ? a & b : a ^ b);
    }
    if constexpr (std::is_same_v<Sum, double>) {
      return std::fma(mma_value<Sum>(shape.a.type, a, 0), mma_value<Sum>(shape.b.type, b, 0), sum);
    }
    return sum + mma_value<Sum>(shape.a.type, a, 0) * mma_value<Sum>(shape.b.type, b, 0);
  }
  template <class Sum>
  static void set_sums(Lane& lane, const Instruction& i, const WmmaShape& shape, const Parts& a, const Parts& b,
                       const Parts& c) {
    const std::size_t n = shape.d.sizes[1];
    const std::size_t depth = shape.d.sizes[2];
    for (std::size_t reg = 0; reg < i.results.size(); ++reg) {
      std::uint64_t bits = 0;
      for (std::size_t part = 0; part < shape.d.packed(); ++part) {
        const std::size_t e = (reg * shape.d.packed() + part) * 32 + lane.lane();
        Sum sum = mma_value<Sum>(shape.c.type, c.element(e), 0);
        for (std::size_t k = 0; k < depth; ++k) {
          sum = add(shape, sum, a.element(e / n * depth + k), b.element(k * n + e % n));
        }
        bits |= mma_bits(shape.d.type, sum, shape.saturates) << (part * shape.d.bits());
      }
      lane.set_element(i.results[reg], bits, element_of(shape.d, reg));
    }
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
