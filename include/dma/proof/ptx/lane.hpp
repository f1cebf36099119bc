#pragma once

#include <dma/host/emulation/kernel_error.hpp>
#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/site.hpp>
#include <dma/proof/ptx/instruction.hpp>
#include <dma/proof/ptx/launch_state.hpp>
#include <dma/proof/ptx/polls.hpp>
#include <dma/proof/ptx/products/matrix_element.hpp>
#include <dma/proof/ptx/program.hpp>
#include <dma/proof/ptx/registers/register_use.hpp>
#include <dma/proof/ptx/registers/warp_registers.hpp>
#include <dma/proof/ptx/value_regions.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// What the judges cannot say of a kernel: an instruction that is not understood, or a value that was not computed
/// where it is needed.
class Refusal : public host::KernelError {
 public:
  using host::KernelError::KernelError;
};

/// A value, or that it was not computed.
struct Value {
  std::uint64_t bits = 0;
  Unknown is_unknown = {};
};

/// One emulated thread that runs an entry.
class Lane {
 public:
  Lane(LaunchState& launch, machine::EmulatedThread& thread)
      : launch_(launch),
        program_(*launch.program),
        thread_(thread),
        rank_(static_cast<unsigned>(thread.rank())),
        shared_begin_(own_shared(thread)),
        warp_registers_(launch.registers) {
    enter(program_.entry, nullptr);
  }

  /// Runs to the end.
  void run();

  [[nodiscard]] LaunchState& launch() noexcept { return launch_; }
  [[nodiscard]] machine::EmulatedThread& thread() noexcept { return thread_; }
  [[nodiscard]] unsigned lane() const noexcept { return rank_ % 32; }
  /// The rest of the code behind the instruction that runs.
  [[nodiscard]] const Instruction* next() const noexcept { return next_; }

  [[nodiscard]] Value value_of(const Source& source) const {
    if (source.kind == Source::Kind::reg) [[likely]] {
      const std::size_t index = column_of(source.index);
      const std::uint64_t bits = registers_[index];
      return {source.is_negated ? (bits == 0 ? 1U : 0U) : bits, unknown_[index]};
    }
    return source.kind == Source::Kind::number ? Value{source.bits} : value_of_place(source);
  }
  [[nodiscard]] Value value_of(int reg) const {
    const std::size_t index = column_of(reg);
    return {registers_[index], unknown_[index]};
  }
  /// A value that decides what the thread does.
  ///
  /// @throw Refusal  it was not computed
  [[nodiscard]] std::uint64_t known(const Instruction& instruction, const Source& source, const char* what) const {
    const Value value = value_of(source);
    if (value.is_unknown) {
      refuse(instruction, std::string(what) + " of " + instruction.statement->opcode + " was not computed");
    }
    return value.bits;
  }
  [[nodiscard]] std::uint64_t known(const Instruction& instruction, int source, const char* what) const {
    return known(instruction, instruction.source[static_cast<std::size_t>(source)], what);
  }
  void set(int reg, std::uint64_t bits, Unknown is_unknown = {}) {
    if (reg >= 0) {
      const std::size_t index = column_of(reg);
      const std::uint64_t mask = masks_[static_cast<std::size_t>(reg)];
      registers_[index] = mask == 0 ? (bits != 0 ? 1U : 0U) : bits & mask;
      unknown_[index] = is_unknown == element_of_matrix ? made_of_element : is_unknown;
    }
  }
  /// An element of a matrix, whose value is known to products and to functions of elements alone.
  void set_element(int reg, std::uint64_t bits, const MatrixElement& element) {
    set(reg, bits);
    if (reg >= 0) {
      if (elements_.size() < frames_.back().end_register()) {
        elements_.resize(frames_.back().end_register());
      }
      elements_[place_of(reg)] = element;
      unknown_[column_of(reg)] = element_of_matrix;
    }
  }
  /// Null where it is none.
  [[nodiscard]] const MatrixElement* element_of(const Source& source) const {
    return source.kind == Source::Kind::reg && unknown_[column_of(source.index)] == element_of_matrix
               ? &elements_[place_of(source.index)]
               : nullptr;
  }
  /// What the instruction would compute is not known from here on.
  void forget_results(const Instruction& instruction, Unknown why) {
    set(instruction.result, 0, why);
    set(instruction.second_result, 0, why);
    for (const int reg : instruction.results) {
      set(reg, 0, why);
    }
  }
  /// Why what the instruction computes is not known: it is not computed here.
  [[nodiscard]] Unknown unknown_by(const Instruction& instruction) {
    return launch_.causes->of(
        &instruction, [&] { return instruction.statement->opcode + " (" + program_.text_of(instruction) + ")"; });
  }
  /// The same, which the verdict lists.
  Unknown note_not_computed(const Instruction& instruction) {
    launch_.not_computed.try_emplace(instruction.statement->opcode, program_.text_of(instruction));
    return unknown_by(instruction);
  }
  /// What a product gives, where products are left out; else nothing.
  [[nodiscard]] Unknown left_out(const Instruction& product) {
    return launch_.leaves_products_out ? unknown_by(product) : Unknown();
  }
  /// What the instruction does depends on values of products, or is a choice of the run on which other values of them
  /// may depend.
  ///
  /// @throw Refusal  products are left out
  void expect_products(const Instruction& instruction) const {
    if (launch_.leaves_products_out) {
      refuse(instruction, instruction.statement->opcode + " needs the values of products");
    }
  }
  /// Of a store, for the judges. That the lanes of a warp store one value is not known of a product that is left out.
  [[nodiscard]] const void* code_of_store(const Instruction& instruction, Unknown value) const {
    static_assert(sizeof(Instruction) >= 32);  // each of them is an address of the instruction
    return reinterpret_cast<const unsigned char*>(&instruction) + (value && launch_.leaves_products_out ? lane() : 0U);
  }
  /// A product uses registers that the thread accessed without a `wgmma.fence` behind.
  void break_product_rule(const Instruction& instruction) {
    if (launch_.unfenced_product.empty()) {
      launch_.unfenced_product = program_.text_of(instruction);
    }
  }
  [[noreturn]] void refuse(const Instruction& instruction, const std::string& what) const {
    throw_refusal(what + " (" + program_.text_of(instruction) + ")" +
                  (launch_.lacks_sms ? "; the kernel has asked for the number of SMs (%nsmid), which this launch does "
                                       "not say; write it, as in <<<8, 160, sms 132>>>"
                                     : ""));
  }
  /// What the thread does is wrong.
  [[noreturn]] void fail(const Instruction& instruction, const std::string& what) {
    here(instruction);
    throw host::KernelError(what + " (" + program_.text_of(instruction) + ")");
  }
  /// Says where the thread is, for messages.
  void here(const Instruction& instruction) {
    const Program::Line line = program_.line_of(instruction);
    thread_.called_from(machine::SourceLocation::here(line.file, line.line, static_cast<unsigned>(line.column)));
  }

