#pragma once

#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/named_barriers.hpp>
#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/host/instruction.hpp>
#include <dma/machine/matrix_operand.hpp>
#include <dma/proof/ptx/lane.hpp>
#include <dma/proof/ptx/matrix_instructions.hpp>
#include <dma/proof/ptx/products/mma_values.hpp>
#include <dma/proof/ptx/products/shared_operand.hpp>
#include <dma/proof/ptx/registers/register_use.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// Products of a warpgroup's tensor cores: they read shared memory until a wait for their group, and write registers.
/// A group is the warpgroup's, and so is its end. A sum is made along k, in order; a GPU's order and roundings are its
/// own.
///
/// Source  PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"
class ProductInstructions {
 public:
  static void fence(Lane& lane, const Instruction& i) {
    meet(lane, i);
    lane.products().fence();
  }
  static void commit(Lane& lane, const Instruction& i) {
    lane.here(i);
    lane.products().commit();
    lane.thread().execute({.kind = machine::OperationKind::commit_reads});
  }
  static void wait(Lane& lane, const Instruction& i) {
    const auto pending = static_cast<int>(lane.known(i, 0, "the number of groups"));
    meet(lane, i);
    lane.here(i);
    lane.thread().execute({.kind = machine::OperationKind::await_reads, .count = pending, .is_of_warpgroup = true});
    lane.products().wait(pending);
  }
  static void multiply(Lane& lane, const Instruction& i) {
    const Product product = product_of(lane, i);
    const bool continues = use_registers(lane, i, product);
    lane.here(i);
    if (lane.products().is_first_behind_fence() && lane.launch().products_meet) {
      using Barriers = host::detail::NamedBarriers;
      lane.thread().enters(machine::Call::load);  // the lanes of a warp come together, by `.aligned`
      lane.thread().barrier_sync(Barriers::count + lane.thread().rank() / 128 % Barriers::of_products, 128,
                                 {.point = machine::Point::products});
    }
    Unknown is_unknown = product.is_computed ? Unknown() : lane.note_not_computed(i);
    Rows a{};
    const RowsOfA rows_of_a = rows_read_by(lane);
    if (!product.has_a_in_registers) {
      is_unknown = is_unknown | read(lane, i, {product.a, product.major_of_a}, rows_of_a.first, rows_of_a.extent);
    } else if (!is_unknown) {
      is_unknown = take_rows(lane, i, a);
    }
    is_unknown = is_unknown | read(lane, i, {product.b, product.major_of_b}, 0, product.shape.columns);
    const Value adds = lane.value_of(i.source[product.has_a_in_registers ? 1 : 2]);
    is_unknown = is_unknown | lane.left_out(i);
    is_unknown =
        is_unknown | adds.is_unknown | (adds.bits != 0 && !is_unknown ? any_unknown(lane, i.results) : Unknown());
    if (is_unknown) {
      const bool are_forgotten = continues && lane.launch().leaves_products_out;
      return are_forgotten ? void() : lane.forget_results(i, is_unknown);
    }
    product.has_a_in_registers ? void() : load_rows(lane, product, rows_of_a, a);
    product.shape.d == MmaType::s32 ? add<std::int64_t>(lane, i, product, a, adds.bits != 0)
                                    : add<float>(lane, i, product, a, adds.bits != 0);
  }

 private:
  using Major = machine::Major;
  static constexpr int rows = 64;                  ///< of A
  static constexpr std::size_t most_columns = 64;  ///< of a lane
  static constexpr std::size_t block = 8;          ///< columns that are added to side by side
  using Row = SharedOperand::Row;
  using Rows = std::array<Row, 2>;  ///< g and g + 8 of the warp's 16, of lane 4 g + t
  template <class Sum>
  using Values = std::array<Sum, WgmmaShape::row_bytes>;

  struct RowsOfA {
    int first;
    int extent;
  };
  [[nodiscard]] static RowsOfA rows_read_by(Lane& lane) {
    constexpr int of_warp = rows / 4;
    return lane.launch().own_rows ? RowsOfA{lane.thread().rank() / 32 % 4 * of_warp, of_warp} : RowsOfA{0, rows};
  }

