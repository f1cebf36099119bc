#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/source_location.hpp>
#include <dma/unrolled.hpp>

namespace dma {

/// Tiles whose reads a DMA warp has in flight together in `for_each_tile`: what the engine offers for the pattern, 1
/// where it offers nothing.
template <class Engine, class Pattern, int Threads>
inline constexpr int tiles_ahead = 1;
template <class Engine, class Pattern, int Threads>
  requires requires { Engine::template tiles_ahead<Pattern, Threads>(); }
inline constexpr int tiles_ahead<Engine, Pattern, Threads> = Engine::template tiles_ahead<Pattern, Threads>();

/// A tile that was named, and read if it is full, and that is not in its slot yet.
template <class Pipeline>
struct TileAhead {
  using Pattern = typename Pipeline::Pattern;
  using Held = typename Pipeline::Engine::template Held<Pattern, Pipeline::moving_threads>;

  typename Pipeline::Source source{};
  Pattern pattern = {};
  Held held = {};
  bool is_named = false;
};

/// A DMA warp's handle in `for_each_tile` where the engine reads tiles ahead: a tile is in its slot some tiles later.
/// The explicit protocol is left out, since its slot is not the tile's.
template <class Pipeline>
class ReadAheadHandle {
 public:
  using Pattern = typename Pipeline::Pattern;

  DMA_HOST_DEVICE ReadAheadHandle(Pipeline& pipeline, TileAhead<Pipeline>& tile) : pipeline_(&pipeline), tile_(&tile) {}

  /// As `DmaHandle::load`, once a tile.
  DMA_HOST_DEVICE void load(typename Pipeline::Source source, const Pattern& pattern = {},
                            machine::SourceLocation caller = machine::SourceLocation::here()) const {
    Pipeline::Observer::called_from(caller);
    DMA_EXPECTS(!tile_->is_named,
                "dma::DmaHandle: an engine that reads tiles ahead (RegisterCopyTuning::tiles_ahead) takes one load a "
                "tile of for_each_tile; call load() once, or take the loop over as_dma().my_tiles()");
    tile_->source = source;
    tile_->pattern = pattern;
    tile_->is_named = true;
    if (pattern.is_full()) {
      pipeline_->read_ahead(*tile_);
    }
  }
  [[nodiscard]] DMA_HOST_DEVICE int rank() const { return pipeline_->ring_.rank(); }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int size() { return Pipeline::group_threads; }

 private:
  Pipeline* pipeline_;
  TileAhead<Pipeline>* tile_;
};

/// Runs `move(handle, tile)` for the tiles `first`, `first + step`, ... below `last`, so that the reads of `Ahead` of
/// them are in flight; `finish(tile)` moves one on into its slot. Tile k goes to its slot just before tile k + Ahead is
/// read, into the same registers.
template <int Ahead, class Pipeline, class Move, class Finish>
DMA_HOST_DEVICE void read_tiles_ahead(Pipeline& pipeline, int first, int last, int step, const Move& move,
                                      const Finish& finish) {
  TileAhead<Pipeline> tiles[Ahead];
  const auto finish_named = [&](TileAhead<Pipeline>& tile) {
    if (tile.is_named) {
      finish(tile);
      tile.is_named = false;
    }
  };
  for (int tile = first; tile < last;) {
    unrolled<Ahead>([&](auto i) {
      finish_named(tiles[i]);
      if (tile < last) {
        move(ReadAheadHandle<Pipeline>(pipeline, tiles[i]), tile);
        tile += step;
      }
    });
  }
  unrolled<Ahead>([&](auto i) { finish_named(tiles[i]); });
}

}  // namespace dma
