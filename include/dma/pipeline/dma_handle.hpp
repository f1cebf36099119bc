#pragma once

#include <dma/config.hpp>
#include <dma/engines/global_values.hpp>
#include <dma/kernel/tile_range.hpp>
#include <dma/machine/site.hpp>
#include <dma/patterns/view.hpp>
#include <dma/pipeline/cursor.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

namespace detail {

struct PhaseDoor;  // in dma/cudadma/phase_door.hpp

/// States the rules of a loop over tiles. Each of the groups steps to its own first and next tile, and the tiles are
/// counted over the slots: all that is an int.
template <int Groups, int Stages>
DMA_HOST_DEVICE void expect_countable(TileRange tiles) {
  [[maybe_unused]] constexpr long long largest = 0x7fffffff;
  [[maybe_unused]] const bool is_empty = tiles.first >= tiles.last;
  [[maybe_unused]] const long long end =
      (is_empty ? tiles.first : tiles.last) + static_cast<long long>(Groups) * tiles.step;
  DMA_EXPECTS(
      is_empty || tiles.step > 0,
      "dma::DmaPipeline: a loop over tiles steps to larger numbers, and this step is not above 0; give the tiles "
      "in rising order",
      "step", tiles.step, "first", tiles.first, "last", tiles.last);
  DMA_EXPECTS(
      (Groups == 1 && is_empty) || (end <= largest && end - tiles.first + Stages <= largest),
      "dma::DmaPipeline: a loop over tiles counts past the largest int; end it earlier, or number the tiles from "
      "0 and add the rest to an address",
      "last", tiles.last, "step", tiles.step, "first", tiles.first);
}

/// Both halves of each tile in one thread, on a layout without DMA warps: `fill(tile)` runs ahead of `use(tile)` by as
/// many tiles as `Stages` slots allow.
template <int Stages, class Fill, class Use>
DMA_HOST_DEVICE void fill_ahead(TileRange tiles, const Fill& fill, const Use& use) {
  expect_countable<1, Stages>(tiles);
  constexpr int ahead = Stages > 1 ? Stages - 1 : 1;
  int filled = tiles.first;
  const auto fill_next = [&] {
    fill(filled);
    filled += tiles.step;
  };
  for (int i = 0; i < ahead && filled < tiles.last; ++i) {
    fill_next();
  }
  for (int tile : tiles) {
    if (Stages > 1 && filled < tiles.last) {
      fill_next();
    }
    use(tile);
    if (Stages == 1 && filled < tiles.last) {
      fill_next();
    }
  }
}

}  // namespace detail

/// A DMA warp's handle of a pipeline: it moves tiles, and nothing else.
template <class Pipeline>
class DmaHandle {
 public:
  using Pattern = typename Pipeline::Pattern;
  using Element = typename Pattern::Element;
  /// Whether the engine takes a tensor map of the whole array instead of an address.
  static constexpr bool takes_maps = stdlib::is_reference_v<typename Pipeline::Source>;

  DMA_HOST_DEVICE explicit DmaHandle(Pipeline& pipeline) : pipeline_(&pipeline) {}

