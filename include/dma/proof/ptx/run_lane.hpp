#pragma once

#include <dma/proof/ptx/lane.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace dma::inline v0_1::proof::ptx::detail {

/// What no judge has a model of is said by its name.
[[nodiscard]] inline std::string why_not_understood(const Statement& statement) {
  const std::string_view name = statement.name();
  const bool reads_texture = name == "tex" || name == "tld4";
  if (reads_texture || name == "suld" || name == "sust" || name == "sured") {
    return "a thread " + std::string(reads_texture ? "reads a texture" : "accesses a surface") + " (" +
           statement.opcode + "), whose memory a launch cannot describe; prove the kernel with an array in its place";
  }
  return "the instruction " + statement.opcode + " is not understood";
}

inline void Lane::run() {
  // A kernel without products is not slowed by them.
  run_until_products<false>();
  run_until_products<true>();
  add_uses();
  launch_.unknown.set(local_.data(), local_.size(), {});  // the memory is another thread's then
  if (products_ != nullptr && products_->any_in_flight()) {
    throw host::PendingAtExit(
        "a thread ends while tensor cores may still read shared memory for its products: a "
        "wgmma.wait_group of all groups is missing");
  }
}

/// To the end, or to the first instruction of products.
template <bool HasProducts>
void Lane::run_until_products() {
  std::uint64_t steps = 0;
  while (next_ != nullptr && (HasProducts || products_ == nullptr)) {
    const Instruction& instruction = *next_++;
    ++steps;
    if (instruction.guard >= 0) {
      const std::size_t guard = column_of(instruction.guard);
      if (unknown_[guard]) {
        skip_unknown(instruction);
        continue;
      }
      if ((registers_[guard] != 0) == instruction.guard_is_negated) {
        continue;
      }
    }
    if constexpr (HasProducts) {
      use_registers(instruction);
    }
    switch (instruction.kind) {
      case Instruction::Kind::nothing:
        break;
      case Instruction::Kind::value:
        compute(instruction);
        break;
      case Instruction::Kind::value_of_warp:
        instruction.execute(*this, instruction);
        break;
      case Instruction::Kind::branch:
        branch(instruction);
        break;
      case Instruction::Kind::call:
        call(instruction);
        break;
      case Instruction::Kind::leave:
        if (instruction.mode == 1) {
          next_ = nullptr;
        } else {
          leave();
        }
        break;
      case Instruction::Kind::memory:
      case Instruction::Kind::synchronization:
        if (launch_.uses != nullptr) [[unlikely]] {
          ++uses_[instruction.statement];
        }
        instruction.execute(*this, instruction);
        break;
      case Instruction::Kind::not_understood:
        refuse(instruction, why_not_understood(*instruction.statement));
    }
  }
  launch_.instructions += steps;
}

inline void Lane::add_uses() {
  for (const auto& [statement, count] : uses_) {
    LaunchState::Uses& all = (*launch_.uses)[statement];
    all.executions += count;
    all.most_of_thread = std::max(all.most_of_thread, count);
  }
}

/// A register of a product in flight is neither read nor written, nor one that is loaded; a compiler may rename this
/// one.
inline void Lane::use_registers(const Instruction& instruction) {
  if (instruction.is_product || (products_->has_loads() && renames_loaded(instruction))) {
    return;
  }
  const std::size_t in_use = products_->access(place_of(0), instruction.registers);
  if (in_use != RegisterUse::none) [[unlikely]] {
    fail(instruction,
         instruction.statement->opcode +
             (products_->is_loaded(in_use)
                  ? " uses a register that tcgen05.ld writes: no tcgen05.wait::ld is before it"
                  : " uses a register that a product in flight reads or writes: no wgmma.wait_group covers it"));
  }
}
/// Whether it is a `mov` of a register that is loaded still. Its result is loaded then too.
inline bool Lane::renames_loaded(const Instruction& instruction) {
  if (instruction.statement == nullptr || instruction.statement->name() != "mov" || instruction.result < 0) {
    return false;
  }
  const bool is_loaded = std::any_of(
      instruction.source.begin(), instruction.source.begin() + instruction.sources, [&](const Source& source) {
        return source.kind == Source::Kind::reg && products_->is_loaded(place_of(source.index));
      });
  if (is_loaded && !products_->is_loaded(place_of(instruction.result))) {
    products_->begin(place_of(instruction.result), {RegisterUse::By::load, 0});
  }
  return is_loaded;
}

inline std::uint64_t Lane::state() const {
  std::uint64_t hash = 14695981039346656037ULL;
  const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 1099511628211ULL; };
  for (const Frame& frame : frames_) {
    for (std::size_t reg = 0; reg < frame.registers; ++reg) {
      mix(frame.values->values(lane())[reg * WarpRegisters::lanes]);
    }
  }
  for (const Frame& frame : frames_) {
    mix(reinterpret_cast<std::uintptr_t>(frame.back));
  }
  for (const unsigned char byte : local_) {
    mix(byte);
  }
  return hash == 0 ? 1 : hash;
}

