// A launch in a CUDA graph, which is launched again and again. Checks every element; exits with 4 where there is no
// GPU.

#include "../gpu.hpp"
#include "../scale/body.hpp"
#include "../usage.hpp"

#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <cuda_runtime.h>

using gpu::check;

int main(int argc, char** argv) try {
  expect_no_arguments(argc, argv, "Scales a vector on a GPU by a graph of launches.");
  if (const std::string reason = gpu::missing(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 4;
  }
  const gpu::Device device;
  constexpr int tiles = 1000;
  const std::vector<float> ones(static_cast<std::size_t>(tiles * Scale::Tile::count), 1.0F);
  const gpu::Array<float> x(ones);
  const gpu::Array<float> y(ones.size());

  cudaGraph_t graph{};
  check(cudaStreamBeginCapture(device.stream, cudaStreamCaptureModeThreadLocal));
  dma::launch(Scale{}, {tiles}, device.stream, x.data(), y.data(), 2.0F, tiles);  // y = 2 x
  dma::launch(Scale{}, {tiles}, device.stream, y.data(), x.data(), 3.0F, tiles);  // x = 3 y
  check(cudaStreamEndCapture(device.stream, &graph));
  cudaGraphExec_t runs{};
  check(cudaGraphInstantiate(&runs, graph, 0));
  for (int i = 0; i < 3; ++i) {
    check(cudaGraphLaunch(runs, device.stream));
  }
  check(cudaStreamSynchronize(device.stream));

  std::size_t wrong = 0;
  for (const float value : x.values()) {
    wrong += value == 6.0F * 6.0F * 6.0F ? 0 : 1;
  }
  std::printf("graph: %zu of %zu elements are wrong\n", wrong, ones.size());
  cudaGraphExecDestroy(runs);
  cudaGraphDestroy(graph);
  return wrong == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "graph: %s\n", error.what());
  return 1;
}