  struct Product {
    const WgmmaShape& shape;
    bool has_a_in_registers;
    bool is_computed;
    std::uint64_t a;  ///< descriptors
    std::uint64_t b;
    Major major_of_a = Major::k;
    Major major_of_b = Major::k;
    float sign = 1;
  };

  /// Lanes of a warp wait for one another, by `.sync`. That it orders their accesses PTX does not say.
  static void meet(Lane& lane, const Instruction& i) {
    if (lane.launch().products_order) {
      lane.here(i);
      lane.meet(i);
      lane.thread().sync_warp();
    }
  }
  [[nodiscard]] static Product product_of(Lane& lane, const Instruction& i) {
    const auto& shape = shape_of<WgmmaShape>(i);
    const bool in_registers = i.list.size() >= 4;
    const std::uint64_t a = in_registers ? 0 : lane.known(i, 0, "the descriptor of A");
    const std::uint64_t b = lane.known(i, in_registers ? 0 : 1, "the descriptor of B");
    constexpr std::uint64_t base_offset = std::uint64_t{7} << 49;
    if (shape.columns == 0 || ((a | b) & base_offset) != 0) {
      lane.refuse(i, "the instruction " + i.statement->opcode + " is not understood" +
                         (((a | b) & base_offset) != 0 ? " with a base offset in a descriptor" : ""));
    }
    Product product{.shape = shape, .has_a_in_registers = in_registers, .is_computed = false, .a = a, .b = b};
    // Two-byte floats alone have operands that say which index is contiguous, and integers have no signs.
    const std::size_t behind = in_registers ? 4 : shape.has_signs() ? 1 : 0;
    const std::size_t directions = !shape.has_two_bytes() ? 0 : in_registers ? 1 : 2;
    if (i.list.size() != behind + directions) {
      return product;
    }
    product.is_computed = shape.is_computed && i.results.size() == shape.results();
    if (directions != 0) {
      const auto major = [&](std::size_t at) {
        return lane.known(i, i.list[at], "the major index") != 0 ? Major::mn : Major::k;
      };
      product.major_of_a = in_registers ? Major::k : major(behind);
      product.major_of_b = major(behind + directions - 1);
    }
    if (shape.has_signs()) {
      const auto sign = [&](const Source& source) {
        return static_cast<std::int32_t>(lane.known(i, source, "the sign")) < 0 ? -1.0F : 1.0F;
      };
      product.sign = sign(i.source[in_registers ? 2 : 3]) * sign(in_registers ? i.source[3] : i.list[0]);
    }
    return product;
  }

  /// That the registers are free, and a fence is behind the thread's accesses to them. Returns whether the product adds
  /// to what the one before it adds to.
  static bool use_registers(Lane& lane, const Instruction& i, const Product& product) {
    RegisterUse& use = lane.products();
    const std::size_t first = lane.place_of(0);
    bool is_fenced = true;
    const bool continues = use.continues(first, i.results, product.shape.columns);
    bool is_free = continues || use.take_sums(first, i.results, product.shape.columns, is_fenced);
    for (std::size_t k = 0; product.has_a_in_registers && k < 4; ++k) {
      if (i.list[k].kind == Source::Kind::reg) {
        is_free = is_free &&
                  use.take(first + static_cast<std::size_t>(i.list[k].index), {RegisterUse::By::operand, 0}, is_fenced);
      }
    }
    if (!is_fenced) {
      lane.break_product_rule(i);
    }
    if (!is_free) {
      lane.fail(i, "a product uses a register that another product in flight uses: a wgmma.wait_group is missing");
    }
    return continues;
  }

  /// Reports the bytes that the product reads. Returns whether some of them are not known, and why.
  [[nodiscard]] static Unknown read(Lane& lane, const Instruction& i, const SharedOperand& operand, int first,
                                    int extent) {
    return operand.read(lane, i, machine::OperationKind::read_async, first, extent);
  }
  [[nodiscard]] static Unknown any_unknown(const Lane& lane, const std::vector<int>& registers) {
    Unknown why;
    for (auto reg = registers.begin(); !why && reg != registers.end(); ++reg) {
      why = *reg >= 0 ? lane.value_of(*reg).is_unknown : Unknown();
    }
    return why;
  }

