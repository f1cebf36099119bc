// A kernel before and after it is ported from cuda::pipeline, in two forms. Checks every element of each; exits with 4
// where there is no GPU.

#include "../gpu.hpp"
#include "../usage.hpp"
#include "reverse.cuh"

#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

int main(int argc, char** argv) try {
  expect_no_arguments(argc, argv, "Runs a kernel of cuda::pipeline, and the same kernel ported, on a GPU.");
  if (const std::string reason = gpu::missing(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 4;
  }
  static_assert(after::Tile::count == before::count && after::Warps::threads == before::threads);
  constexpr int tiles = 1000;
  constexpr int ctas = 132;
  std::vector<float> x(static_cast<std::size_t>(tiles) * before::count);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i % 4099);
  }
  const gpu::Array<float> x_there(x);
  std::size_t wrong = 0;
  for (const auto& [kernel, threads] :
       {std::pair(&before::reverse, before::threads), std::pair(&after::reverse, after::Warps::threads),
        std::pair(&after::reverse_by_roles, after::Roles::threads)}) {
    const gpu::Array<float> y(x.size());
    y.set_bytes(0xff);
    kernel<<<ctas, threads>>>(x_there.data(), y.data(), tiles);
    gpu::check(cudaGetLastError());
    gpu::check(cudaDeviceSynchronize());
    const std::vector<float> y_here = y.values();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t tile = i / before::count * before::count;
      wrong += y_here[i] == x[tile + before::count - 1 - (i - tile)] ? 0 : 1;
    }
  }
  std::printf("porting: %zu of %zu elements are wrong\n", wrong, 3 * x.size());
  return wrong == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "porting: %s\n", error.what());
  return 1;
}
