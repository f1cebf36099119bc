// Reads a slot in 16-byte accesses, in two ways: as vectors, and as a tile of 16-byte elements. Each adds up four
// floats at a time; checks every sum on the emulator.

#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;

/// A type of one's own, of 16 bytes.
struct alignas(16) Quad {
  float x, y, z, w;
};

/// The elements of the tile are quads, so that `tile[i]` is one access of 16 bytes.
struct SumQuads {
  using Tile = dma::Sequential<Quad, 256>;
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SumQuads>& cta, const Quad* x, float* sums, int tiles) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        cta.block().x, tiles, cta.blocks().x, [&](const auto& dma, int t) { dma.load(x + t * Tile::count); },
        [&](const auto& compute, int t) {
          auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            const Quad quad = tile[i];
            sums[t * Tile::count + i] = quad.x + quad.y + quad.z + quad.w;
          }
        });
  }
};

/// The elements are floats, and the threads read them as vectors of four.
struct SumFloats {
  using Tile = dma::Sequential<float, 1024>;
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SumFloats>& cta, const float* x, float* sums, int tiles) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        cta.block().x, tiles, cta.blocks().x, [&](const auto& dma, int t) { dma.load(x + t * Tile::count); },
        [&](const auto& compute, int t) {
          auto tile = compute.wait();
          auto vectors = tile.vectors();
          for (int i = compute.rank(); i < vectors.size(); i += compute.size()) {
            const dma::Vector<float, 4> v = vectors[i];
            sums[t * Tile::count / 4 + i] = v[0] + v[1] + v[2] + v[3];
          }
        });
  }
};

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

int main() {
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
