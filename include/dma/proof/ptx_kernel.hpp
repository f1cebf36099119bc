#pragma once

#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/global_arrays.hpp>
#include <dma/host/launch.hpp>
#include <dma/machine/index3.hpp>
#include <dma/proof/proof_options.hpp>
#include <dma/proof/ptx/launch/entry_named.hpp>
#include <dma/proof/ptx/launch/launch_line.hpp>
#include <dma/proof/ptx/launch/prove_launches.hpp>
#include <dma/proof/ptx/read/reader.hpp>
#include <dma/proof/verdict.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof {

namespace ptx::detail {

/// The launches of a kernel that were judged, and what they executed.
struct KernelUse {
  std::vector<LaunchLine> lines = {};
  std::vector<LaunchVerdict> verdicts = {};
};

}  // namespace ptx::detail

/// A kernel of any compiler, by its PTX, for `prove` and `host::launch`.
///
///     const PtxKernel reverse(text, "reverse", {.block = {160, 1, 1}});
///     REQUIRE_THAT(prove({.inputs = {input(x)}, .outputs = {output(y)}}, reverse, {2, 1, 1}, x.data(), y.data(), 3.0F,
///     8),
///                  IsProved());
///     host::launch(reverse, {2, 1, 1}, x.data(), y.data(), 3.0F, 8);
///
/// Its program is compiled with DMA_EVERY_ACCESS and without instrumentation, since the interpreter reports each access
/// itself: link the CMake target `dma_ptx_emulator`.
class PtxKernel {
 public:
  /// How it is launched, beside its grid.
  struct Shape {
    Index3 block{1, 1, 1};
    std::size_t shared_bytes = 0;  ///< dynamic ones
    Index3 cluster{1, 1, 1};       ///< CTAs; that of the entry, where it names one
    std::uint64_t sms = 0;         ///< of the GPU, for a kernel that asks for them
  };

  /// @param entry  its name, as the source has it or the compiler
  /// @throw std::runtime_error     the text is no PTX
  /// @throw std::invalid_argument  it has no such entry
  PtxKernel(std::string text, const std::string& entry, Shape shape)
      : text_(std::make_shared<const std::string>(std::move(text))),
        module_(std::make_shared<const ptx::detail::Module>(ptx::detail::read(*text_))),
        entry_(ptx::detail::entry_named(*module_, entry)),
        shape_(shape) {}

  /// Of a launch with its arguments, whose bytes are those of the entry's parameters.
  ///
  /// @throw host::KernelError  there are more or fewer, or one has other bytes
  template <class... Args>
  [[nodiscard]] ptx::detail::LaunchLine line(Index3 grid, const Args&... args) const {
    static_assert(sees_every_access || sizeof...(Args) > 1000,
                  "dma::proof::PtxKernel: its interpreter reports each access; link dma_ptx_emulator, which defines "
                  "DMA_EVERY_ACCESS");
    ptx::detail::LaunchLine line{.entry = entry_,
                                 .grid = grid,
                                 .block = shape_.block,
                                 .shared_bytes = shape_.shared_bytes,
                                 .cluster = shape_.cluster,
                                 .sms = shape_.sms};
    (line.arguments.push_back(argument_of(args)), ...);
    const auto function = static_cast<std::size_t>(module_->function_of.at(entry_));
    const auto& parameters = module_->functions[function].parameters;
    if (parameters.size() != sizeof...(Args)) {
      throw host::KernelError("dma::proof::PtxKernel: " + entry_ + " takes " + std::to_string(parameters.size()) +
                              " arguments and got " + std::to_string(sizeof...(Args)) +
                              "; give one for each parameter");
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (line.arguments[i].contents.size() != parameters[i].bytes) {
        throw host::KernelError("dma::proof::PtxKernel: argument " + std::to_string(i) + " of " + entry_ + " has " +
                                std::to_string(line.arguments[i].contents.size()) + " bytes and its parameter " +
                                std::to_string(parameters[i].bytes) + "; give it the parameter's type");
      }
    }
    return line;
  }
  [[nodiscard]] const ptx::detail::Module& module() const noexcept { return *module_; }
  /// The same kernel in another module, whose proofs are noted in `use`.
  [[nodiscard]] PtxKernel in(std::shared_ptr<const ptx::detail::Module> module, ptx::detail::KernelUse& use) const {
    PtxKernel other = *this;
    other.module_ = std::move(module);
    other.use_ = &use;
    return other;
  }
  [[nodiscard]] std::shared_ptr<const ptx::detail::Module> shared_module() const noexcept { return module_; }
  /// Where proofs are noted; null: nowhere.
  [[nodiscard]] ptx::detail::KernelUse* use() const noexcept { return use_; }
  /// For messages of lines that the PTX does not name.
  [[nodiscard]] std::string text_name() const { return entry_ + ".ptx"; }