inline void Lane::compute(const Instruction& instruction) {
  std::uint64_t values[4] = {};
  Unknown is_unknown;
  for (int i = 0; i < instruction.sources; ++i) {
    const Value value = value_of(instruction.source[static_cast<std::size_t>(i)]);
    values[i] = value.bits;
    is_unknown = is_unknown | value.is_unknown;
  }
  if (instruction.compute == nullptr) {
    return forget_results(instruction, note_not_computed(instruction));
  }
  if (!is_unknown) {
    return set(instruction.result, instruction.compute(instruction, values));
  }
  if (elements_.empty() || !compute_element(instruction, values)) {
    forget_results(instruction, is_unknown);
  }
}

/// A function of elements of one place, and of known values. False: it is none.
inline bool Lane::compute_element(const Instruction& instruction, const std::uint64_t* values) {
  const MatrixElement* first = nullptr;
  std::uint64_t made = mixed(0, instruction.statement->opcode);
  for (const int part : {instruction.mode, instruction.flags, static_cast<int>(instruction.comparison)}) {
    made = mixed(made, static_cast<std::uint64_t>(part));
  }
  bool is_copy = instruction.statement->name() == "mov" && instruction.mode == 0;  // not of a part
  for (int i = 0; i < instruction.sources; ++i) {
    const Source& source = instruction.source[static_cast<std::size_t>(i)];
    const MatrixElement* const element = element_of(source);
    if (element == nullptr ? static_cast<bool>(value_of(source).is_unknown)
                           : first != nullptr && (element->matrix != first->matrix || element->place != first->place)) {
      return false;
    }
    first = element != nullptr ? element : first;
    is_copy = is_copy && !source.is_negated;
    made = mixed(mixed(made, source.is_negated ? 1U : 0U), element != nullptr ? ~element->made : values[i]);
  }
  if (first->is_packed && !is_copy) {
    return false;
  }
  MatrixElement result = *first;
  result.made = is_copy ? first->made : made;
  set_element(instruction.result, instruction.compute(instruction, values), result);
  return true;
}

inline void Lane::branch(const Instruction& instruction) {
  next_ = &program_.codes[static_cast<std::size_t>(frames_.back().function)]
               .instructions[static_cast<std::size_t>(instruction.target)];
}

/// Whether the instruction is executed is not known. What only computes gives results that are not known either.
inline void Lane::skip_unknown(const Instruction& instruction) {
  if (instruction.kind == Instruction::Kind::nothing) {
    return;
  }
  if (instruction.has_effect()) {
    refuse(instruction, "whether " + instruction.statement->opcode + " is executed was not computed");
  }
  if (instruction.kind != Instruction::Kind::value) {
    expect_products(instruction);
  }
  const Unknown why = unknown_[column_of(instruction.guard)];
  if (instruction.is_value()) {
    return forget_results(instruction, why);
  }
  const Code& code = program_.codes[static_cast<std::size_t>(frames_.back().function)];
  const auto [known, is_new] = launch_.regions.try_emplace(&instruction);
  if (is_new) {
    known->second = RegionFinder(code.instructions).behind(static_cast<int>(&instruction - code.instructions.data()));
  }
  const Region& region = known->second;
  if (region.join < 0) {
    refuse(instruction, "a branch with an effect behind it depends on a value that was not computed");
  }
  for (const int reg : region.results) {
    set(reg, 0, why);
  }
  next_ = &code.instructions[static_cast<std::size_t>(region.join)];
}

inline void Lane::enter(int function, const Instruction* call) {
  constexpr std::size_t most_frames = 256;
  if (frames_.size() == most_frames) {
    refuse(*call, "functions call each other too deep");
  }
  const Code& code = program_.codes[static_cast<std::size_t>(function)];
  const std::size_t first = frames_.empty() ? 0 : frames_.back().end_register();
  const std::size_t registers = code.function->registers.size();
  const std::size_t first_byte = (local_.size() + 15) / 16 * 16;
  frames_.push_back({function, first, registers, first_byte, next_, call,
                     &warp_registers_->of(thread_.cta_index(), rank_ / 32, frames_.size(), function, registers)});
  frames_.back().values->begin(lane());
  use_frame();
  enlarge_local(first_byte + static_cast<std::size_t>(code.frame_bytes));
  if (products_ != nullptr) {
    products_->make_room(first + registers);
  }
  next_ = code.instructions.data();
}

