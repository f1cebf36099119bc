// y = a x on the emulator: the body of body.hpp without a GPU. Checks every element.

#include "../usage.hpp"
#include "body.hpp"

#include <dma/host/launch.hpp>

#include <cstddef>
#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  expect_no_arguments(argc, argv, "Scales a vector by the kernel of the GPU, emulated.");
  constexpr int tiles = 40;
  constexpr float a = 3.0F;
  std::vector<float> x(static_cast<std::size_t>(tiles * Scale::Tile::count));
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i % 4099);
  }
  std::vector<float> y(x.size(), -1.0F);

  dma::host::launch(Scale{}, {3}, x.data(), y.data(), a, tiles);

  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    wrong += y[i] == a * x[i] ? 0 : 1;
  }
  std::printf("scale on the host: %zu of %zu elements are wrong\n", wrong, x.size());
  return wrong == 0 ? 0 : 1;
}
