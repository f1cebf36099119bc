// The program dma-prove: judges kernels of any compiler by their PTX, on a CPU.
#if !defined(DMA_EVERY_ACCESS)
#error "dma-prove: it reports each access of a kernel; compile it and src/emulator.cpp with -DDMA_EVERY_ACCESS"
#endif

#include <dma/proof/draw.hpp>
#include <dma/proof/ptx/launch/compare_values.hpp>
#include <dma/proof/ptx/launch/npy.hpp>
#include <dma/proof/ptx/launch/nvcc.hpp>
#include <dma/proof/ptx/launch/prove_launches.hpp>
#include <dma/proof/ptx/launch/ptx_words.hpp>
#include <dma/proof/ptx/launch/report.hpp>
#include <dma/proof/ptx/launch/sarif.hpp>
#include <dma/proof/ptx/launch/sweep.hpp>
#include <dma/proof/ptx/list.hpp>
#include <dma/proof/ptx/read/reader.hpp>
#include <dma/proof/ptx/superfluous/find_superfluous.hpp>
#include <dma/proof/ptx/superfluous/superfluous_report.hpp>

#include <algorithm>
#include <charconv>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace {

namespace ptx = dma::proof::ptx::detail;

constexpr const char* usage = R"(Usage: dma-prove FILE --launch 'LAUNCH' [--launch 'LAUNCH']... [OPTION]...
       dma-prove FILE --list

Judges kernels for every schedule of their threads, on a CPU. FILE is PTX of any
compiler, or a .cu that nvcc compiles: that of the PATH, else in bin of CUDA_HOME, of CUDA_PATH or of /usr/local/cuda.

  LAUNCH   kernel<<<grid, block[, BYTES of shared memory][, cluster N][, programmatic][, sms N]>>>(argument, ...)
           A grid or a block is a number or (x, y, z). An argument is a number, {f32 1.0, at 8: s32 2} for a structure,
           name: [out] type[count] [= zeros | random | iota | number | "file.npy"] for an array, or the name of an
           array of a launch before.
           A programmatic launch may begin while the launches before it run, and they are judged together.
           scale<<<8, 160>>>(x: f32[8192] = random, y: out f32[8192], 3.0f, 8)

  --launch-file FILE   launches from a file
  --list               entries with parameters, shared memory and instructions, and what is not understood
  --values NAME=FILE   compares an array with a .npy file, after the last launch
  --save NAME=FILE     writes an array as a .npy file, after the last launch, where that is proved
  --json               the verdicts as JSON
  --svg FILE           draws the schedule that fails
  --sarif FILE         writes what was found as SARIF 2.1.0, for code review
  --sweep NAME=VALUES  judges the launches with each value in place of $NAME: 0..12, 0..64:8 or 1,2,4; of several sweeps,
                       with each choice of values
  --superfluous        names fences, barriers, waits, orders and scopes without which the launches are proved as well
  --also LAUNCHES      with it: these, apart, must be proved as well; give longer ones
  --superfluous-seconds N  for all of that (600)
  --seeds N            runs of each launch (6)
  --seconds N          for each launch (60)
  --atomics N          atomic accesses of a grid, of which each execution is judged (128); of more, the orders that the
                       runs had
  --executions N       of those (1000), in a quarter of the seconds
  --nvcc OPTIONS       for a .cu, in place of -arch=sm_90a

Exit codes: 0 proved; 1 an error was found, or a value differs; 2 the command or a file is wrong; 3 the kernel was not
judged, since something is not understood or was not computed, or a limit ended; 4 nothing but a rule was broken, which
published code breaks and no GPU was seen to mind.
)";

