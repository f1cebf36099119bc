#pragma once

#include <dma/buffering/cursor.hpp>
#include <dma/config.hpp>
#include <dma/slot.hpp>
#include <dma/standard.hpp>
#include <dma/sync/machine.hpp>

namespace dma {

/// What a DMA warp may do with a pipeline: load tiles, and nothing else.
template <class Pipeline>
class DmaHandle {
 public:
  using Pattern = typename Pipeline::Pattern;
  using Element = typename Pattern::Element;

  DMA_HOST_DEVICE explicit DmaHandle(Pipeline& pipeline) : pipeline_(&pipeline) {}

  /// Moves the next tile from global memory into the next slot.
  ///
  /// Collective over the pipeline's DMA warps, of all its groups: each calls it for every tile, in order; the group
  /// whose turn it is moves the tile, the others count it. Waits for the slot to be empty; in the first round every
  /// slot is.
  ///
  /// @param source   where the tile begins; a multiple of `Pattern::run_alignment`
  /// @param pattern  the full tile, or a shorter one
  DMA_HOST_DEVICE void load(const Element* source, const Pattern& pattern = {}) const {
    pipeline_->load(source, pattern);
  }

  /// The tiles among `first`, `first + step`, ... below `last` that this warp's group moves, for a loop over `load`:
  /// the calls that would only count are left out. Every group runs the loop to its end.
  [[nodiscard]] DMA_HOST_DEVICE auto share(int first, int last, int step = 1) const {
    return TileShare(*pipeline_, first, last, step);
  }

  /// This thread among those of its DMA group.
  [[nodiscard]] DMA_HOST_DEVICE int rank() const { return pipeline_->rank(); }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int size() { return Pipeline::group_threads; }

  /// The explicit protocol (SC'11, section 3.1 and figure 6), for waits placed by hand: wait_until_empty, then copy,
  /// then signal_full, once a tile. `load` is these three, with the copy's loads issued before the wait. Each does
  /// nothing in the groups whose turn it is not.
  DMA_HOST_DEVICE void wait_until_empty() const { pipeline_->wait_until_empty(); }
  DMA_HOST_DEVICE void copy(const Element* source, const Pattern& pattern = {}) const {
    pipeline_->copy(source, pattern);
  }
  DMA_HOST_DEVICE void signal_full() const { pipeline_->signal_full(); }

  template <class... Arguments>
  DMA_HOST_DEVICE void wait(Arguments&&...) const {
    static_assert(never<Arguments..., Pipeline>,
                  "dma::DmaHandle: DMA warps load tiles and never wait for full ones; "
                  "call wait() on the handle that as_compute() gives the compute warps");
  }

 private:
  class TileShare {
   public:
    struct End {};
    class Iterator {
     public:
      DMA_HOST_DEVICE Iterator(Pipeline& pipeline, int tile, int last, int step)
          : pipeline_(&pipeline), tile_(tile), last_(last), step_(step) {}
      [[nodiscard]] DMA_HOST_DEVICE int operator*() const { return tile_; }
      DMA_HOST_DEVICE Iterator& operator++() {
        pipeline_->skip(Pipeline::groups - 1);
        tile_ += Pipeline::groups * step_;
        return *this;
      }
      [[nodiscard]] DMA_HOST_DEVICE bool operator!=(End) const { return tile_ < last_; }

     private:
      Pipeline* pipeline_;
      int tile_;
      int last_;
      int step_;
    };

    DMA_HOST_DEVICE TileShare(Pipeline& pipeline, int first, int last, int step)
        : pipeline_(&pipeline), start_(pipeline.dma_cursor()), first_(first), last_(last), step_(step) {}
    TileShare(const TileShare&) = delete;
    TileShare& operator=(const TileShare&) = delete;
    /// All groups are at the same tile again when the loop is over.
    DMA_HOST_DEVICE ~TileShare() {
      if constexpr (Pipeline::groups > 1) {
        start_.advance(Pipeline::stages, first_ < last_ ? (last_ - first_ + step_ - 1) / step_ : 0);
        pipeline_->dma_cursor() = start_;
      }
    }

    [[nodiscard]] DMA_HOST_DEVICE Iterator begin() const {
      const int skipped = pipeline_->turns_until_mine();
      pipeline_->skip(skipped);
      return Iterator(*pipeline_, first_ + skipped * step_, last_, step_);
    }
    [[nodiscard]] DMA_HOST_DEVICE End end() const { return {}; }

   private:
    Pipeline* pipeline_;
    Cursor start_;
    int first_;
    int last_;
    int step_;
  };

  Pipeline* pipeline_;
};

/// What a compute warp may do with a pipeline: wait for tiles, and nothing else.
template <class Pipeline>
class ComputeHandle {
 public:
  using Pattern = typename Pipeline::Pattern;

  DMA_HOST_DEVICE explicit ComputeHandle(Pipeline& pipeline) : pipeline_(&pipeline) {}

  /// Waits for the next tile and holds its slot.
  ///
  /// Collective over the compute warps: each calls it for every tile, in order.
  ///
  /// @param pattern  what the DMA side loaded: the full tile, or a shorter one
  [[nodiscard]] DMA_HOST_DEVICE Slot<Pipeline> wait(const Pattern& pattern = {}) const {
    return Slot<Pipeline>(*pipeline_, pipeline_->take_full(), pattern);
  }

  /// This thread among the compute threads, which are a CTA's first.
  [[nodiscard]] DMA_HOST_DEVICE int rank() const {
    const int rank = machine::thread_rank();
    machine::assume(rank >= 0 && rank < size());
    return rank;
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int size() { return Pipeline::Layout::compute_threads; }

  /// The explicit protocol (SC'11, section 3.1 and figure 6), for waits placed by hand: wait_until_full, which gives
  /// the tile's elements, then signal_empty, once a tile. `wait` is these two in a scope. The paper's first
  /// start_async_dma has no counterpart: slots begin empty.
  DMA_HOST_DEVICE typename Pattern::Element* wait_until_full() const {
    return reinterpret_cast<typename Pattern::Element*>(pipeline_->wait_until_full());
  }
  DMA_HOST_DEVICE void signal_empty() const { pipeline_->signal_empty(); }

  template <class... Arguments>
  DMA_HOST_DEVICE void load(Arguments&&...) const {
    static_assert(never<Arguments..., Pipeline>,
                  "dma::ComputeHandle: compute warps wait for tiles and never load them; "
                  "call load() on the handle that as_dma() gives the DMA warps");
  }

 private:
  Pipeline* pipeline_;
};

}  // namespace dma
