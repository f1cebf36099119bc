#pragma once

#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/launch.hpp>
#include <dma/proof/grids_in_order.hpp>
#include <dma/proof/judge_grid.hpp>
#include <dma/proof/proof_options.hpp>
#include <dma/proof/ptx/kernel.hpp>
#include <dma/proof/ptx/launch/arrays.hpp>
#include <dma/proof/ptx/launch/cta_shape.hpp>
#include <dma/proof/ptx/launch/element_remarks.hpp>
#include <dma/proof/ptx/launch/entry_named.hpp>
#include <dma/proof/ptx/launch/launch_line.hpp>
#include <dma/proof/ptx/launch/launch_verdict.hpp>
#include <dma/proof/ptx/launch/left_out.hpp>
#include <dma/proof/ptx/launch/naming.hpp>
#include <dma/proof/ptx/launch/not_computed.hpp>
#include <dma/proof/ptx/launch/ptx_words.hpp>
#include <dma/proof/ptx/launch/shared_names.hpp>
#include <dma/proof/ptx/launch/take_arguments.hpp>
#include <dma/proof/ptx/launch_state.hpp>
#include <dma/proof/ptx/link.hpp>
#include <dma/proof/ptx/program.hpp>
#include <dma/proof/ptx/unknown_bytes.hpp>
#include <dma/proof/ptx/values/unknown.hpp>
#include <dma/proof/verdict.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// Judges launches of one module, one after another: each finds the arrays, and the module's variables, as the one
/// before left them.
class LaunchProver {
 public:
  /// @param module       exists as long as this object
  /// @param counts_uses  whether `LaunchVerdict::uses` is wanted
  LaunchProver(const Module& module, std::string text_name, bool counts_uses = false)
      : module_(module), text_name_(std::move(text_name)), globals_(place_globals(module)), counts_uses_(counts_uses) {}

  /// The verdicts up to the first that is no proof. Where some of the launches may begin before those before them have
  /// ended, their order is judged too.
  ///
  /// @throw std::invalid_argument  a launch does not fit its entry
  [[nodiscard]] std::vector<LaunchVerdict> prove(const std::vector<LaunchLine>& lines, const Options& options) {
    judges_order_ =
        std::any_of(lines.begin(), lines.end(), [](const LaunchLine& line) { return line.is_programmatic; });
    std::vector<LaunchVerdict> verdicts;
    for (const LaunchLine& line : lines) {
      verdicts.push_back(prove(line, options, keeps_values_ || &line != &lines.back()));
      if (!verdicts.back().verdict.is_proved()) {
        break;
      }
    }
    return verdicts;
  }
  [[nodiscard]] Arrays& arrays() noexcept { return arrays_; }
  /// Which bytes of arrays were not computed.
  [[nodiscard]] const UnknownBytes& unknown() const noexcept { return unknown_; }
  /// What of an array was not computed, in words; empty: nothing.
  [[nodiscard]] std::string not_computed_in(const Array& array) const {
    return detail::not_computed_in(array.bytes.data(), array.bytes.size(), static_cast<std::size_t>(array.type.bytes),
                                   array.name, unknown_, *causes_);
  }
  /// Runs a launch, and judges nothing.
  ///
  /// @throw host::KernelError  a value that it leaves in global memory was not computed
  void run(const LaunchLine& line, Options options, unsigned seed) {
    LaunchState state = state_of(line);
    add_memory(options, *state.program);
    const Naming naming(programs_);
    run(state, options, seed);
    expect_computed(options, state);
  }
  /// Arrays need no values after the last launch: products may be left out of it.
  void leave_values() noexcept { keeps_values_ = false; }
  /// Messages are for a user of the library.
  void keep_words() noexcept { keeps_words_ = true; }

