#pragma once

#include <dma/dma.hpp>

#include <cstddef>
#include <vector>

/// The CTAs of a cluster take the same tiles, each of which is read from global memory once.
namespace multicast {

inline constexpr int cols = 32;
inline constexpr int part_rows = 4;
inline constexpr int parts = 4;
inline constexpr int tile_rows = parts * part_rows;

/// Each CTA multiplies the tiles of its cluster by a factor of its own.
///
/// @param Cluster  CTAs, of which each loads `parts` / `Cluster` parts of a tile
template <class Layout_, int Cluster, int Stages>
struct Scale {
  using Part = dma::Tile2D<float, cols, part_rows, dma::RowLayout{.alignment = 16}>;
  using Tile = dma::Concat<Part, Part, Part, Part>;
  using Layout = Layout_;
  using Pipe =
      dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, Stages, dma::DmaGroups{.count = Layout::groups}>,
                       dma::ClusterBarrier<Cluster>, dma::TensorCopy<dma::TensorCopyTuning{.multicast = Cluster}>>;
  static constexpr dma::KernelTraits traits{.cluster = Cluster};
  struct Shared {
    typename Pipe::Storage storage;
  };

  /// in[tiles][tile_rows][cols]; out[Cluster][tiles][tile_rows][cols]
  DMA_HOST_DEVICE void operator()(dma::KernelCta<Scale>& cta, const dma::TensorMap<Tile>& map, float* out,
                                  int tiles) const {
    const int step = cta.blocks().x / Cluster;
    for (int turn = 0; turn < 2; ++turn) {
      move(cta, map, out, cta.block().x / Cluster + turn * step, 2 * step, tiles);
    }
  }

  /// Every `step`-th tile through a pipeline of its own, in the storage of the one before.
  DMA_HOST_DEVICE static void move(dma::KernelCta<Scale>& cta, const dma::TensorMap<Tile>& map, float* out, int first,
                                   int step, int tiles) {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      for (int t = first; t < tiles; t += step) {
        dma.load(map, tile_of(t, tiles));
      }
    } else {
      const auto compute = pipe.as_compute();
      const auto factor = static_cast<float>(cta.cluster_rank() + 2);
      for (int t = first; t < tiles; t += step) {
        const auto tile = compute.wait(tile_of(t, tiles));
        float* const to = out + (static_cast<long long>(cta.cluster_rank()) * tiles + t) * tile_rows * cols;
        for (int i = compute.rank(); i < tile_rows * cols; i += compute.size()) {
          to[i] = factor * tile[i];
        }
      }
    }
    pipe.close();
  }

  [[nodiscard]] DMA_HOST_DEVICE static Part part_of(int row, int tiles) {
    return {.pitch_bytes = cols * 4, .array_rows = tiles * tile_rows, .array_cols = cols, .row = row};
  }
  [[nodiscard]] DMA_HOST_DEVICE static Tile tile_of(int t, int tiles) {
    const int row = t * tile_rows;
    return Tile{part_of(row, tiles), part_of(row + part_rows, tiles), part_of(row + 2 * part_rows, tiles),
                part_of(row + 3 * part_rows, tiles)};
  }
};

[[nodiscard]] inline std::vector<float> input(int tiles) {
  std::vector<float> in(static_cast<std::size_t>(tiles) * tile_rows * cols);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<float>(i % 8191);
  }
  return in;
}
[[nodiscard]] inline int count_wrong(const std::vector<float>& in, const std::vector<float>& out) {
  int wrong = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    wrong += out[i] != static_cast<float>(i / in.size() + 2) * in[i % in.size()];
  }
  return wrong;
}

}  // namespace multicast