  /// Moves the next tile from global memory into the next slot.
  ///
  /// Collective over the DMA warps of all the pipeline's groups: each calls it for every tile, in order. The group
  /// whose turn it is waits for the slot to be empty and moves the tile; the others only count it. In the first round
  /// every slot is empty. The warps of a group that gathers take turns as well, where the stages allow it. A warp
  /// without a piece of a tile of one run only counts (`WarpSets`).
  ///
  /// When it returns, the tile is in the slot or still on its way. The compute warps' `wait` returns when it is there:
  ///
  /// - `RegisterCopy`: in the slot, and signaled. The call takes the memory's latency; reads are issued before the wait
  ///   for the slot;
  /// - `AsyncCopy` over `CudaBarrier`: on its way. The call issues cp.async, and the slot's mbarrier completes when
  ///   these have;
  /// - `AsyncCopy` over `NamedBarrier`: in the slot, and signaled, after the memory's latency;
  /// - `BulkCopy`, `TensorCopy`: on its way. One lane issues each run or box, and the mbarrier counts the bytes.
  ///
  /// The source must not change until the compute warps' `wait` for this tile has returned.
  ///
  /// Cost    a wait for an empty slot, the engine's instructions and an arrival a warp. Where many CTAs share an SM and
  ///         copy in bulk, also a wait for an earlier tile (`CopyLimit`)
  /// Source  SC'11, section 3.1: execute_dma
  ///
  /// @param source   address of the tile's first element, a multiple of `Pattern::run_alignment` bytes. For
  ///                 `TensorCopy` the array's map
  /// @param pattern  the full tile, or a shorter one; `ComputeHandle::wait` takes an equal one
  /// @pre The thread is in one of the pipeline's DMA warps (any warp of a layout without them), and all lanes of the
  ///      warp call it together.
  DMA_HOST_DEVICE void load(typename Pipeline::Source source, const Pattern& pattern = {},
                            machine::SourceLocation caller = machine::SourceLocation::here()) const {
    static_assert(!Pipeline::is_store, "dma::DmaHandle: this pipeline stores; call store(), or leave dma::Store out");
    Observer::called_from(caller);
    pipeline_->transfer(source, pattern);
  }

  /// The same from a view, for example a `cuda::std::mdspan` or a span: the address is that of its first element.
  ///
  ///     dma.load(matrix, Tile::at(matrix, row, col));   // Tile is a Tile2D
  ///     dma.load(values.subspan(first, n), Tile{n});    // Tile is a Sequential
  template <detail::AddressedView View>
  DMA_HOST_DEVICE void load(const View& view, const Pattern& pattern = {},
                            machine::SourceLocation caller = machine::SourceLocation::here()) const {
    expect_view<View>();
    if constexpr (!takes_maps) {
      load(detail::address_of(view), pattern, caller);
    }
  }

  /// The same from a source that no grid before writes: see `dma::constant`.
  template <class Constant>
  DMA_HOST_DEVICE void load(const detail::ConstantSource<Constant>& from, const Pattern& pattern = {},
                            machine::SourceLocation caller = machine::SourceLocation::here()) const {
    const detail::ConstantLoads constants;
    load(from.source, pattern, caller);
  }

  /// Not for use: an engine of tensor maps takes no address.
  template <class Address>
    requires(takes_maps&& stdlib::is_pointer_v<Address>)
  DMA_HOST_DEVICE void load(Address, const Pattern& = {}) const { expect_map<Address>(); }
  template <class Address>
    requires(takes_maps&& stdlib::is_pointer_v<Address>)
  DMA_HOST_DEVICE void store(Address, const Pattern& = {}) const { expect_map<Address>(); }

  /// Moves the next tile from the next slot to global memory, when it is full. Collective as `load` is.
  ///
  /// When it returns, `RegisterCopy` has written the tile and released the slot. `BulkCopy` and `TensorCopy` have
  /// issued the copies: a later `store`, or the pipeline's end, releases the slot once shared memory has been read. The
  /// tile is in global memory after `DmaPipeline::close` or the kernel's end.
  ///
  /// Cost    a wait for a full slot, the engine's instructions and an arrival a warp; of bulk copies also a wait until
  ///         at most half of a group's stages are still read
  ///
  /// @param destination  address of the tile's first element, a multiple of `Pattern::run_alignment` bytes. For
  ///                     `TensorCopy` the array's map
  /// @param pattern      what the compute warps filled: the full tile, or a shorter one
  /// @pre The pipeline's pattern is a `Store`, or an `Update` whose tile is loaded.
  DMA_HOST_DEVICE void store(typename Pipeline::Destination destination, const Pattern& pattern = {},
                             machine::SourceLocation caller = machine::SourceLocation::here()) const {
    static_assert(Pipeline::is_store || Pipeline::is_update,
                  "dma::DmaHandle: this pipeline loads; call load(), or name its pattern "
                  "dma::Store<...>");
    Observer::called_from(caller);
    if constexpr (Pipeline::is_update) {
      pipeline_->store_back(destination, pattern);
    } else {
      pipeline_->transfer(destination, pattern);
    }
  }