  static void load_rows(Lane& lane, const Product& product, const RowsOfA& read, Rows& to) {
    const SharedOperand operand{product.a, product.major_of_a};
    const OperandLayout& a = operand.layout(lane.launch(), read.first, read.extent);
    const int first = lane.thread().rank() / 32 % 4 * 16 + static_cast<int>(lane.lane() / 4);
    for (std::size_t half = 0; half < 2; ++half) {
      to[half] = a.row_of(operand.window(lane), first + 8 * static_cast<int>(half));
    }
  }
  template <class Sum>
  [[nodiscard]] static Values<Sum> values_of(MmaType type, const Row& row, std::size_t count) {
    Values<Sum> values{};
    if (type == MmaType::bf16 || type == MmaType::f16) {  // most of them, so that a loop has no choice in it
      type == MmaType::f16 ? take_values<MmaType::f16>(row, values) : take_values<MmaType::bf16>(row, values);
      return values;
    }
    const std::size_t bytes = WgmmaShape::row_bytes / count;
    for (std::size_t k = 0; k < count; ++k) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, reinterpret_cast<const unsigned char*>(row.data()) + k * bytes, bytes);
      values[k] = mma_value<Sum>(type, bits, 0);
    }
    return values;
  }
  template <MmaType Type, class Sum>
  static void take_values(const Row& row, Values<Sum>& values) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      values[k] = mma_value<Sum>(Type, row[k], 0);
    }
  }
  /// Four neighbouring lanes have a row's 16 values, two in each register. Returns whether some are not known, and why.
  [[nodiscard]] static Unknown take_rows(Lane& lane, const Instruction& i, Rows& to) {
    std::array<std::uint32_t, 4> mine{};
    Unknown is_unknown;
    for (std::size_t k = 0; k < 4; ++k) {
      const Value value = lane.value_of(i.list[k]);
      mine[k] = static_cast<std::uint32_t>(value.bits);
      is_unknown = is_unknown | value.is_unknown;
    }
    std::array<std::array<std::uint32_t, 4>, 32> all{};
    std::array<Unknown, 32> all_unknown{};
    lane.thread().exchange(MatrixInstructions::all_lanes, mine.data(), sizeof mine, all.data());
    lane.thread().exchange(MatrixInstructions::all_lanes, &is_unknown, sizeof is_unknown, all_unknown.data());
    for (std::size_t t = 0; t < 4; ++t) {
      const std::size_t from = lane.lane() / 4 * 4 + t;
      if (all_unknown[from]) {
        return all_unknown[from];
      }
      for (std::size_t reg = 0; reg < 4; ++reg) {
        for (std::size_t part = 0; part < 2; ++part) {
          to[reg % 2][reg / 2 * 8 + t * 2 + part] = static_cast<std::uint16_t>(all[from][reg] >> (16 * part));
        }
      }
    }
    return {};
  }
  /// Values of the lane's columns of B, which are 2 t and 2 t + 1 of each 8: those of one k side by side, padded to
  /// whole blocks. Lanes of one t multiply the same columns, so that most find them as they were.
  [[nodiscard]] static const float* columns_of_b(Lane& lane, const Product& product, std::vector<float>&) {
    OperandLayout::Columns& columns = layout_of_b(lane, product).columns(lane.lane() % 4);
    std::array<Row, most_columns> bytes;
    const std::size_t count = take_columns(lane, product, bytes);
    const bool are_known = columns.type == product.shape.b && columns.bytes.size() == count &&
                           std::memcmp(columns.bytes.data(), bytes.data(), count * sizeof(Row)) == 0;
    if (!are_known) {
      columns.type = product.shape.b;
      columns.bytes.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
      take_values_of_columns(product.shape, columns.bytes, columns.values);
    }
    return columns.values.data();
  }
  [[nodiscard]] static const std::int64_t* columns_of_b(Lane& lane, const Product& product,
                                                        std::vector<std::int64_t>& values) {
    std::array<Row, most_columns> bytes;
    const std::size_t count = take_columns(lane, product, bytes);
    take_values_of_columns(product.shape, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count)}, values);
    return values.data();
  }
  [[nodiscard]] static OperandLayout& layout_of_b(Lane& lane, const Product& product) {
    return SharedOperand{product.b, product.major_of_b}.layout(lane.launch(), 0, product.shape.columns);
  }
  [[nodiscard]] static std::size_t take_columns(Lane& lane, const Product& product, std::array<Row, most_columns>& to) {
    const OperandLayout& layout = layout_of_b(lane, product);
    const unsigned char* const window = SharedOperand{product.b, product.major_of_b}.window(lane);
    const auto count = static_cast<std::size_t>(product.shape.columns) / 4;
    for (std::size_t c = 0; c < count; ++c) {
      to[c] = layout.row_of(window, static_cast<int>(c / 2 * 8 + lane.lane() % 4 * 2 + c % 2));
    }
    return count;
  }
  template <class Sum>
  static void take_values_of_columns(const WgmmaShape& shape, const std::vector<Row>& columns,
                                     std::vector<Sum>& values) {
    const std::size_t pitch = padded(columns.size());
    values.assign(shape.depth * pitch, 0);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Values<Sum> column = values_of<Sum>(shape.b, columns[c], shape.depth);
      for (std::size_t k = 0; k < shape.depth; ++k) {
        values[k * pitch + c] = column[k];
      }
    }
  }
  [[nodiscard]] static std::size_t padded(std::size_t columns) { return (columns + block - 1) / block * block; }

  /// Adds the products of one row of A with `block` columns of B, a sum along k in order; the sums are side by side, so
  /// that none waits for another.
  template <class Sum>
  static void add_block(const Values<Sum>& row, std::size_t depth, const Sum* columns, std::size_t pitch, Sum* to) {
    std::array<Sum, block> sums;
    std::copy_n(to, block, sums.begin());
    for (std::size_t k = 0; k < depth; ++k) {
      for (std::size_t c = 0; c < block; ++c) {
        sums[c] += row[k] * columns[k * pitch + c];
      }
    }
    std::copy_n(sums.begin(), block, to);
  }
  /// Row g + 8 h and column 8 c + 2 t + p are in register 4 c + 2 h + p; two halves in 2 c + h.
  template <class Sum>
  static void add(Lane& lane, const Instruction& i, const Product& product, const Rows& a, bool adds) {
    const WgmmaShape& shape = product.shape;
    const bool has_halves = shape.d == MmaType::f16;
    const auto register_of = [&](std::size_t column, std::size_t h) {
      return i.results[has_halves ? column / 2 * 2 + h : column / 2 * 4 + 2 * h + column % 2];
    };
    std::vector<Sum> own;
    const Sum* const columns = columns_of_b(lane, product, own);
    const auto count = static_cast<std::size_t>(shape.columns) / 4;
    const std::size_t pitch = padded(count);
    for (std::size_t h = 0; h < 2; ++h) {
      Values<Sum> row = values_of<Sum>(shape.a, a[h], shape.depth);
      for (std::size_t k = 0; k < shape.depth; ++k) {
        row[k] *= static_cast<Sum>(product.sign);
      }
      std::array<Sum, most_columns> sums{};
      for (std::size_t c = 0; adds && c < count; ++c) {
        sums[c] = mma_value<Sum>(shape.d, lane.value_of(register_of(c, h)).bits, c % 2);
      }
      for (std::size_t first = 0; first < pitch; first += block) {
        add_block(row, shape.depth, columns + first, pitch, &sums[first]);
      }
      for (std::size_t c = 0; c < count; c += 2) {
        const std::uint64_t one = mma_bits(shape.d, sums[c], shape.saturates);
        const std::uint64_t other = mma_bits(shape.d, sums[c + 1], shape.saturates);
        lane.set(register_of(c, h), has_halves ? one | other << 16 : one);
        if (!has_halves) {
          lane.set(register_of(c + 1, h), other);
        }
      }
    }
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