 private:
  [[nodiscard]] LaunchState state_of(const LaunchLine& line) {
    const Program& program =
        programs_.emplace_back(Linker(module_, text_name_, globals_).link(entry_named(module_, line.entry)));
    LaunchState state;
    state.program = &program;
    state.grid = line.grid;
    state.block = line.block;
    state.cluster = cluster_of(line, program);
    state.dynamic_shared_bytes = line.shared_bytes;
    state.sms = line.sms;
    state.starts_early = judges_order_ && line.is_programmatic && programs_.size() > 1;
    state.unknown = state.unknown_before = unknown_;
    state.causes = causes_;
    expect_threads(state, program);
    arguments_.take(line, program, state);
    return state;
  }
  /// Judges a launch, without the values of its products where that may do.
  ///
  /// @param judge  a state, with its rules
  template <class Judge>
  [[nodiscard]] LaunchVerdict judge_launch(LaunchState& state, const Judge& judge, bool keeps_values,
                                           const std::vector<std::vector<std::byte>>& left) const {
    if (!judges_order_ && may_leave_out(*state.program)) {
      LaunchState without_products = state;
      without_products.leaves_products_out = true;
      LaunchVerdict result = judge(without_products);
      if (is_final(result.verdict, without_products, left)) {
        state = std::move(without_products);
        state.leaves_products_out = !keeps_values;
        state.unknown = state.unknown_before;
        return result;
      }
    }
    return judge(state);
  }
  /// What the verdict says of a launch, beside its finding.
  ///
  /// @param leaves_nothing  no execution was explored
  void report(LaunchVerdict& result, LaunchState& state, bool leaves_nothing) {
    if (!state.unfenced_product.empty()) {
      result.broken_rules.push_back(
          "no wgmma.fence is between a thread's accesses to registers and a product that uses "
          "them (" +
          state.unfenced_product + ")");
    }
    if (result.verdict.is_proved()) {
      if (state.grid_workspace != 0 && leaves_nothing) {
        state.assumptions.insert("what a cooperative grid leaves in its arrays, which are as before");
      }
      result.verdict.not_judged.insert(state.assumptions.begin(), state.assumptions.end());
    }
    name_for_ptx(result, *state.program);
    result.remarks = element_remarks(*state.program, arrays_);
    result.not_computed = state.not_computed;
    result.instructions = state.instructions;
    result.refusal = state.refusal;
  }
  [[nodiscard]] LaunchVerdict prove(const LaunchLine& line, Options options, bool keeps_values) {
    LaunchState state = state_of(line);
    const Program& program = *state.program;
    const Index3 grid = state.emulated_grid();
    add_memory(options, program);
    const AlignedBytes workspace(asks_for_grid_workspace(program) ? workspace_bytes : 0, workspace_bytes);
    if (workspace.size() != 0) {
      state.grid_workspace = reinterpret_cast<std::uintptr_t>(workspace.data());
      add(options, workspace, true, sizeof(std::uint32_t), "the memory of the cooperative grid");
    }
    LaunchState* pointer = &state;
    const Naming naming(programs_);
    if (judges_order_) {
      grids_.begin("launch " + std::to_string(programs_.size()) + " (" + line.entry + ")", state.starts_early);
    }
    std::vector<std::vector<std::byte>> left;
    std::map<const Statement*, LaunchState::Uses> uses_of_runs;
    state.uses = counts_uses_ ? &uses_of_runs : nullptr;
    const auto judge = [&] {
      left.clear();
      const auto body = body_of(pointer);
      return proof::detail::judge_grid(options, proof::detail::Judge::clocks, grid, body,
                                       judges_order_ ? &grids_ : nullptr, &left);
    };
    const auto judge_with_rules = [&](LaunchState& launch) {
      pointer = &launch;
      LaunchVerdict verdict{.entry = line.entry, .verdict = judge()};
      judge_without_rules(verdict, launch, judge);
      pointer = &state;
      return verdict;
    };
    LaunchVerdict result = judge_launch(state, judge_with_rules, keeps_values, left);
    report(result, state, left.empty());
    if (!result.verdict.is_proved()) {
      return result;
    }
    const bool is_left = !counts_uses_ && proof::detail::leave_outputs(options.outputs, left);
    if (is_left) {
      state.unknown.add(state.unknown_of_runs, 0, UINTPTR_MAX);  // which of them the first execution left is not kept
    } else if (state.grid_workspace == 0) {
      state.uses = counts_uses_ ? &result.uses : nullptr;
      run(state, options, 0);
      result.instructions_of_run = state.instructions - result.instructions;
      for (const auto& [statement, uses] : uses_of_runs) {  // what one run leaves out another one may not
        std::uint64_t& most = result.uses[statement].most_of_thread;
        most = std::max(most, uses.most_of_thread);
      }
    }
    if (is_left || state.grid_workspace == 0) {
      keep_unknown(options, state.unknown);
    }
    return result;
  }
  /// The next launch finds those of arrays.
  void keep_unknown(const Options& options, const UnknownBytes& unknown) {
    unknown_.clear();
    for (const host::detail::Output& output : options.outputs) {
      const auto first = reinterpret_cast<std::uintptr_t>(output.bytes.data());
      unknown_.add(unknown, first, first + output.bytes.size());
    }
  }
  /// That no array, nor other global memory, has a value that was not computed.
  void expect_computed(const Options& options, LaunchState& state) const {
    std::string what;
    for (std::size_t i = 0; i < options.outputs.size() && what.empty(); ++i) {
      const host::detail::Output& output = options.outputs[i];
      what = detail::not_computed_in(output.bytes.data(), output.bytes.size(), output.element_bytes,
                                     output.name.empty() ? "output " + std::to_string(i) : output.name, state.unknown,
                                     *causes_);
    }
    for (const auto& [memory, bytes] : state.on_chip) {
      state.unknown.set(memory, bytes, {});
    }
    if (what.empty() && state.unknown.any_at_all()) {
      const std::uintptr_t first = state.unknown.first();
      what = "the byte " + place_of(first, state) + " was not computed, by " +
             causes_->text(state.unknown.any(reinterpret_cast<const void*>(first), 1));
    }
    if (!what.empty()) {
      throw host::KernelError("dma::host::launch: " + what +
                              "; take no results of this kernel, and prove it, which needs none");
    }
  }
  /// Of an address, by the argument with the nearest address before it.
  [[nodiscard]] static std::string place_of(std::uintptr_t address, const LaunchState& state) {
    std::uintptr_t nearest = 0;
    std::size_t argument = 0;
    const std::vector<std::uint64_t>& places = state.program->parameter_places;
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::uint64_t begin = 0;
      const std::size_t end = i + 1 < places.size() ? places[i + 1] : state.parameters.size();
      if (end - places[i] >= sizeof begin) {
        std::memcpy(&begin, state.parameters.data() + places[i], sizeof begin);
      }
      if (begin <= address && begin > nearest) {
        nearest = begin;
        argument = i;
      }
    }
    return std::to_string(address - nearest) +
           (nearest == 0 ? " of memory" : " behind the address that argument " + std::to_string(argument) + " is");
  }
  /// Leaves the arrays as the launch does.
  static void run(LaunchState& state, const Options& options, unsigned seed) {
    LaunchState* const pointer = &state;
    state.starts_early = false;
    host::detail::launch_grid({.seed = seed,
                               .inputs = options.inputs,
                               .outputs = options.outputs,
                               .has_other_arrays = options.has_other_arrays},
                              state.emulated_grid(), body_of(pointer));
  }

  /// A rule that published code breaks too, and what does not ask for it.
  using Flag = bool LaunchState::*;
  struct Rule {
    FindingKind kind;
    Flag is_left_out;
  };
  /// It leaves the fence between mbarrier.init and bulk copies to a barrier, reads shared memory that it does not use,
  /// lets several warps store one value by one instruction, writes rows of a product's A that the same warp reads,
  /// counts on a product's .sync to order accesses of the lanes of a warp, or on a warpgroup's products to begin when
  /// all its warps have come, or on copies to tensor memory to follow the thread's products, counts on lanes of a warp
  /// to wait and arrive together and on vectors to be accessed at once, has fences for other reasons than an order of
  /// other CTAs, arrives at the mbarriers of these without naming the cluster's scope, and ends with arrivals that no
  /// wait is for, or while bulk stores still read its shared memory.
  static constexpr std::array rules{Rule{FindingKind::missing_fence, &LaunchState::opening_fences},
                                    Rule{FindingKind::unwritten_bytes, &LaunchState::reads_unwritten},
                                    Rule{FindingKind::race, &LaunchState::one_value},
                                    Rule{FindingKind::race, &LaunchState::own_rows},
                                    Rule{FindingKind::race, &LaunchState::products_order},
                                    Rule{FindingKind::race, &LaunchState::products_meet},
                                    Rule{FindingKind::unfinished_copy, &LaunchState::copies_follow_products},
                                    Rule{FindingKind::recycled_barrier, &LaunchState::lanes_together},
                                    Rule{FindingKind::different_outputs, &LaunchState::whole_vectors},
                                    Rule{FindingKind::narrow_scope, &LaunchState::narrow_fences},
                                    Rule{FindingKind::narrow_scope, &LaunchState::wide_arrivals},
                                    Rule{FindingKind::armed_at_exit, &LaunchState::leaves_pending}};

  /// A launch that is proved but for such rules has broken rules alone. What one of them hides may be another one.
  template <class Judge>
  static void judge_without_rules(LaunchVerdict& result, LaunchState& state, const Judge& judge) {
    for (bool finds_another = true; finds_another;) {
      finds_another = false;
      for (const Rule& rule : rules) {
        finds_another = leave_out(rule, result, state, judge) || finds_another;
      }
    }
  }
  /// Whether a rule is broken, and another verdict comes without it.
  template <class Judge>
  [[nodiscard]] static bool leave_out(const Rule& rule, LaunchVerdict& result, LaunchState& state, const Judge& judge) {
    bool& is_left_out = state.*rule.is_left_out;
    const bool is_possible = rule.is_left_out == &LaunchState::wide_arrivals            ? state.ctas_of_cluster() > 1
                             : rule.is_left_out == &LaunchState::whole_vectors          ? state.has_vectors_of_words
                             : rule.is_left_out == &LaunchState::copies_follow_products ? state.copies_to_tensor
                                                                                        : true;
    if (result.verdict.kind != rule.kind || is_left_out || !is_possible) {
      return false;
    }
    is_left_out = true;
    Verdict without = judge();
    const bool is_refused = !state.refusal.empty() || proof::detail::name_of_refusal(without.kind)[0] != '\0';
    const bool hides_another = without.kind != rule.kind && without.kind != FindingKind::deadlock && !is_refused;
    if (!without.is_proved() && !hides_another) {
      state.refusal.clear();
      is_left_out = false;
      return false;
    }
    result.broken_rules.push_back((rule.is_left_out == &LaunchState::whole_vectors
                                       ? "a vector is taken to be accessed at once, where PTX has a word at a time: "
                                       : "") +
                                  std::exchange(result.verdict, std::move(without)).message);
    return true;
  }
  /// Puts the names of the PTX into all texts.
  void name_for_ptx(LaunchVerdict& result, const Program& program) const {
    const SharedNames names(program);
    const auto name = [&](std::string& text) { text = keeps_words_ ? names.in(text) : in_ptx_words(names.in(text)); };
    Verdict& verdict = result.verdict;
    name(verdict.message);
    name(verdict.reservation);
    name(verdict.timeline.title);
    for (auto& step : verdict.timeline.steps) {
      name(step.text);
    }
    std::for_each(result.broken_rules.begin(), result.broken_rules.end(), name);
    std::set<std::string> not_judged;
    for (std::string text : verdict.not_judged) {
      not_judged.insert((name(text), std::move(text)));
    }
    verdict.not_judged = std::move(not_judged);
  }
  /// Arrays, and those global variables that the code can reach, are all that the kernel may access.
  void add_memory(Options& options, const Program& program) {
    for (Array& map : arguments_.maps()) {
      add(options, map.bytes, false, sizeof(std::uint64_t), map.name);
    }
    for (Array& array : arrays_.all()) {
      add(options, array.bytes, array.is_output, static_cast<std::size_t>(array.type.bytes), array.name);
    }
    for (const int number : program.variables) {
      const Variable& variable = module_.variables[static_cast<std::size_t>(number)];
      const AlignedBytes& bytes = globals_[static_cast<std::size_t>(number)];
      if (bytes.size() != 0) {
        add(options, bytes, variable.space == Space::global, static_cast<std::size_t>(variable.type.bytes),
            variable.name);
      }
    }
    if (options.inputs.empty()) {
      options.inputs.push_back({std::as_bytes(std::span(&nothing_, 1)), 1, "nothing"});
    }
    if (options.outputs.empty()) {
      options.outputs.push_back({std::as_writable_bytes(std::span(&nothing_, 1)), 1, "nothing"});
    }
  }
  static void add(Options& options, const AlignedBytes& bytes, bool is_output, std::size_t element_bytes,
                  const std::string& name) {
    const std::span all(reinterpret_cast<std::byte*>(bytes.data()), bytes.size());
    if (is_output) {
      options.outputs.push_back({all, element_bytes, name});
    } else {
      options.inputs.push_back({all, element_bytes, name});
    }
  }

  static constexpr std::size_t workspace_bytes = 64;

  const Module& module_;
  std::string text_name_;
  std::vector<AlignedBytes> globals_;
  bool counts_uses_;
  Arrays arrays_;
  ArgumentTaker arguments_{arrays_};
  UnknownBytes unknown_;
  std::shared_ptr<UnknownCauses> causes_ = std::make_shared<UnknownCauses>();
  std::deque<Program> programs_;  ///< of all launches
  bool judges_order_ = false;
  bool keeps_words_ = false;
  bool keeps_values_ = true;
  proof::detail::GridsInOrder grids_;
  unsigned char nothing_ = 0;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