/// What the user has given is wrong.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Command {
  std::string file;
  std::string launches;
  std::vector<std::pair<std::string, std::string>> values;
  std::vector<std::pair<std::string, std::string>> saved;
  std::string nvcc = "-arch=sm_90a";
  std::string svg;
  std::string sarif;
  std::vector<ptx::Sweep> sweeps;
  dma::proof::Options options;
  bool finds_superfluous = false;
  std::vector<std::string> also;  ///< launches
  double superfluous_seconds = 600;
  bool lists = false;
  bool helps = false;
  bool is_json = false;
};

[[nodiscard]] std::string text_of(const std::string& file) {
  std::ifstream input(file, std::ios::binary);
  if (!input) {
    throw UsageError(file + " cannot be read; name a file that is there");
  }
  return {std::istreambuf_iterator<char>(input), {}};
}
[[nodiscard]] int number_of(const std::string& option, const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (number < 1 || error != std::errc{} || end != text.data() + text.size()) {
    throw UsageError(option + " is '" + text + "', which is no number from 1 on; give one");
  }
  return number;
}
void take_option(Command& command, const std::string& option, const std::string& value) {
  if (option == "--launch") {
    command.launches += value + "\n";
  } else if (option == "--launch-file") {
    command.launches += text_of(value) + "\n";
  } else if (option == "--values" || option == "--save") {
    const std::size_t sign = value.find('=');
    if (sign == std::string::npos) {
      throw UsageError(option + " is '" + value + "', which names no array and file; give it as NAME=FILE");
    }
    (option == "--save" ? command.saved : command.values).emplace_back(value.substr(0, sign), value.substr(sign + 1));
  } else if (option == "--also") {
    command.also.push_back(value);
    command.finds_superfluous = true;
  } else if (option == "--superfluous-seconds") {
    command.superfluous_seconds = number_of(option, value);
  } else if (option == "--svg") {
    command.svg = value;
  } else if (option == "--sarif") {
    command.sarif = value;
  } else if (option == "--sweep") {
    command.sweeps.push_back(ptx::sweep_of(value));
  } else if (option == "--seeds") {
    command.options.seeds = number_of(option, value);
  } else if (option == "--seconds") {
    command.options.limits.seconds = number_of(option, value);
  } else if (option == "--atomics") {
    command.options.limits.atomics = number_of(option, value);
  } else if (option == "--executions") {
    command.options.limits.executions = number_of(option, value);
  } else if (option == "--nvcc") {
    command.nvcc = value;
  } else {
    throw UsageError("there is no option " + option + "; see dma-prove --help");
  }
}
[[nodiscard]] Command command_of(const std::vector<std::string>& arguments) {
  Command command;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--list") {
      command.lists = true;
    } else if (argument == "--superfluous") {
      command.finds_superfluous = true;
    } else if (argument == "--json") {
      command.is_json = true;
    } else if (argument == "--help" || argument == "-h") {
      command.helps = true;
    } else if (argument.starts_with("-")) {
      take_option(command, argument, i + 1 < arguments.size() ? arguments[i + 1] : "");
      ++i;
    } else if (argument.find("<<<") != std::string::npos) {
      throw UsageError(argument + " is a launch and no file; write --launch before it");
    } else if (!command.file.empty()) {
      throw UsageError("two files are given, " + command.file + " and " + argument + "; give one of them");
    } else {
      command.file = argument;
    }
  }
  if (!command.helps && (command.file.empty() || (!command.lists && command.launches.empty()))) {
    throw UsageError(command.file.empty() ? "no file is given; see dma-prove --help"
                                          : "nothing is asked for; give --list or --launch");
  }
  return command;
}

/// The PTX of a file; a .cu goes through nvcc.
[[nodiscard]] std::string ptx_of(const Command& command) {
  if (!command.file.ends_with(".cu")) {
    return text_of(command.file);
  }
  static_cast<void>(text_of(command.file));  // it is there
  const std::string nvcc = ptx::find_nvcc();
  if (nvcc.empty()) {
    throw UsageError("there is no nvcc on the PATH, nor in bin of CUDA_HOME, of CUDA_PATH or of /usr/local/cuda, and " +
                     command.file +
                     " needs one; set CUDA_HOME to a CUDA toolkit, install the extra dma-cuda[nvcc], or compile it "
                     "where there is one, by nvcc -ptx -lineinfo, and give the PTX");
  }
  std::cerr << "dma-prove: " << command.file << " is compiled by " << nvcc << '\n';
  return ptx::compile_by(nvcc, command.nvcc, command.file);
}

