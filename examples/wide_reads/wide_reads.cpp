// Reads a slot in 16-byte accesses, in two ways: as vectors, and as a tile of 16-byte elements. Each adds up four
// floats at a time; checks every sum on the emulator.

#include "../usage.hpp"
#include "sums.hpp"

#include <dma/host/launch.hpp>

#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

using wide_reads::Quad;
using wide_reads::SumFloats;
using wide_reads::SumQuads;

int wrong_sums(const std::vector<float>& sums) {
  int wrong = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    float expected = 0;
    for (std::size_t k = 4 * i; k < 4 * i + 4; ++k) {
      expected += static_cast<float>(k % 1013);
    }
    wrong += sums[i] == expected ? 0 : 1;
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  expect_no_arguments(argc, argv, "Adds up tiles by 16-byte reads in two ways, emulated.");
  constexpr int tiles = 9;
  std::vector<Quad> quads(tiles * 256);
  std::vector<float> floats(quads.size() * 4);
  for (std::size_t i = 0; i < floats.size(); ++i) {
    floats[i] = static_cast<float>(i % 1013);
  }
  for (std::size_t i = 0; i < quads.size(); ++i) {
    quads[i] = {floats[4 * i], floats[4 * i + 1], floats[4 * i + 2], floats[4 * i + 3]};
  }

  std::vector<float> sums(quads.size(), -1.0F);
  dma::host::launch(SumQuads{}, {2}, quads.data(), sums.data(), tiles);
  int wrong = wrong_sums(sums);

  sums.assign(sums.size(), -1.0F);
  dma::host::launch(SumFloats{}, {2}, floats.data(), sums.data(), tiles);
  wrong += wrong_sums(sums);

  std::printf("16-byte reads of a slot: %d of %zu sums are wrong\n", wrong, 2 * sums.size());
  return wrong == 0 ? 0 : 1;
}
