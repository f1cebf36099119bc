// by_ptx <file of bodies> <file of PTX> [<file>]: the kernels of a list by their PTX, beside what bodies listed of the
// kernel bodies; writes its own list to a file. Exits with 1 where a verdict, a synchronization, a copy or a byte
// between two synchronizations differs. DMA_LIST of the file DMA_LIST_FILE.
#include DMA_LIST_FILE

#include "arrays.hpp"
#include "compared.hpp"
#include "device/log/logged.hpp"
#include "ptx_maps.hpp"
#include "recorded.hpp"

#include <dma/proof/ptx/kernel.hpp>
#include <dma/proof/ptx_kernel.hpp>

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace {

namespace ptx = dma::proof::ptx::detail;

template <class...>
struct Types {};

/// The arguments of a kernel body as one parameter, as `dma::launch` passes them where tensor maps are among them.
template <class... Args>
struct Arguments {};
template <class First, class... Rest>
struct Arguments<First, Rest...> {
  First first;
  Arguments<Rest...> rest;
};
[[nodiscard]] inline Arguments<> arguments() { return {}; }
template <class First, class... Rest>
[[nodiscard]] Arguments<First, Rest...> arguments(const First& first, const Rest&... rest) {
  return {first, arguments(rest...)};
}
template <class... Args>
inline constexpr bool has_tensor_maps = ((alignof(Args) >= alignof(dma::detail::TensorDescriptor)) || ...);

/// CTAs that wait for one another by a `dma::Pace` are proved together, in some of their executions. One after the
/// other they cannot be recorded: their verdicts alone are compared. By C++ a `Pace` does not wait where CTAs run in
/// turn; by PTX it polls a word that no other CTA changes, until the run is ended, and what the CTA would write to
/// global memory behind that is missing.
template <class... Args>
inline constexpr bool waits_for_ctas = (std::is_same_v<Args, dma::PaceCounter*> || ...);
[[nodiscard]] bool begins_block(const std::string& line) { return line.starts_with("block "); }

/// "A, B", of types.
template <class... T>
[[nodiscard]] std::string names_of() {
  char* const text = abi::__cxa_demangle(typeid(Types<T...>).name(), nullptr, nullptr, nullptr);
  std::string name = text;
  std::free(text);
  name = name.substr(name.find("Types<") + 6);
  return name.substr(0, name.size() - 1);
}

class ByPtx : public by_ptx::Arrays {
 public:
  /// @param file  where the lines by PTX are written; empty: nowhere
  ByPtx(std::string text, std::istream& bodies, const std::string& file)
      : text_(std::move(text)), module_(ptx::read(text_)), bodies_(bodies), written_(file) {}

  template <class Element, class Pattern>
  [[nodiscard]] dma::TensorMap<Pattern> map(const Element* data, const Pattern& pattern) const {
    return by_ptx::tensor_map<Pattern>(data, pattern);
  }
  template <class Pattern, class... Parts>
  [[nodiscard]] dma::TensorMap<Pattern> map(const Parts&... parts) const {
    return by_ptx::tensor_map<Pattern>(parts...);
  }
  template <class Kernel, class... Args>
  void run(const std::string& name, const Kernel& kernel, dma::Index3 grid, Args... args) {
    std::ostringstream own;
    own << "kernel " << name << '\n';
    constexpr auto traits = dma::detail::kernel_traits<Kernel>;
    const std::string entry = std::string("dma::v0_1::detail::run_kernel_body") +
                              (has_tensor_maps<Args...> ? "_in_place<" : "<") + names_of<Kernel, Args...>() + ">";
    const dma::proof::PtxKernel in_ptx(text_, entry_of(entry),
                                       {.block = {Kernel::Layout::threads, 1, 1},
                                        .shared_bytes = dma::detail::SharedOf<Kernel>::bytes,
                                        .cluster = {traits.cluster, 1, 1},
                                        .sms = 1});  // as the emulator has it
    constexpr bool is_recorded = !waits_for_ctas<Args...>;
    if constexpr (has_tensor_maps<Args...>) {
      run<is_recorded>(own, traits.programmatic_launch, in_ptx, grid, kernel, arguments(args...));
    } else {
      run<is_recorded>(own, traits.programmatic_launch, in_ptx, grid, kernel, args...);
    }
    written_ << own.str();
    std::istringstream lines(own.str());
    by_ptx::Lines of_body = bodies_.next();
    if (!is_recorded) {
      of_body.erase(std::find_if(of_body.begin(), of_body.end(), begins_block), of_body.end());
    }
    const bool is_same = by_ptx::are_same(by_ptx::Kernels(lines).next(), of_body, reads_);
    differences_ += is_same == (name != differing_kernel) ? 0 : 1;
    ++kernels_;
  }
  [[nodiscard]] int kernels() const { return kernels_; }
  [[nodiscard]] int differences() const { return differences_; }
  [[nodiscard]] const by_ptx::Reads& reads() const { return reads_; }

 private:
  template <bool IsRecorded, class... Args>
  void run(std::ostream& own, bool starts_early, const dma::proof::PtxKernel& kernel, dma::Index3 grid,
           const Args&... args) {
    const dma::proof::Verdict verdict = without_changes(
        [&] { return dma::proof::prove({.seeds = 2, .limits = {.executions = 2}}, kernel, grid, args...); });
    own << "verdict " << dma::proof::name_of(verdict.kind) << '\n';
    if (!verdict.is_proved()) {
      std::cout << verdict.message << '\n';
    }
    for (const std::string& open : verdict.not_judged) {
      if (open.starts_with("but for a rule")) {
        own << open << '\n';
      }
    }
    if (!IsRecorded) {
      return;
    }
    const ptx::LaunchLine line = kernel.line(grid, args...);
    const std::vector<ptx::AlignedBytes> globals = ptx::place_globals(module_);
    const ptx::Program program = ptx::Linker(module_, "k.ptx", globals).link(line.entry);
    ptx::LaunchState state;
    state.program = &program;
    state.grid = grid;
    state.block = line.block;
    state.cluster = line.cluster;
    state.dynamic_shared_bytes = line.shared_bytes;
    state.sms = line.sms;
    state.starts_early = starts_early;
    state.parameters.resize(static_cast<std::size_t>(program.parameter_bytes));
    for (std::size_t i = 0; i < line.arguments.size(); ++i) {
      std::copy(line.arguments[i].contents.begin(), line.arguments[i].contents.end(),
                state.parameters.begin() + static_cast<std::ptrdiff_t>(program.parameter_places[i]));
    }
    ptx::LaunchState* const pointer = &state;
    by_ptx::write_recordings(own, ptx::body_of(pointer), grid, *this);
  }

  /// The compiler's name of an entry. g++ leaves out zeros at the end of a value of a structure, and nvcc has them; or
  /// it leaves out all of the value.
  [[nodiscard]] std::string entry_of(const std::string& name) const {
    static const std::regex values(R"(\{[^{}]*\})");
    const std::string wanted = in_short(name);
    std::string almost;
    for (const ptx::Function& function : module_.functions) {
      const std::string found = function.is_entry ? in_short(ptx::source_name(function.name)) : "";
      if (found.ends_with(wanted)) {
        return function.name;
      }
      if (std::regex_replace(found, values, "").ends_with(std::regex_replace(wanted, values, ""))) {
        almost = almost.empty() ? function.name : "several";
      }
    }
    if (almost.empty() || almost == "several") {
      throw std::invalid_argument("the PTX has no entry " + name);
    }
    return almost;
  }
  [[nodiscard]] static std::string in_short(const std::string& name) {
    static const std::regex zero(R"((,)?(\([\w:]*\))?(0[ul]*|false|[\w:]+\{\})\})");
    std::string last;
    for (std::string text = ptx::before_parameters(name); text != last;) {
      last = std::exchange(text, std::regex_replace(text, zero, "}"));
    }
    return last;
  }

  std::string text_;
  ptx::Module module_;
  by_ptx::Kernels bodies_;
  std::ofstream written_;
  int kernels_ = 0;
  int differences_ = 0;
  by_ptx::Reads reads_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 3 && count != 4) {
    std::cerr << "Usage: by_ptx FILE-OF-BODIES FILE-OF-PTX [FILE]\n";
    return 2;
  }
  std::ifstream bodies(arguments[1]);
  std::ifstream file(arguments[2]);
  ByPtx machine(std::string(std::istreambuf_iterator<char>(file), {}), bodies, count == 4 ? arguments[3] : "");
  logged::DMA_LIST<ByPtx>(machine).run();
  std::cout << machine.kernels() << " kernels, " << machine.differences() << " that differ; of " << machine.reads().all
            << " lists of bytes read " << machine.reads().same << " are the same\n";
  return machine.differences() == 0 && machine.kernels() > 0 ? 0 : 1;
}
