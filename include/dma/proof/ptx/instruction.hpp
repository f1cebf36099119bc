#pragma once

#include <dma/machine/host/instruction.hpp>
#include <dma/machine/scope.hpp>
#include <dma/proof/ptx/module.hpp>
#include <dma/proof/ptx/special_registers.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// A thread that runs a function.
class Lane;
struct Instruction;

/// Computes a value from values; what it takes has no unknown bits.
using Compute = std::uint64_t (*)(const Instruction&, const std::uint64_t* values);
/// Executes an instruction that is more than a value.
using Execute = void (*)(Lane&, const Instruction&);

/// Where an instruction takes a value from.
struct Source {
  enum class Kind : unsigned char { reg, number, special, shared, frame };

  Kind kind = Kind::number;
  bool is_negated = false;  ///< of a predicate
  int index = 0;            ///< of a register or a special register
  std::uint64_t bits = 0;   ///< a number, or an offset of shared memory, of the frame or from an address in a register
};

/// How a result that has no exact value is rounded: to the nearest, to zero, down or up.
enum class Rounding : unsigned char { nearest, zero, down, up };

/// How a number is written in bits.
enum class Format : unsigned char { none, u8, s8, u16, s16, u32, s32, u64, s64, f16, bf16, tf32, f32, f64, e4m3, e5m2 };

/// What is compared. Those that end in u hold of values without an order too.
enum class Comparison : unsigned char { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
/// How the result of a comparison is combined with a predicate.
enum class Combination : unsigned char { none, conjunction, disjunction, exclusive };

/// What an instruction does, decoded once. A row of a table gives it its function. What each execution of a value reads
/// is in two lines of the cache.
struct alignas(64) Instruction {
  enum class Kind : unsigned char {
    nothing,        ///< says something of the code, the caches or the registers
    value,          ///< computes a register from others
    value_of_warp,  ///< computes registers from those of all lanes
    memory,         ///< accesses memory
    synchronization,
    branch,
    call,   ///< of a function of the module
    leave,  ///< `ret` and `exit`
    not_understood
  };

  Kind kind = Kind::not_understood;
  bool guard_is_negated = false;
  bool flushes = false;    ///< `.ftz`
  bool saturates = false;  ///< `.sat`
  bool is_signed = false;
  bool is_product = false;  ///< `wgmma.mma_async`, which uses its registers until a wait
  bool answers = true;      ///< of an atomic access: whether the kernel reads what it found
  Rounding rounding = Rounding::nearest;
  Comparison comparison = Comparison::eq;
  Combination combination = Combination::none;
  Space space = Space::generic;
  machine::AtomicKind atomic = machine::AtomicKind::load;  ///< of an atomic access
  machine::AtomicType type = machine::AtomicType::bits;
  Order order = Order::relaxed;
  Scope scope = Scope::system;
  Format from = Format::none;  ///< of a conversion
  Format to = Format::none;
  int bytes = 0;  ///< of one value
  int flags = 0;  ///< of its family
  int mode = 0;   ///< of its family
  int guard = -1;
  int place = -1;
  int target = -1;  ///< of a branch, or the function of a call
  int result = -1;  ///< a register; -1: none
  int sources = 0;
  Compute compute = nullptr;  ///< of a value; null: it is not computed
  std::array<Source, 4> source = {};
  int result_bytes = 0;  ///< of `result`; 0: a predicate
  int second_result = -1;
  std::vector<Source> list = {};           ///< values of a vector
  std::vector<int> results = {};           ///< registers of a vector; -1: none
  std::vector<int> registers = {};         ///< of these, and sources, those that products use
  std::shared_ptr<const void> shape = {};  ///< of a product: that of its family
  Execute execute = nullptr;
  const Statement* statement = nullptr;
  mutable std::uint64_t first_address = 0;  ///< that a load or a store accessed, but for local memory; 0: none

  [[nodiscard]] bool is_value() const noexcept { return kind == Kind::value || kind == Kind::value_of_warp; }
  /// Whether it may be left out where nothing reads its results.
  [[nodiscard]] bool has_effect() const noexcept {
    return kind != Kind::nothing && !is_value() && kind != Kind::branch;
  }
};

/// What a product multiplies, as its row of the table has taken it from the statement.
template <class Shape>
[[nodiscard]] const Shape& shape_of(const Instruction& product) {
  return *static_cast<const Shape*>(product.shape.get());
}
/// Takes it. @pre The statement has a shape of the family
template <class Shape>
void take_shape(Instruction& product) {
  product.shape = std::make_shared<const Shape>(Shape::of(*product.statement));
}

/// A function, decoded.
struct Code {
  const Function* function = nullptr;
  std::vector<Instruction> instructions = {};
  std::vector<std::uint64_t> masks = {};  ///< the bits that each register keeps; 0: it is a predicate
  std::vector<Source> places = {};        ///< of each variable
  std::uint64_t frame_bytes = 0;          ///< of its local memory and its parameters
};

}  // namespace dma::inline v0_1::proof::ptx::detail