/// The arguments and the results of a call are variables of both functions.
inline void Lane::call(const Instruction& instruction) {
  const std::size_t caller = frames_.back().first_byte;
  enter(instruction.target, &instruction);
  const Code& code = program_.codes[static_cast<std::size_t>(instruction.target)];
  const std::size_t results = code.function->results.size();
  for (std::size_t i = 0; i < code.function->parameters.size() && i < instruction.list.size(); ++i) {
    const std::size_t to = frames_.back().first_byte + static_cast<std::size_t>(code.places[results + i].bits);
    const std::size_t from = caller + static_cast<std::size_t>(instruction.list[i].bits);
    const auto bytes = static_cast<std::size_t>(code.function->parameters[i].bytes);
    move_local(to, from, bytes);
  }
}
/// What is not known of the bytes before moves with them.
inline void Lane::enlarge_local(std::size_t bytes) {
  if (bytes > local_.capacity()) {
    std::vector<unsigned char> larger;
    larger.reserve(std::max(bytes, 2 * local_.capacity()));
    larger.assign(local_.begin(), local_.end());
    launch_.unknown.copy(larger.data(), local_.data(), local_.size());
    launch_.unknown.set(local_.data(), local_.size(), {});
    local_.swap(larger);
  }
  local_.resize(bytes);
}
inline void Lane::move_local(std::size_t to, std::size_t from, std::size_t bytes) {
  std::memmove(local_.data() + to, local_.data() + from, bytes);
  launch_.unknown.copy(local_.data() + to, local_.data() + from, bytes);
}
inline void Lane::leave() {
  const Frame frame = frames_.back();
  if (frames_.size() == 1) {
    next_ = nullptr;
    return;
  }
  frames_.pop_back();
  const Frame& caller = frames_.back();
  const Code& code = program_.codes[static_cast<std::size_t>(frame.function)];
  for (std::size_t i = 0; i < code.function->results.size() && i < frame.call->results.size(); ++i) {
    move_local(caller.first_byte + static_cast<std::size_t>(frame.call->results[i]),
               frame.first_byte + static_cast<std::size_t>(code.places[i].bits),
               static_cast<std::size_t>(code.function->results[i].bytes));
  }
  use_frame();
  next_ = frame.back;
}

inline unsigned char* Lane::memory(const Instruction& instruction, Space space, std::uint64_t address,
                                   std::size_t bytes, std::size_t alignment, machine::Access access) {
  if (cluster_arrival != nullptr && !is_local_or_parameter(space, address)) [[unlikely]] {
    launch_.assumptions.insert(
        "accesses between an arrival at the barrier of a cluster and the wait count as before the arrival");
  }
  if (alignment > 1 && address % alignment != 0) {
    fail(instruction, "an access of " + std::to_string(alignment) +
                          " bytes is at no multiple of them: " + instruction.statement->opcode);
  }
  const std::uint64_t window = address >> 56 << 56;
  if (space == Space::shared || window == shared_window) {
    return shared(instruction, address, bytes, access);
  }
  if (space == Space::local || window == local_window || window == parameter_window) {
    const bool is_parameter = window == parameter_window;
    std::vector<unsigned char>& memory = is_parameter ? launch_.parameters : local_;
    const std::uint64_t offset = address & ((std::uint64_t{1} << 56) - 1);
    if (offset > memory.size() || bytes > memory.size() - offset ||
        (is_parameter && access == machine::Access::write)) {
      here(instruction);
      throw host::OutOfBounds("a thread accesses " + std::to_string(bytes) + " bytes of its " +
                              (is_parameter ? "parameters" : "local memory") + " from " + std::to_string(offset) +
                              " on, which has " + std::to_string(memory.size()) + " (" + program_.text_of(instruction) +
                              ")");
    }
    return memory.data() + offset;
  }
  auto* const place = reinterpret_cast<unsigned char*>(address);
  try {
    thread_.accesses_global(place, bytes, access);
  } catch (const host::KernelError&) {
    here(instruction);
    throw;
  }
  return place;
}

inline unsigned char* Lane::shared(const Instruction& instruction, std::uint64_t address, std::size_t bytes,
                                   machine::Access access, bool checks) {
  const int rank = rank_of(address);
  const std::uint64_t offset = (address & ((1U << rank_shift) - 1)) - first_shared;
  auto* begin = static_cast<unsigned char*>(thread_.shared());
  try {
    if (rank != thread_.cluster_rank()) {
      begin = static_cast<unsigned char*>(thread_.peer_address(begin, rank));
    }
    if (checks) {
      thread_.accesses_shared(begin + static_cast<std::int64_t>(offset), bytes, access);
    }
  } catch (const host::KernelError&) {
    here(instruction);
    throw;
  }
  return begin + static_cast<std::int64_t>(offset);
}

}  // namespace dma::inline v0_1::proof::ptx::detail
