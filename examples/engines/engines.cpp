// One kernel, moved by each engine: the type of the pipeline is all that changes.

#include "../scale_tiles.hpp"
#include "../usage.hpp"
#include "pipelines.hpp"

#include <dma/explain/print.hpp>
#include <dma/host/launch.hpp>

#include <cstddef>
#include <iostream>
#include <vector>

namespace {

template <class Pipe>
bool is_right() {
  using engines::Tile;
  constexpr int tiles = 7;
  std::vector<float> x(tiles * Tile::count);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i % 101);
  }
  std::vector<float> y(x.size(), -1.0F);
  dma::host::launch(ScaleTiles<Pipe>{}, {1}, x.data(), y.data(), tiles, Tile::count, Tile{});
  bool all_right = true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    all_right = all_right && y[i] == 2 * x[i];
  }
  std::cout << dma::explain<Pipe>() << (all_right ? "right\n\n" : "WRONG\n\n");
  return all_right;
}

}  // namespace

int main(int argc, char** argv) {
  expect_no_arguments(argc, argv, "Scales tiles by each engine, emulated, and prints what the pipeline does.");
  const bool by_default = is_right<engines::Bulk>();
  const bool by_async = is_right<engines::Async>();
  const bool by_name = is_right<engines::Named>();
  const bool by_registers = is_right<engines::Registers>();
  const bool by_two = is_right<engines::Ahead>();
  const bool by_own_thresholds = is_right<engines::Own>();
  return by_default && by_async && by_name && by_registers && by_two && by_own_thresholds ? 0 : 1;
}
