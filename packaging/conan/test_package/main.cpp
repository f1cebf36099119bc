#include <dma/dma.hpp>
#include <dma/host/laws.hpp>

#include <cstdio>
#include <string>

int main() {
  const std::string broken = dma::host::broken_law(dma::Sequential<float, 256>{});
  std::puts(broken.empty() ? "dma: the laws of a pattern hold" : broken.c_str());
  return broken.empty() ? 0 : 1;
}
