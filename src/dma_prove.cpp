// The program dma-prove: judges kernels of any compiler by their PTX, on a CPU.
#include <dma/proof/ptx/list.hpp>
#include <dma/proof/ptx/reader.hpp>

#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

namespace {

namespace ptx = dma::proof::ptx::detail;

constexpr const char* usage = R"(Usage: dma-prove FILE.ptx --list
       dma-prove --help

  --list  entries with parameters, shared memory and instructions

Exit codes: 0 done, 2 the command or a file is wrong.
)";

/// What the user has given is wrong.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Command {
  std::string file;
  bool lists = false;
  bool helps = false;
};

[[nodiscard]] Command command_of(const std::vector<std::string>& arguments) {
  Command command;
  for (const std::string& argument : arguments) {
    if (argument == "--list") {
      command.lists = true;
    } else if (argument == "--help" || argument == "-h") {
      command.helps = true;
    } else if (argument.starts_with("-")) {
      throw UsageError("there is no option " + argument + "; see dma-prove --help");
    } else if (!command.file.empty()) {
      throw UsageError("two files are given: " + command.file + " and " + argument);
    } else {
      command.file = argument;
    }
  }
  if (!command.helps && (command.file.empty() || !command.lists)) {
    throw UsageError(command.file.empty() ? "no file is given; see dma-prove --help"
                                          : "nothing is asked for; give --list");
  }
  return command;
}

[[nodiscard]] std::string text_of(const std::string& file) {
  std::ifstream input(file, std::ios::binary);
  if (!input) {
    throw UsageError(file + " cannot be read");
  }
  return {std::istreambuf_iterator<char>(input), {}};
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
    const std::string text = text_of(command.file);
    ptx::write_list(std::cout, ptx::read(text));
    return 0;
  } catch (const ptx::SyntaxError& error) {
    std::cerr << command.file << ": " << error.what() << '\n';
  } catch (const std::exception& error) {
    std::cerr << "dma-prove: " << error.what() << '\n';
  }
  return 2;
}