/// Launches, as a message has them.
[[nodiscard]] std::string one_line(std::string launches) {
  std::replace(launches.begin(), launches.end(), '\n', ' ');
  return launches.substr(0, launches.find_last_not_of(' ') + 1);
}
[[nodiscard]] std::string text_name_of(const Command& command) {
  return command.file.substr(command.file.rfind('/') + 1);
}
/// Says what is no failure.
void note(const std::string& text) { std::cerr << "dma-prove: " << text << '\n'; }
/// Draws the schedule of a verdict into a file, or says why there is none.
void write_picture(const std::string& file, const dma::proof::Verdict& verdict) {
  if (!verdict.timeline.steps.empty()) {
    std::ofstream(file) << dma::proof::draw(verdict);
  } else if (verdict.is_proved()) {
    note(file + " is not written, since nothing fails; a picture is of a schedule that does");
  } else if (!verdict.timeline.title.empty()) {
    note(file + " is not written, since a warp's first step is the fault; the verdict has its lines");
  } else {
    note(file + " is not written, since no schedule of this finding is known; the verdict has its lines");
  }
}
void write_files(const Command& command, const ptx::Module& module, const std::vector<ptx::LaunchVerdict>& verdicts,
                 const std::vector<std::string>& differences) {
  if (!command.svg.empty()) {
    write_picture(command.svg, verdicts.back().verdict);
  }
  if (!command.sarif.empty()) {
    ptx::Sarif sarif(module, command.file);
    std::for_each(verdicts.begin(), verdicts.end(), [&](const ptx::LaunchVerdict& launch) { sarif.add(launch); });
    std::for_each(differences.begin(), differences.end(), [&](const std::string& it) { sarif.add_difference(it); });
    std::ofstream output(command.sarif);
    sarif.write(output);
    if (!output.flush()) {
      throw UsageError(command.sarif + " cannot be written; name a file of a folder that can be written to");
    }
  }
}