  /// The memory at an address of a space, which the thread may access.
  ///
  /// @throw OutOfBounds, KernelError
  [[nodiscard]] unsigned char* memory(const Instruction& instruction, Space space, std::uint64_t address,
                                      std::size_t bytes, std::size_t alignment, machine::Access access);
  /// The shared memory of this CTA, or of another one of its cluster.
  [[nodiscard]] unsigned char* shared(const Instruction& instruction, std::uint64_t address, std::size_t bytes,
                                      machine::Access access, bool checks = true);
  /// Where this CTA has what is at an address of shared memory in another one of its cluster.
  [[nodiscard]] unsigned char* own_place(std::uint64_t address) const {
    const std::uint64_t offset = (address & ((1U << rank_shift) - 1)) - first_shared;
    return static_cast<unsigned char*>(thread_.shared()) + static_cast<std::int64_t>(offset);
  }
  /// The address of an instruction's memory operand.
  [[nodiscard]] std::uint64_t address(const Instruction& instruction, int source = 0) const {
    const Source& operand = instruction.source[static_cast<std::size_t>(source)];
    return known(instruction, operand, "the address") +
           (operand.kind == Source::Kind::reg ? operand.bits : std::uint64_t{0});
  }
  [[nodiscard]] static bool is_local_or_parameter(Space space, std::uint64_t address) noexcept {
    return space == Space::local || space == Space::parameter || address >> 56 == local_window >> 56 ||
           address >> 56 == parameter_window >> 56;
  }
  [[nodiscard]] bool is_predicate(int reg) const noexcept { return masks_[static_cast<std::size_t>(reg)] == 0; }
  /// The rank in the cluster of the CTA that has an address of shared memory.
  [[nodiscard]] static int rank_of(std::uint64_t address) noexcept {
    return static_cast<int>((address & 0xffffffffU) >> rank_shift);
  }
  /// The uses of the thread's registers by products, from the first product or fence on.
  [[nodiscard]] RegisterUse& products() {
    if (products_ == nullptr) {
      products_ = std::make_unique<RegisterUse>();
      products_->make_room(frames_.back().end_register());
    }
    return *products_;
  }
  /// Of a register of the function that runs, among those of all its callers.
  [[nodiscard]] std::size_t place_of(int reg) const noexcept {
    return frames_.back().first_register + static_cast<std::size_t>(reg);
  }
  [[nodiscard]] std::uint64_t shared_begin() const noexcept { return shared_begin_; }
  /// A hash of all that decides what the thread does from here on, but for memory that others see.
  [[nodiscard]] std::uint64_t state() const;
  /// The thread is about to meet others, by an instruction.
  void meet(const Instruction& i) {
    if (thread_.is_explored()) {
      thread_.is_about_to_meet(&i, state());
    }
  }

