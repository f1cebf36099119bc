#pragma once

/// The three implementations of CudaDMA's strided transfer, as one engine: they differ in how many threads move an
/// element together.

#include <dma/dma.hpp>

namespace by_hand {

/// Moves each element, a run of the pattern, with `Lanes` threads: several elements a warp, one warp an element, or
/// several warps an element. Through registers, with the reads of as many bytes in flight as the threads' share of a
/// tile.
///
/// @pre Lanes divides the DMA threads, the tile is full, and all runs are as long as the longest.
///
/// Source  SC'11, section 5
template <int Lanes>
struct ElementsByLanes {
  static constexpr dma::Completion completion = dma::Completion::sync;
  static constexpr dma::EngineTraits traits{.name = "ElementsByLanes"};

  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void load(const Pattern& pattern, const unsigned char* source, int thread, const Slot& slot) {
    using Shares = SharesOf<Pattern, Threads>;
    Shares shares(pattern, thread);
    shares.read(source, 0);
    // Where some lanes have no piece the lanes are apart, and a barrier waits for whole warps.
    if constexpr (!Shares::are_even) {
      dma::machine::sync_warp();
    }
    slot.wait_until_empty();
    shares.write(slot.data_per_lane(), 0);
    for (int step = Shares::in_flight; step < Shares::steps; step += Shares::in_flight) {
      shares.read(source, step);
      shares.write(slot.data_per_lane(), step);
    }
    if constexpr (!Shares::are_even) {
      dma::machine::sync_warp();
    }
  }

 private:
  /// A thread's share of a tile: in each step a piece of `width` bytes, if any.
  template <class Pattern, int Threads>
  class SharesOf {
    static_assert(Threads % Lanes == 0);
    static constexpr int width = Pattern::run_alignment < 16 ? Pattern::run_alignment : 16;
    static constexpr int pieces = Pattern::max_run_bytes / width;  // of an element
    static constexpr int steps_an_element = (pieces + Lanes - 1) / Lanes;
    static constexpr int elements_at_once = Threads / Lanes;
    static constexpr int turns = (Pattern::max_run_count + elements_at_once - 1) / elements_at_once;
    static constexpr int share = Pattern::tile_bytes / width / Threads;

   public:
    static constexpr int steps = turns * steps_an_element;
    static constexpr int in_flight = steps < share ? steps : share;
    static_assert(share > 0 && steps % in_flight == 0 && Pattern::max_run_bytes % width == 0);
    /// Whether all threads have a piece in each step.
    static constexpr bool are_even =
        steps_an_element * Lanes == pieces && turns * elements_at_once == Pattern::max_run_count;

    DMA_HOST_DEVICE SharesOf(const Pattern& pattern, int thread) : pattern_(pattern), thread_(thread) {}

    /// Reads the pieces of the steps from `first` on that are in flight together.
    DMA_HOST_DEVICE void read(const unsigned char* source, int first) {
      dma::unrolled<in_flight>([&](auto i) {
        if (has_piece(first + i)) {
          const int element = element_of(first + i);
          words_[i] = dma::machine::load_global<width, dma::CacheHints{}>(
              source, pattern_.run_at(element).global + piece_of(first + i) * width);
        }
      });
    }
    /// Writes them.
    DMA_HOST_DEVICE void write(unsigned char* shared, int first) const {
      dma::unrolled<in_flight>([&](auto i) {
        if (has_piece(first + i)) {
          const int element = element_of(first + i);
          dma::machine::store_shared<width>(shared, pattern_.run_at(element).shared + piece_of(first + i) * width,
                                            words_[i]);
        }
      });
    }

   private:
    [[nodiscard]] DMA_HOST_DEVICE int element_of(int step) const {
      return thread_ / Lanes + step / steps_an_element * elements_at_once;
    }
    [[nodiscard]] DMA_HOST_DEVICE int piece_of(int step) const {
      return thread_ % Lanes + step % steps_an_element * Lanes;
    }
    [[nodiscard]] DMA_HOST_DEVICE bool has_piece(int step) const {
      return are_even || (piece_of(step) < pieces && element_of(step) < Pattern::max_run_count);
    }

    const Pattern& pattern_;
    int thread_;
    dma::machine::Word<width> words_[in_flight] = {};
  };
};

}  // namespace by_hand
