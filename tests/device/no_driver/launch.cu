// Launches a kernel where no device can be used, and exits with 0 where the error says so.

#include "scale/body.hpp"

#include <cstdio>
#include <cstring>

int main() {
  constexpr const char* expected = "dma::launch: no device can be used; look at it with nvidia-smi: ";
  try {
    dma::launch(Scale{}, {1}, nullptr, static_cast<const float*>(nullptr), static_cast<float*>(nullptr), 1.0F, 0);
    std::puts("it was launched");
    return 1;
  } catch (const dma::LaunchError& error) {
    std::puts(error.what());
    return std::strncmp(error.what(), expected, std::strlen(expected)) == 0 ? 0 : 1;
  }
}
