#pragma once

#include "look_back.hpp"

#include <dma/dma.hpp>

namespace scan {

/// Where a tile reads its elements from: global memory.
template <class T, bool is_aligned>
struct InGlobal {
  const T* tile;

  [[nodiscard]] DMA_HOST_DEVICE T element(int at) const { return tile[at]; }
  [[nodiscard]] DMA_HOST_DEVICE dma::Vector<T> vector(int at) const {
    if constexpr (is_aligned) {
      return *dma::vectors(tile + at);
    } else {
      dma::Vector<T> vector;
      dma::unrolled<dma::Vector<T>::size()>([&](auto e) { vector[e] = tile[at + e]; });
      return vector;
    }
  }
};
/// A slot, in which `behind` elements are before those of the tile.
template <class T, class Slot>
struct InSlot {
  const Slot& slot;
  int behind;

  [[nodiscard]] DMA_HOST_DEVICE T element(int at) const { return slot[at + behind]; }
  [[nodiscard]] DMA_HOST_DEVICE dma::Vector<T> vector(int at) const {
    const auto vectors = slot.vectors();
    return vectors[at / dma::Vector<T>::size()];
  }
};

/// A CTA a tile: the fastest where all of them are on the GPU at once. One tile needs no look-back.
///
/// A CTA waits for CTAs of lower index alone, which have begun before it.
///
/// @tparam TileOf  what a CTA does with a tile: `TileScan`, `TileSelect` or `TileRuns`
/// @pre At most `most_tiles` tiles.
template <class TileOf, int Ctas = 1>
struct TilePerCta {
  using Tile = TileOf;
  using Layout = dma::WarpLayout<dma::Compute<Tile::warps>>;
  using T = typename Tile::T;
  using Sum = typename Tile::Sum;
  using Shared = typename Tile::Shared;
  static constexpr int most_tiles = Tile::most_looks;
  static constexpr dma::KernelTraits traits{.min_ctas = Ctas};

  DMA_HOST_DEVICE void operator()(dma::KernelCta<TilePerCta>& cta, const typename Tile::Job& job) const {
    auto& shared = cta.template shared<Shared>();
    const int block = cta.block().x;
    const int last = cta.blocks().x - 1;
    const long long first = static_cast<long long>(block) * Tile::elements;
    const int count = dma::Sequential<T, Tile::elements>::up_to(job.elements - first).elements;

    Tile tile;
    tile.read(cta, job, first, count, InGlobal<T, Tile::is_aligned>{job.x + first});
    const bool counts = last > 0 && cta.thread() == 0;
    const unsigned long long begun = counts ? LookBack<Sum>::begin(job.sums) : 0;
    tile.add_up_warp(cta);
    if (counts) {
      shared.launch = LookBack<Sum>::number_of_launch(job.sums, begun, last + 1);
    }
    tile.meet(cta, shared.warps[0]);
    Sum before = Tile::before_all(job);
    if (last > 0) {
      const LookBack<Sum> sums(job.sums, shared.launch);
      if (cta.thread() == 0 && block < last) {
        sums.say(block, tile.sum());
      }
      before = Tile::combined(before, Tile::look_back(cta, sums, 0, block, shared.looked[0]));
    }
    tile.write(cta, before, job, first, count, shared);
  }
};

/// Each CTA takes every `grid`-th tile, from a ring of slots that bulk copies fill. It says the sum of its next tile
/// before it looks back for the one it has. Back is only as far as its own tile before, whose end it knows: no sum
/// passes from CTA to CTA to CTA, and the same array gives the same bits on each run with as many CTAs.
///
/// @tparam TileOf  as of `TilePerCta`
/// @pre At most `most_ctas` CTAs.
template <class TileOf, int Stages, int Ctas = 1>
struct TileStream {
  using Tile = TileOf;
  using Layout = dma::WarpLayout<dma::Compute<Tile::warps>>;
  using T = typename Tile::T;
  using Sum = typename Tile::Sum;
  using Staged = dma::Sequential<T, Tile::elements + Tile::behind, Tile::is_aligned ? 16 : int{sizeof(T)}>;
  using Pipe = dma::DmaPipeline<Staged, dma::MultiBuffer<Layout, Stages>>;
  static constexpr int most_ctas = Tile::most_looks;
  static constexpr dma::KernelTraits traits{.min_ctas = Ctas, .cooperative = true};

  struct Shared {
    typename Pipe::Storage storage;
    typename Tile::Shared tile;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<TileStream>& cta, const typename Tile::Job& job) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.storage);
    const bool counts = cta.thread() == 0;
    const unsigned long long begun = counts ? LookBack<Sum>::begin(job.sums) : 0;
    const int tiles = static_cast<int>((job.elements + Tile::elements - 1) / Tile::elements);
    const int step = cta.blocks().x;
    int tile = cta.block().x;
    for (int stage = 0; stage < Stages; ++stage) {
      load(pipe, job, tile + stage * step, tiles);
    }
    if (counts) {
      shared.tile.launch = LookBack<Sum>::number_of_launch(job.sums, begun, step);
    }
    cta.sync();
    const LookBack<Sum> sums(job.sums, shared.tile.launch);
    Sum before = Tile::before_all(job);
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
      before = Tile::combined(before, Tile::look_back(cta, sums, known, tile, shared.tile.looked[turn]));
      current.write(cta, before, job, first_of(tile), count_of(job, tile), shared.tile);
      before = Tile::combined(before, current.sum());
      known = tile + 1;
      tile += step;
      current = next;
    }
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE static long long first_of(int tile) {
    return static_cast<long long>(tile) * Tile::elements;
  }
  [[nodiscard]] DMA_HOST_DEVICE static int count_of(const typename Tile::Job& job, int tile) {
    return dma::Sequential<T, Tile::elements>::up_to(job.elements - first_of(tile)).elements;
  }
  /// Elements of a slot before those of the tile.
  [[nodiscard]] DMA_HOST_DEVICE static int behind(int tile) { return tile > 0 ? Tile::behind : 0; }
  [[nodiscard]] DMA_HOST_DEVICE static Staged shape(const typename Tile::Job& job, int tile) {
    return Staged{count_of(job, tile) + behind(tile)};
  }
  DMA_HOST_DEVICE static void load(Pipe& pipe, const typename Tile::Job& job, int tile, int tiles) {
    if (tile < tiles) {
      pipe.as_dma().load(job.x + first_of(tile) - behind(tile), shape(job, tile));
    }
  }
  /// The next tile out of its slot, which is filled again; says its sum.
  [[nodiscard]] DMA_HOST_DEVICE static Tile taken(const dma::Cta& cta, Pipe& pipe, const typename Tile::Job& job,
                                                  const LookBack<Sum>& sums, int at, int tiles,
                                                  Sum (&warps)[Tile::warps]) {
    Tile tile;
    {
      const auto slot = pipe.as_compute().wait(shape(job, at));
      tile.read(cta, job, first_of(at), slot.size() - behind(at), InSlot<T, decltype(slot)>{slot, behind(at)});
    }
    tile.add_up_warp(cta);
    tile.meet(cta, warps);
    if (cta.thread() == 0) {
      sums.say(at, tile.sum());
    }
    load(pipe, job, at + Stages * cta.blocks().x, tiles);
    return tile;
  }
};

}  // namespace scan
