#pragma once

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>

namespace dma::inline v0_1::proof::ptx::detail {

/// The compiler of a .cu: on the PATH, else in bin of CUDA_HOME, of CUDA_PATH or of /usr/local/cuda. Empty where none
/// of them has it.
[[nodiscard]] inline std::string find_nvcc() {
  const auto variable = [](const char* name) {
    return std::string(std::getenv(name) == nullptr ? "" : std::getenv(name));
  };
  const auto in = [](const std::string& folder) {
    const std::string file = folder + "/nvcc";
    return !folder.empty() && access(file.c_str(), X_OK) == 0 ? file : "";
  };
  std::istringstream path(variable("PATH"));
  std::string found;
  for (std::string folder; found.empty() && std::getline(path, folder, ':');) {
    found = in(folder);
  }
  for (const std::string& toolkit : {variable("CUDA_HOME"), variable("CUDA_PATH"), std::string("/usr/local/cuda")}) {
    found = found.empty() && !toolkit.empty() ? in(toolkit + "/bin") : found;
  }
  return found;
}

/// A word of a shell.
[[nodiscard]] inline std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return result + "'";
}

/// For files that are there for a moment.
[[nodiscard]] inline std::string temporary_folder() {
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr ? named : "/tmp";
}

/// The PTX of a .cu.
///
/// @throw std::invalid_argument  it does not compile
[[nodiscard]] inline std::string compile_by(const std::string& nvcc, const std::string& options,
                                            const std::string& source) {
  std::string folder = temporary_folder() + "/dma-prove.XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) {
    throw std::invalid_argument("no folder can be made in " + temporary_folder() +
                                "; name one in TMPDIR that can be written to");
  }
  const std::string file = folder + "/kernel.ptx";
  const std::string command =
      quoted(nvcc) + " -ptx -lineinfo " + options + " " + quoted(source) + " -o " + quoted(file);
  const int status = std::system(command.c_str());
  std::ifstream written(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(written), {}};
  unlink(file.c_str());
  rmdir(folder.c_str());
  if (status != 0 || text.empty()) {
    throw std::invalid_argument(
        nvcc + " does not compile " + source +
        "; mend what it says above, or give it options, as --nvcc '-std=c++20 -arch=sm_90a -I include'");
  }
  return text;
}

}  // namespace dma::inline v0_1::proof::ptx::detail
