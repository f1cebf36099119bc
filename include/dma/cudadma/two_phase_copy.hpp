#pragma once

#include <dma/config.hpp>
#include <dma/cudadma/copy_contract.hpp>
#include <dma/cudadma/copy_tile.hpp>
#include <dma/cudadma/copy_warps.hpp>
#include <dma/engines/register_copy.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/site.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1::cudadma {

/// What a thread holds of a tile between its reads and its writes.
template <class Engine, class Pattern, int Threads>
struct HeldPart {};
template <class Engine, class Pattern, int Threads>
  requires(Engine::template can_read_ahead<Pattern>)
struct HeldPart<Engine, Pattern, Threads> {
  typename Engine::template Held<Pattern, Threads> tile;
};

/// A load through registers in two calls: `start` issues the reads of global memory, `finish` writes the tile to shared
/// memory, whose address only it takes. Between them the kernel computes, or waits until the tile's place is free.
///
///     dma::cudadma::TwoPhaseCopy<Tile, 4> next(warps);
///     next.start(x);
///     for (int t = 0; t < tiles; ++t) {
///       cta.sync();                               // the tile before is used
///       next.finish(shared.tile);
///       cta.sync();
///       if (t + 1 < tiles) next.start(x + (t + 1) * Tile::count);
///       ...                                       // computes while the reads are in flight
///     }
///
/// Of a full tile each thread reads up to `Tuning.loads_in_flight` accesses ahead; the rest moves in `finish`. So does
/// all of a tile that is not full, and of a pattern that is composed, or whose runs differ.
///
/// Cost    a tile's accesses in registers between the two calls; no barrier
/// Source  start_xfer_async and wait_xfer_finish of CudaDMA 2.0
///
/// @pre Those of `copy_tile_async`. The tile is not written in global memory between the two calls, and `start` and
///      `finish` are called in turn.
template <TransferPattern Pattern, int Count, RegisterCopyTuning Tuning = RegisterCopyTuning{}>
class TwoPhaseCopy {
  static_assert(!detail::is_store<Pattern>,
                "dma::cudadma::TwoPhaseCopy: a store reads shared memory, which has no latency to hide; use "
                "dma::cudadma::copy_tile");

 public:
  using Element = typename Pattern::Element;
  using Location = machine::SourceLocation;

  DMA_HOST_DEVICE explicit TwoPhaseCopy(const CopyWarps<Count>& warps) : warps_(warps) {
    static_assert(keeps_copy_contract<Pattern>());
  }

  /// Issues the reads, with cache hints of this call. @param source  where the tile begins in global memory
  template <CacheHints Hints = Tuning.cache>
  DMA_HOST_DEVICE void start(const Element* source, const Pattern& pattern = {}, Location caller = Location::here()) {
    machine::called_from(caller);
    DMA_EXPECTS(!is_started_,
                "dma::cudadma::TwoPhaseCopy: a copy is started before the one before is finished; call finish() first");
    is_started_ = true;
    source_ = reinterpret_cast<const unsigned char*>(source);
    pattern_ = pattern;
    if (!warps_.contains_this_thread()) {
      return;
    }
    expect_valid(pattern);
    expect_global(pattern, source);
    if constexpr (reads_ahead) {
      if (pattern.is_full()) {
        // Only reads: of the address that stands for the tile's none is used.
        With<Hints>::template read_ahead<Pattern, threads>(pattern, source_, warps_.rank(),
                                                           const_cast<unsigned char*>(source_), held_.tile);
      }
    }
  }

  /// Waits for the reads and writes the tile; what start() has not read is read with these hints. @param tile  where it
  /// begins in shared memory
  template <CacheHints Hints = Tuning.cache>
  DMA_HOST_DEVICE void finish(Element* tile, Location caller = Location::here()) {
    machine::called_from(caller);
    DMA_EXPECTS(
        is_started_,
        "dma::cudadma::TwoPhaseCopy: a copy is finished that was not started, or twice; call start() before each "
        "finish()");
    if (warps_.contains_this_thread()) {
      expect_shared(pattern_, tile);
      write<With<Hints>>(OwnTile<unsigned char>{reinterpret_cast<unsigned char*>(tile)});
    }
    is_started_ = false;
  }

 private:
  template <CacheHints Hints>
  using With = RegisterCopy<RegisterCopyTuning{.loads_in_flight = Tuning.loads_in_flight, .cache = Hints}>;
  using Reader = RegisterCopy<Tuning>;
  static constexpr int threads = CopyWarps<Count>::size();
  static constexpr bool reads_ahead = Reader::template can_read_ahead<Pattern>;

  template <class Engine>
  DMA_HOST_DEVICE void write(const OwnTile<unsigned char>& tile) const {
    if constexpr (reads_ahead) {
      if (pattern_.is_full()) {
        Engine::template write_held<Pattern, threads>(pattern_, source_, warps_.rank(), tile, held_.tile);
        return;
      }
    }
    Engine::template load<Pattern, threads>(pattern_, source_, warps_.rank(), tile);
  }

  CopyWarps<Count> warps_;
  const unsigned char* source_ = nullptr;
  Pattern pattern_ = {};
  HeldPart<Reader, Pattern, threads> held_;
  bool is_started_ = false;
};

}  // namespace dma::inline v0_1::cudadma