 private:
  template <class Argument>
  [[nodiscard]] static ptx::detail::LaunchArgument argument_of(const Argument& argument) {
    if constexpr (host::detail::SpanArgument<const Argument>) {
      return argument_of(argument.data());
    } else {
      static_assert(std::is_trivially_copyable_v<Argument>,
                    "dma::proof::PtxKernel: an argument is passed by its bytes; give pointers, spans, numbers and "
                    "trivially copyable structures");
      ptx::detail::LaunchArgument bytes{.kind = ptx::detail::LaunchArgument::Kind::bytes};
      bytes.contents.resize(sizeof argument);
      std::memcpy(bytes.contents.data(), &argument, sizeof argument);
      return bytes;
    }
  }

  std::shared_ptr<const std::string> text_;
  std::shared_ptr<const ptx::detail::Module> module_;
  std::string entry_;
  Shape shape_;
  ptx::detail::KernelUse* use_ = nullptr;
};

namespace detail {

/// Arrays that arguments name, beside those of the options; where there are none at all, no bounds are judged.
template <class... Args>
void add_arrays(Options& options, Args&... args) {
  host::detail::GlobalArrays arrays;
  [[maybe_unused]] int number = 0;
  (host::detail::add_array_of(arrays, args, number++), ...);
  options.inputs.insert(options.inputs.end(), arrays.inputs.begin(), arrays.inputs.end());
  options.outputs.insert(options.outputs.end(), arrays.outputs.begin(), arrays.outputs.end());
  options.has_other_arrays = options.has_other_arrays || options.inputs.size() + options.outputs.size() == 0;
}

}  // namespace detail

/// Proves that a kernel of any compiler is correct for every schedule of its threads, as `prove` of a kernel body.
/// Where it breaks a rule that published code breaks too, and that no GPU was seen to mind, it is proved but for that:
/// `is_proved()` is true, and `Verdict::not_judged` has "but for a rule: ..." for each, which its first line prints.
///
/// @throw host::KernelError      an argument does not fit
/// @throw std::invalid_argument  the block or the grid does not fit the entry
template <class... Args>
[[nodiscard]] Verdict prove(Options options, const PtxKernel& kernel, Index3 grid, Args... args) {
  detail::add_arrays(options, args...);
  std::vector<std::vector<std::byte>> before;
  for (const host::detail::Output& output : options.outputs) {
    before.emplace_back(output.bytes.begin(), output.bytes.end());
  }
  ptx::detail::LaunchProver prover(kernel.module(), kernel.text_name(), kernel.use() != nullptr);
  prover.keep_words();
  prover.leave_values();
  const std::vector<ptx::detail::LaunchLine> lines(1, kernel.line(grid, args...));
  ptx::detail::LaunchVerdict launch = prover.prove(lines, options).back();
  if (kernel.use() != nullptr) {
    kernel.use()->lines.push_back(lines[0]);
    kernel.use()->verdicts.push_back(launch);
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    std::copy(before[i].begin(), before[i].end(), options.outputs[i].bytes.begin());
  }
  for (const std::string& rule : launch.broken_rules) {
    launch.verdict.not_judged.insert("but for a rule: " + rule);
  }
  if (!launch.refusal.empty()) {
    launch.verdict.message = launch.refusal;
  }
  return std::move(launch.verdict);
}

}  // namespace dma::inline v0_1::proof

namespace dma::inline v0_1::host {

/// Runs a kernel of any compiler on the CPU, as `launch` of a kernel body.
///
/// @throw KernelError  a value that it leaves in global memory was not computed, which a proof does not mind: the
///                     message has the array, the element, the instruction and its line
/// @throw  what that throws; std::invalid_argument where the block or the grid does not fit the entry
template <class... Args>
void launch(const LaunchOptions& options, const proof::PtxKernel& kernel, Index3 grid, Args... args) {
  proof::Options arrays{.inputs = options.inputs, .outputs = options.outputs};
  arrays.has_other_arrays = options.has_other_arrays;
  proof::detail::add_arrays(arrays, args...);
  proof::ptx::detail::LaunchProver(kernel.module(), kernel.text_name())
      .run(kernel.line(grid, args...), arrays, options.seed);
}
template <class... Args>
void launch(const proof::PtxKernel& kernel, Index3 grid, Args... args) {
  launch(LaunchOptions{}, kernel, grid, args...);
}

}  // namespace dma::inline v0_1::host