  /// The same into a view.
  template <detail::AddressedView View>
  DMA_HOST_DEVICE void store(const View& view, const Pattern& pattern = {},
                             machine::SourceLocation caller = machine::SourceLocation::here()) const {
    expect_view<View>();
    if constexpr (!takes_maps) {
      store(detail::address_of(view), pattern, caller);
    }
  }

  /// Calls `load(tile)` and, when there is no more room ahead, `store(tile)` for each tile of a range: the loop of an
  /// `Update`'s DMA warps. Each of the two functions calls `DmaHandle`'s own of its name once, for that tile.
  ///
  ///     dma.for_each_tile(cta.tiles(count), [&](int tile) { dma.load(x + tile * size); },
  ///                       [&](int tile) { dma.store(x + tile * size); });
  ///
  /// Collective as `load` is. In a loop of one's own at most `stages` tiles are loaded and not stored.
  template <class Load, class Store>
  DMA_HOST_DEVICE void for_each_tile(TileRange tiles, const Load& load, const Store& store) const {
    static_assert(Pipeline::is_update,
                  "dma::DmaHandle: for_each_tile() is for a dma::Update, and this pipeline moves tiles one way; loop "
                  "over my_tiles(), or name its pattern dma::Update<...>");
    detail::fill_ahead<Pipeline::loaded_ahead>(tiles, load, store);
  }

  /// The tiles of a range that this warp's group moves, for a loop over `load` without the calls that only count.
  /// Every group runs the loop to its end.
  ///
  ///     for (int tile : dma.my_tiles(cta.tiles(count))) { dma.load(x + tile * size); }
  ///
  /// @pre step > 0, and the numbers up to last + Pipeline::groups * step, and how many these are, are ints. Each of
  ///      them is moved: where tiles are skipped, each group calls `load` for the others, in a loop over all tiles.
  [[nodiscard]] DMA_HOST_DEVICE auto my_tiles(TileRange tiles) const {
    expect_one_direction();
    detail::expect_countable<Pipeline::groups, Pipeline::stages>(tiles);
    return MyTiles(*pipeline_, tiles);
  }

  /// This thread's rank in its DMA group, and the group's threads.
  [[nodiscard]] DMA_HOST_DEVICE int rank() const { return pipeline_->ring_.rank(); }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int size() { return Pipeline::group_threads; }

  /// The explicit protocol (SC'11, section 3.1 and figure 6), for waits placed by hand: once a tile, wait_until_empty,
  /// then copy, then signal_full. `load` does these three, with the copy's reads issued before the wait. A pipeline
  /// that stores has wait_until_full, copy and signal_empty. Each does nothing in the groups whose turn it is not.
  DMA_HOST_DEVICE void wait_until_empty(machine::SourceLocation caller = machine::SourceLocation::here()) const
      requires(!Pipeline::is_store) {
    expect_one_direction();
    Observer::called_from(caller);
    pipeline_->wait_until_movable();
  }
  DMA_HOST_DEVICE void wait_until_full(machine::SourceLocation caller = machine::SourceLocation::here()) const
      requires(Pipeline::is_store) {
    Observer::called_from(caller);
    pipeline_->wait_until_movable();
  }
  template <class Global>
  DMA_HOST_DEVICE void copy(const Global& global, const Pattern& pattern = {},
                            machine::SourceLocation caller = machine::SourceLocation::here()) const {
    if constexpr (takes_maps && !stdlib::is_convertible_v<const Global&, typename Pipeline::Source>) {
      expect_map<Global>();
    } else {
      expect_one_direction();
      Observer::called_from(caller);
      pipeline_->copy(global, pattern);
    }
  }
  DMA_HOST_DEVICE void signal_full(machine::SourceLocation caller = machine::SourceLocation::here()) const
      requires(!Pipeline::is_store) {
    expect_one_direction();
    Observer::called_from(caller);
    pipeline_->signal_moved();
  }
  DMA_HOST_DEVICE void signal_empty(machine::SourceLocation caller = machine::SourceLocation::here()) const
      requires(Pipeline::is_store) {
    Observer::called_from(caller);
    pipeline_->signal_moved();
  }

