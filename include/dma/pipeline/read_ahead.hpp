#pragma once

#include <dma/config.hpp>
#include <dma/engines/global_values.hpp>
#include <dma/kernel/tile_range.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/site.hpp>
#include <dma/pipeline/cursor.hpp>

namespace dma::inline v0_1 {

template <class Pipeline>
class DmaHandle;

namespace detail {

/// Tiles whose reads a DMA warp has in flight together in `for_each_tile`: what the engine offers for the pattern, 1
/// where it offers nothing.
template <class Engine, class Pattern, int Threads>
inline constexpr int tiles_ahead = 1;
template <class Engine, class Pattern, int Threads>
  requires requires { Engine::template tiles_ahead<Pattern, Threads>(); }
inline constexpr int tiles_ahead<Engine, Pattern, Threads> = Engine::template tiles_ahead<Pattern, Threads>();

/// A full tile that was read and is not in its slot yet.
template <class Pipeline>
struct TileAhead {
  using Pattern = typename Pipeline::Pattern;
  using Held = typename Pipeline::Engine::template Held<Pattern, Pipeline::moving_threads>;

  typename Pipeline::Source source{};
  Pattern pattern = {};
  Held held = {};
  bool is_named = false;
};

/// The last tiles that `for_each_tile` named, in a ring: tile k goes to its slot just before tile k + Ahead is read,
/// into the same registers.
template <class Pipeline, int Ahead>
struct TilesAhead {
  Pipeline& pipeline;
  TileAhead<Pipeline> tiles[Ahead] = {};

  [[nodiscard]] DMA_HOST_DEVICE Cursor& cursor() { return pipeline.ring_.dma_cursor(); }
  /// The first tile of this warp's group, at which the cursor is afterwards.
  [[nodiscard]] DMA_HOST_DEVICE int begin(int first, int step) {
    const int skipped = pipeline.ring_.tiles_until_mine();
    pipeline.ring_.skip(skipped);
    return first + skipped * step;
  }

  DMA_HOST_DEVICE void finish(TileAhead<Pipeline>& tile) {
    if (tile.is_named) {
      machine::assume(tile.pattern.is_full());
      pipeline.finish(tile);
      pipeline.ring_.skip(Pipeline::groups - 1);
      tile.is_named = false;
    }
  }
  /// Of a tile whose body has returned: one that was not read ahead has been moved.
  DMA_HOST_DEVICE void leave(const TileAhead<Pipeline>& tile, [[maybe_unused]] int number) {
    if (Pipeline::groups > 1 && !tile.is_named) {
      DMA_EXPECTS(pipeline.ring_.tiles_until_mine() == Pipeline::groups - 1,
                  "dma::DmaHandle: a tile of for_each_tile() is not moved once, so that the groups that take turns "
                  "count differently; skip tiles in a loop over all of them, in every group",
                  "tile", number);
      pipeline.ring_.skip(Pipeline::groups - 1);
    }
  }
  /// All of them, the tile of `newest` last.
  template <int Index = 0>
  DMA_HOST_DEVICE void finish_all(int newest) {
    if constexpr (Index < Ahead) {
      finish(tiles[(newest + 1 + Index) % Ahead]);
      finish_all<Index + 1>(newest);
    }
  }
};

/// A DMA warp's handle in `for_each_tile` where the engine reads tiles ahead, with the members of `DmaHandle`. A second
/// `load` for a tile, a partial tile, `cudadma::start_load`, the explicit protocol and what takes a `DmaHandle` begin
/// when the tiles before are in their slots.
template <class Pipeline, int Ahead>
class ReadAheadHandle {
 public:
  using Pattern = typename Pipeline::Pattern;
  using Location = machine::SourceLocation;

  /// @param index  of the ring's tile that is the next
  DMA_HOST_DEVICE ReadAheadHandle(TilesAhead<Pipeline, Ahead>& ahead, int index) : ahead_(&ahead), index_(index) {}

