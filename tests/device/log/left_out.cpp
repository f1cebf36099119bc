#include "logged.hpp"

#include <string>
#include <vector>

// What the tests call where the kernels were compiled to PTX only.

std::string missing_device() {
  return "this program was built where there is no GPU, without its kernels: configure with -D DMA_DEVICE_MATRICES=ON";
}
std::vector<LoggedRun> run_examples() { return {}; }
std::vector<LoggedRun> run_right_kernels() { return {}; }