  template <class... Arguments>
  DMA_HOST_DEVICE auto wait(Arguments&&...) const {  // deduced: this is said before a variable of it has no type
    static_assert(detail::always_false<Arguments..., Pipeline>,
                  "dma::DmaHandle: DMA warps load tiles and never wait for full ones; "
                  "call wait() on the handle that as_compute() gives the compute warps");
  }

 private:
  friend struct detail::PhaseDoor;

  using Observer = typename Pipeline::Observer;

  /// An update moves a tile twice, so that a call has to say which way.
  DMA_HOST_DEVICE static void expect_one_direction() {
    static_assert(!Pipeline::is_update,
                  "dma::DmaHandle: a dma::Update loads and stores each tile, for which it has load(), store() and "
                  "for_each_tile() only; use these, or a pipeline for each direction");
  }

  template <class Address>
  DMA_HOST_DEVICE static void expect_map() {
    static_assert(detail::always_false<Address, Pipeline>,
                  "dma::DmaHandle: this pipeline's engine takes the array's tensor map, and an address is passed; pass "
                  "the map that dma::tensor_map (dma::host::tensor_map on a host) makes of it, or use dma::BulkCopy<>");
  }

  template <class View>
  DMA_HOST_DEVICE static void expect_view() {
    if constexpr (takes_maps) {
      expect_map<View>();
    }
    static_assert(!detail::RowsOfView<Pattern, View> || !detail::StridedView<View>,
                  "dma::DmaHandle: a dma::Strided begins at its address, and the address of a view is that of its row "
                  "0; pass that of the tile's first element, &view(row, 0), or use a dma::Tile2D, which has a place");
  }

  class MyTiles {
   public:
    struct End {};
    class Iterator {
     public:
      DMA_HOST_DEVICE Iterator(Pipeline& pipeline, int tile, int last, int step)
          : pipeline_(&pipeline), tile_(tile), last_(last), step_(step), stage_(pipeline.ring_.dma_cursor().stage) {}
      [[nodiscard]] DMA_HOST_DEVICE int operator*() const { return tile_; }
      DMA_HOST_DEVICE Iterator& operator++() {
        DMA_EXPECTS(Pipeline::groups == 1 || pipeline_->ring_.dma_cursor().stage == (stage_ + 1) % Pipeline::stages,
                    "dma::DmaHandle: a tile of my_tiles() or for_each_tile() is not moved once, so that the groups "
                    "that take turns count differently; skip tiles in a loop over all of them, in every group",
                    "tile", tile_);
        pipeline_->ring_.skip(Pipeline::groups - 1);
        stage_ = pipeline_->ring_.dma_cursor().stage;
        tile_ += Pipeline::groups * step_;
        return *this;
      }
      [[nodiscard]] DMA_HOST_DEVICE bool operator!=(End) const { return tile_ < last_; }

     private:
      Pipeline* pipeline_;
      int tile_;
      int last_;
      int step_;
      int stage_;  ///< of the tile
    };

    DMA_HOST_DEVICE MyTiles(Pipeline& pipeline, TileRange tiles)
        : pipeline_(&pipeline), start_(pipeline.ring_.dma_cursor()), tiles_(tiles) {}
    MyTiles(const MyTiles&) = delete;
    MyTiles& operator=(const MyTiles&) = delete;
    /// Moves the cursor past the loop's last tile, so that all groups are at the same tile again.
    DMA_HOST_DEVICE ~MyTiles() {
      if constexpr (Pipeline::groups > 1) {
        start_.advance(Pipeline::stages,
                       tiles_.first < tiles_.last ? (tiles_.last - tiles_.first + tiles_.step - 1) / tiles_.step : 0);
        pipeline_->ring_.dma_cursor() = start_;
      }
    }

    [[nodiscard]] DMA_HOST_DEVICE Iterator begin() const {
      const int skipped = pipeline_->ring_.tiles_until_mine();
      pipeline_->ring_.skip(skipped);
      return Iterator(*pipeline_, tiles_.first + skipped * tiles_.step, tiles_.last, tiles_.step);
    }
    [[nodiscard]] DMA_HOST_DEVICE End end() const { return {}; }

   private:
    Pipeline* pipeline_;
    detail::Cursor start_;
    TileRange tiles_;
  };

  Pipeline* pipeline_;
};

}  // namespace dma::inline v0_1