  /// Whether an instruction that asks whether a phase is complete goes on without it (`polls.hpp`).
  [[nodiscard]] bool is_poll(const Instruction& instruction) const {
    const auto [known, is_new] = launch_.polls.try_emplace(&instruction, false);
    if (is_new) {
      known->second =
          detail::is_poll(instruction, program_.codes[static_cast<std::size_t>(frames_.back().function)].instructions);
    }
    return known->second;
  }

  /// By the polls that said "not yet", what each asked last: a barrier and a parity.
  std::map<const Instruction*, std::pair<const void*, int>> last_polls = {};
  /// Mbarriers of which the thread's next arrival waits for its cp.async.
  std::set<void*> copies_before_arrival = {};
  const Instruction* cluster_arrival = nullptr;  ///< at the cluster's barrier, for which the thread has not waited
  std::map<int, std::uint64_t> reductions = {};  ///< barriers with a reduction that it came to, by their number

 private:
  struct Frame {
    int function;
    std::size_t first_register;
    std::size_t registers;
    std::size_t first_byte;
    const Instruction* back;  ///< behind the call; null in the entry
    const Instruction* call;
    WarpRegisters::Frame* values;

    [[nodiscard]] std::size_t end_register() const noexcept { return first_register + registers; }
  };

  [[nodiscard]] static std::uint64_t own_shared(const machine::EmulatedThread& thread) {
    return (static_cast<std::uint64_t>(static_cast<unsigned>(thread.cluster_rank())) << rank_shift) + first_shared;
  }
  [[noreturn]] void throw_refusal(const std::string& what) const {
    if (launch_.refusal.empty()) {
      launch_.refusal = what;
    }
    throw Refusal("refused: " + what);
  }
  /// Of a source that is neither a register nor a number.
  [[nodiscard, gnu::noinline]] Value value_of_place(const Source& source) const {
    return source.kind == Source::Kind::shared  ? Value{shared_begin_ + source.bits}
           : source.kind == Source::Kind::frame ? Value{local_window + frames_.back().first_byte + source.bits}
                                                : special_value(static_cast<Special>(source.index));
  }
  [[nodiscard]] static std::size_t column_of(int reg) noexcept {
    return static_cast<std::size_t>(reg) * WarpRegisters::lanes;
  }
  void use_frame() {
    const Frame& frame = frames_.back();
    registers_ = frame.values->values(lane());
    unknown_ = frame.values->unknown(lane());
    masks_ = program_.codes[static_cast<std::size_t>(frame.function)].masks.data();
  }
  [[nodiscard]] Value special_value(Special special) const;
  [[nodiscard]] Value cluster_value(Special special) const;
  template <bool HasProducts>
  void run_until_products();
  void enter(int function, const Instruction* call);
  void leave();
  void enlarge_local(std::size_t bytes);
  void move_local(std::size_t to, std::size_t from, std::size_t bytes);
  void call(const Instruction& instruction);
  void branch(const Instruction& instruction);
  void compute(const Instruction& instruction);
  bool compute_element(const Instruction& instruction, const std::uint64_t* values);
  void skip_unknown(const Instruction& instruction);
  void use_registers(const Instruction& instruction);
  bool renames_loaded(const Instruction& instruction);
  void add_uses();

  LaunchState& launch_;
  const Program& program_;
  machine::EmulatedThread& thread_;
  unsigned rank_;
  std::uint64_t shared_begin_;
  std::map<const Statement*, std::uint64_t> uses_;
  std::vector<Frame> frames_;
  std::shared_ptr<WarpRegisters> warp_registers_;
  std::vector<MatrixElement> elements_;  ///< of registers; empty before the first of them
  std::uint64_t* registers_ = nullptr;   ///< of the function that runs, in the lane's column
  Unknown* unknown_ = nullptr;
  const std::uint64_t* masks_ = nullptr;  ///< of the registers of the function that runs
  std::vector<unsigned char> local_;
  std::unique_ptr<RegisterUse> products_;  ///< null before the first of them
  const Instruction* next_ = nullptr;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
