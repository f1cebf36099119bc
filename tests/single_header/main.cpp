// The README's kernel runs and is proved with the single headers, and no others of the library in sight.

#include <dma_proof.hpp>

#include "../../examples/scale/body.hpp"

#include <cstddef>
#include <vector>

#if __has_include(<dma/config.hpp>)
#error "the library's own headers are in sight"
#endif

int main() {
  constexpr int tiles = 3;
  const std::vector<float> x(static_cast<std::size_t>(tiles * Scale::Tile::count), 2.0F);
  std::vector<float> y(x.size());
  dma::host::launch(Scale{}, {2}, x.data(), y.data(), 3.0F, tiles);
  if (y != std::vector<float>(x.size(), 6.0F)) {
    return 1;
  }
  const auto verdict = dma::proof::prove({.inputs = {dma::proof::input(x)}, .outputs = {dma::proof::output(y)}},
                                         Scale{}, {1}, x.data(), y.data(), 3.0F, tiles);
  return verdict.is_proved() && dma::host::broken_law(Scale::Tile{}).empty() ? 0 : 2;
}
