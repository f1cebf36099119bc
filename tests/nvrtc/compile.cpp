// compile <source> <option>...: makes PTX of the source by NVRTC, without a GPU. Prints the compiler's log, and fails
// where that is not empty or the PTX holds no kernel.

#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nvrtc.h>

namespace {

void check(nvrtcResult result) {
  if (result != NVRTC_SUCCESS) {
    throw std::runtime_error(nvrtcGetErrorString(result));
  }
}

std::string read(const char* path) {
  const std::ifstream file(path);
  if (!file) {
    throw std::runtime_error(std::string("cannot read ") + path);
  }
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string log_of(nvrtcProgram program) {
  std::size_t size = 0;
  check(nvrtcGetProgramLogSize(program, &size));
  std::string log(size, '\0');
  check(nvrtcGetProgramLog(program, log.data()));
  return log.c_str();
}

std::string ptx_of(nvrtcProgram program) {
  std::size_t size = 0;
  check(nvrtcGetPTXSize(program, &size));
  std::string ptx(size, '\0');
  check(nvrtcGetPTX(program, ptx.data()));
  return ptx;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::fprintf(stderr, "usage: compile <source> <option>...\n");
    return 1;
  }
  const std::vector<const char*> options(argv + 2, argv + argc);
  const std::string source = read(argv[1]);
  nvrtcProgram program = nullptr;
  check(nvrtcCreateProgram(&program, source.c_str(), argv[1], 0, nullptr, nullptr));
  const nvrtcResult result = nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data());
  const std::string log = log_of(program);
  std::fputs(log.c_str(), stdout);
  check(result);
  const std::string ptx = ptx_of(program);
  check(nvrtcDestroyProgram(&program));
  const bool has_kernel = ptx.find(".entry") != std::string::npos;
  std::printf("%zu bytes of PTX\n", ptx.size());
  return log.empty() && has_kernel ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "nvrtc: %s\n", error.what());
  return 1;
}
