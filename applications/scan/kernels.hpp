#pragma once

#include "look_back.hpp"
#include "operations.hpp"
#include "tile.hpp"

#include <dma/dma.hpp>

namespace scan {

/// A CTA a tile: the fastest where all of them are on the GPU at once. One tile needs no look-back.
///
/// A CTA waits for CTAs of lower index alone, which have begun before it.
///
/// @pre At most `most_tiles` tiles.
template <class Operation, Kind kind, TilePlan plan, int Ctas = 1>
struct ScanTiles {
  using Layout = dma::WarpLayout<dma::Compute<plan.warps>>;
  using Tile = TileScan<Operation, plan>;
  using T = typename Tile::T;
  using Shared = typename Tile::Shared;
  static constexpr int most_tiles = plan.looks * Tile::threads;
  static constexpr dma::KernelTraits traits{.min_ctas = Ctas};

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ScanTiles>& cta, const Job<T>& job) const {
    auto& shared = cta.template shared<Shared>();
    const int block = cta.block().x;
    const int last = cta.blocks().x - 1;
    const T* const x = job.x + static_cast<long long>(block) * Tile::elements;
    const long long left = job.elements - static_cast<long long>(block) * Tile::elements;
    const int count = dma::Sequential<T, Tile::elements>::up_to(left).elements;

    Tile tile;
    tile.read(
        cta, count, [&](int at) { return vector_of(x + at); }, [&](int at) { return x[at]; });
    const bool counts = last > 0 && cta.thread() == 0;
    const unsigned long long begun = counts ? LookBack<T>::begin(job.sums) : 0;
    tile.scan_warp(cta);
    if (counts) {
      shared.launch = LookBack<T>::number_of_launch(job.sums, begun, last + 1);
    }
    tile.meet(cta, shared.warps[0]);
    T before = job.first;
    if (last > 0) {
      const LookBack<T> sums(job.sums, shared.launch);
      if (cta.thread() == 0 && block < last) {
        sums.say(block, tile.sum());
      }
      before = Operation::combined(before, Tile::look_back(cta, sums, 0, block, shared.looked[0]));
    }
    tile.template write<kind>(cta, before, job.y + static_cast<long long>(block) * Tile::elements, count, shared);
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE static dma::Vector<T> vector_of(const T* from) {
    if constexpr (plan.is_aligned) {
      return *dma::vectors(from);
    } else {
      dma::Vector<T> vector;
      dma::unrolled<Tile::width>([&](auto e) { vector[e] = from[e]; });
      return vector;
    }
  }
};

/// Each CTA takes every `grid`-th tile, from a ring of slots that bulk copies fill. It says the sum of its next tile
/// before it looks back for the one it has. Back is only as far as its own tile before, whose end it knows: no sum
/// passes from CTA to CTA to CTA, and the same array gives the same bits on each run with as many CTAs.
///
/// @pre At most `most_ctas` CTAs.
template <class Operation, Kind kind, TilePlan plan, int Stages, int Ctas = 1>
struct ScanStream {
  using Layout = dma::WarpLayout<dma::Compute<plan.warps>>;
  using Tile = TileScan<Operation, plan>;
  using T = typename Tile::T;
  using Staged = dma::Sequential<T, Tile::elements, plan.is_aligned ? 16 : int{sizeof(T)}>;
  using Pipe = dma::DmaPipeline<Staged, dma::MultiBuffer<Layout, Stages>>;
  static constexpr int most_ctas = plan.looks * Tile::threads;
  static constexpr dma::KernelTraits traits{.min_ctas = Ctas, .cooperative = true};

  struct Shared {
    typename Pipe::Storage storage;
    typename Tile::Shared tile;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ScanStream>& cta, const Job<T>& job) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.storage);
    const bool counts = cta.thread() == 0;
    const unsigned long long begun = counts ? LookBack<T>::begin(job.sums) : 0;
    const int tiles = static_cast<int>((job.elements + Tile::elements - 1) / Tile::elements);
    const int step = cta.blocks().x;
    int tile = cta.block().x;
    for (int stage = 0; stage < Stages; ++stage) {
      load(pipe, job, tile + stage * step, tiles);
    }
    if (counts) {
      shared.tile.launch = LookBack<T>::number_of_launch(job.sums, begun, step);
    }
    cta.sync();
    const LookBack<T> sums(job.sums, shared.tile.launch);
    T before = job.first;
    int known = 0;  // tiles that `before` has
    int turn = 0;
    const auto take = [&](int at) { return taken(cta, pipe, job, sums, at, tiles, shared.tile.warps[turn]); };
    Tile current;
    if (tile < tiles) {
      current = take(tile);
    }
    while (tile < tiles) {
      Tile next = current;
      turn ^= 1;
      if (tile + step < tiles) {
        next = take(tile + step);
      }
      before = Operation::combined(before, Tile::look_back(cta, sums, known, tile, shared.tile.looked[turn]));
      current.template write<kind>(cta, before, job.y + static_cast<long long>(tile) * Tile::elements,
                                   shape(job, tile).elements, shared.tile);
      before = Operation::combined(before, current.sum());
      known = tile + 1;
      tile += step;
      current = next;
    }
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE static Staged shape(const Job<T>& job, int tile) {
    return Staged::up_to(job.elements - static_cast<long long>(tile) * Tile::elements);
  }
  DMA_HOST_DEVICE static void load(Pipe& pipe, const Job<T>& job, int tile, int tiles) {
    if (tile < tiles) {
      pipe.as_dma().load(job.x + static_cast<long long>(tile) * Tile::elements, shape(job, tile));
    }
  }
  /// The next tile out of its slot, which is filled again; says its sum.
  [[nodiscard]] DMA_HOST_DEVICE static Tile taken(const dma::Cta& cta, Pipe& pipe, const Job<T>& job,
                                                  const LookBack<T>& sums, int at, int tiles, T (&warps)[plan.warps]) {
    Tile tile;
    {
      const auto slot = pipe.as_compute().wait(shape(job, at));
      const auto vectors = slot.vectors();
      tile.read(
          cta, slot.size(), [&](int i) { return vectors[i / Tile::width]; }, [&](int i) { return slot[i]; });
    }
    tile.scan_warp(cta);
    tile.meet(cta, warps);
    if (cta.thread() == 0) {
      sums.say(at, tile.sum());
    }
    load(pipe, job, at + Stages * cta.blocks().x, tiles);
    return tile;
  }
};

}  // namespace scan