[[nodiscard]] ptx::Superfluous superfluous_of(const Command& command, const ptx::Module& module,
                                              const std::string& text_name) {
  const auto stream_of = [](const std::string& text) {
    return ptx::Stream{one_line(text), ptx::LaunchReader(text).read()};
  };
  std::vector<ptx::Stream> streams{stream_of(command.launches)};
  for (const std::string& also : command.also) {
    streams.push_back(stream_of(also));
  }
  return ptx::SuperfluousFinder(module, text_name, std::move(streams), command.options, command.superfluous_seconds)
      .find();
}
/// Writes the files of --save. What of the arrays that these and --values ask for was not computed, in words.
[[nodiscard]] std::vector<std::string> save_values(const Command& command, ptx::LaunchProver& prover) {
  std::vector<std::string> not_computed;
  const auto computed = [&](const std::string& name, const std::string& otherwise) -> const ptx::Array* {
    const ptx::Array& array = prover.arrays().take({.kind = ptx::LaunchArgument::Kind::known_array, .name = name});
    const std::string what = prover.not_computed_in(array);
    if (!what.empty()) {
      note(otherwise + what);
      not_computed.push_back(what);
    }
    return what.empty() ? &array : nullptr;
  };
  for (const auto& [name, file] : command.values) {
    static_cast<void>(computed(name, name + " is compared with " + file + " but for what is not known: "));
  }
  for (const auto& [name, file] : command.saved) {
    const ptx::Array* const array = computed(name, file + " is not written: ");
    if (array != nullptr) {
      ptx::write_npy(file, array->type, array->is_f16, {array->bytes.data(), array->bytes.size()});
    }
  }
  return not_computed;
}
[[nodiscard]] int judge(const Command& command, const ptx::Module& module) {
  const std::string text_name = text_name_of(command);
  ptx::LaunchProver prover(module, text_name);
  if (command.values.empty() && command.saved.empty()) {
    prover.leave_values();
  }
  const std::string launches = ptx::put_values(command.launches, {});  // no name of a sweep is left
  const std::vector<ptx::LaunchVerdict> verdicts = prover.prove(ptx::LaunchReader(launches).read(), command.options);
  const bool is_proved = verdicts.back().verdict.is_proved();
  std::vector<std::string> differences;
  for (const auto& [name, file] : command.values) {
    const std::string difference = ptx::compare_values(prover.arrays(), prover.unknown(), name, file);
    if (!difference.empty() && is_proved) {
      differences.push_back(difference);
    }
  }
  const std::vector<std::string> unknown = is_proved ? save_values(command, prover) : std::vector<std::string>{};
  const ptx::Superfluous superfluous =
      command.finds_superfluous ? superfluous_of(command, module, text_name) : ptx::Superfluous{};
  if (command.is_json) {
    ptx::write_json(std::cout, verdicts, differences,
                    command.finds_superfluous ? "\"superfluous\": " + ptx::json_of(superfluous, module) : "", unknown);
  } else {
    std::cout << ptx::report_of(verdicts, differences);
    if (command.finds_superfluous) {
      ptx::write_superfluous(std::cout, superfluous);
    }
  }
  write_files(command, module, verdicts, differences);
  const int code = ptx::exit_code_of(verdicts.back());
  return code == 0 ? (differences.empty() ? (unknown.empty() ? 0 : 3) : 1) : code;
}
/// The launches with each value of what is swept.
[[nodiscard]] int judge_sweep(const Command& command, const ptx::Module& module) {
  if (!command.values.empty() || !command.saved.empty() || command.finds_superfluous) {
    throw UsageError(
        "--values, --save and --superfluous are of launches without a --sweep; leave it out, or these; "
        "--superfluous has other launches by --also");
  }
  std::vector<ptx::SweptVerdict> swept;
  for (const ptx::SweptValues& values : ptx::choices_of(command.sweeps)) {
    const std::string launches = ptx::put_values(command.launches, values);
    ptx::LaunchProver prover(module, text_name_of(command));
    prover.leave_values();
    swept.push_back({values, one_line(launches), prover.prove(ptx::LaunchReader(launches).read(), command.options)});
  }
  const ptx::SweptVerdict& one = ptx::decisive(swept);
  if (command.is_json) {
    ptx::write_json(std::cout, one.verdicts, {}, "\"sweep\": " + ptx::json_of(swept));
  } else {
    ptx::write_sweep(std::cout, swept);
  }
  write_files(command, module, one.verdicts, {});
  return ptx::exit_code_of(one.last());
}

}  // namespace

int main(int count, char** values) {
  Command command;
  try {
    command = command_of({values + 1, values + count});
    if (command.helps) {
      std::cout << usage;
      return 0;
    }
    const std::string text = ptx_of(command);
    const ptx::Module module = [&] {
      try {
        return ptx::read(text);
      } catch (const ptx::SyntaxError& error) {
        throw UsageError(command.file + ": " + error.what());
      }
    }();
    if (command.lists) {
      std::cout << ptx::list_of(module);
      return 0;
    }
    return command.sweeps.empty() ? judge(command, module) : judge_sweep(command, module);
  } catch (const ptx::SyntaxError& error) {
    std::cerr << "dma-prove: " << error.message() << " [launch, line " << error.position().line << ", column "
              << error.position().column << "]\n";
  } catch (const std::exception& error) {
    std::cerr << "dma-prove: " << ptx::in_ptx_words(error.what()) << '\n';
  }
  return 2;
}