  DMA_HOST_DEVICE void load(typename Pipeline::Source source, const Pattern& pattern = {},
                            Location caller = Location::here()) const {
    Observer::called_from(caller);
    TileAhead<Pipeline>& tile = ahead_->tiles[index_];
    if (tile.is_named || !pattern.is_full()) {
      ahead_->finish_all(index_);
    }
    if (pattern.is_full()) {
      tile.source = source;
      tile.pattern = pattern;
      tile.is_named = true;
      ahead_->pipeline.read_ahead(tile);
    } else {
      ahead_->pipeline.transfer(source, pattern);
    }
  }

  template <class Constant>
  DMA_HOST_DEVICE void load(const ConstantSource<Constant>& from, const Pattern& pattern = {},
                            Location caller = Location::here()) const {
    const ConstantLoads constants;
    load(from.source, pattern, caller);
  }

  [[nodiscard]] DMA_HOST_DEVICE operator DmaHandle<Pipeline>() const {  // NOLINT: a body may name its handle's type
    ahead_->finish_all(index_);
    return DmaHandle<Pipeline>(ahead_->pipeline);
  }

  DMA_HOST_DEVICE void wait_until_empty(Location caller = Location::here()) const {
    ahead_->finish_all(index_);
    Observer::called_from(caller);
    ahead_->pipeline.wait_until_movable();
  }
  DMA_HOST_DEVICE void copy(typename Pipeline::Source source, const Pattern& pattern = {},
                            Location caller = Location::here()) const {
    Observer::called_from(caller);
    ahead_->pipeline.copy(source, pattern);
  }
  DMA_HOST_DEVICE void signal_full(Location caller = Location::here()) const {
    Observer::called_from(caller);
    ahead_->pipeline.signal_moved();
  }

  [[nodiscard]] DMA_HOST_DEVICE int rank() const { return ahead_->pipeline.ring_.rank(); }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int size() { return Pipeline::group_threads; }

 private:
  using Observer = typename Pipeline::Observer;

  TilesAhead<Pipeline, Ahead>* ahead_;
  int index_;
};

/// Reads a tile into each element of the ring from `Index` on. These are calls, which are always inlined on a GPU, and
/// not `unrolled`: of more than 5 tiles the compiler kept that body out of line, and with it the ring in local memory,
/// ten times as slow.
template <int Index, class Pipeline, int Ahead, class Move>
DMA_HOST_DEVICE void read_one_round(TilesAhead<Pipeline, Ahead>& ahead, int& tile, TileRange tiles, const Move& move) {
  if constexpr (Index < Ahead) {
    ahead.finish(ahead.tiles[Index]);
    if (tile < tiles.last) {
      move(ReadAheadHandle<Pipeline, Ahead>(ahead, Index), tile);
      ahead.leave(ahead.tiles[Index], tile);
      tile += Pipeline::groups * tiles.step;
    }
    read_one_round<Index + 1>(ahead, tile, tiles, move);
  }
}

/// Runs `move(handle, tile)` for those of the tiles that this warp's group moves, so that the reads of `Ahead` of them
/// are in flight. All groups are at the same tile afterwards.
template <int Ahead, class Pipeline, class Move>
DMA_HOST_DEVICE void read_tiles_ahead(Pipeline& pipeline, TileRange tiles, const Move& move) {
  TilesAhead<Pipeline, Ahead> ahead{pipeline};
  Cursor end = ahead.cursor();
  int tile = ahead.begin(tiles.first, tiles.step);
  while (tile < tiles.last) {
    read_one_round<0>(ahead, tile, tiles, move);
  }
  ahead.finish_all(Ahead - 1);
  if constexpr (Pipeline::groups > 1) {
    end.advance(Pipeline::stages,
                tiles.first < tiles.last ? (tiles.last - tiles.first + tiles.step - 1) / tiles.step : 0);
    ahead.cursor() = end;
  }
}

}  // namespace detail

}  // namespace dma::inline v0_1
