#pragma once

#include <dma/dma.hpp>

/// An engine that moves each run with one warp, through registers.
///
/// `dma::RegisterCopy` moves runs of different lengths one after another, each with the whole DMA group. Here each warp
/// of the group moves a run of its own, so that as many runs are in flight as the group has warps.
struct RunPerWarp {
  static constexpr dma::Completion completion = dma::Completion::sync;
  static constexpr dma::Completion store_completion = dma::Completion::sync;
  static constexpr dma::EngineTraits traits{.name = "RunPerWarp", .can_fill = true};

  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void load(const Pattern& pattern, const unsigned char* source, int thread, const Slot& slot) {
    slot.wait_until_empty();
    dma::for_each_part(pattern, [&](const auto& part, int shared_bytes, auto) {
      unsigned char* const tile = slot.data() + shared_bytes;
      for_each_word<Threads>(part, thread, [&](auto bytes, long long global, int shared) {
        dma::machine::store_shared<bytes>(tile, shared,
                                          dma::machine::load_global<bytes, dma::CacheHints{}>(source, global));
      });
      if constexpr (dma::PaddedPattern<dma::stdlib::remove_cvref_t<decltype(part)>>) {
        dma::fill_outside<Threads>(part, tile, thread);
      }
    });
    dma::machine::sync_warp();
  }

  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static void store(const Pattern& pattern, unsigned char* destination, int thread, const Slot& slot) {
    slot.wait_until_full();
    const unsigned char* const tile = slot.data();
    for_each_word<Threads>(pattern, thread, [&](auto bytes, long long global, int shared) {
      dma::machine::store_global<bytes, dma::CacheHints{}>(destination, global,
                                                           dma::machine::load_shared<bytes>(tile, shared));
    });
    dma::machine::sync_warp();
  }

 private:
  /// Calls `move(bytes, global, shared)` for the words of this thread: the warp moves every `Threads / 32`-th run, its
  /// lanes the run's words in turn. `bytes` is a constant: the pattern's alignment, and 1 in the rest of a run.
  template <int Threads, class Pattern, class Move>
  DMA_HOST_DEVICE static void for_each_word(const Pattern& pattern, int thread, const Move& move) {
    constexpr int width = Pattern::run_alignment < 16 ? Pattern::run_alignment : 16;
    const int lane = thread % dma::warp_size;
    for (int i = thread / dma::warp_size; i < pattern.run_count(); i += Threads / dma::warp_size) {
      const dma::Run run = pattern.run_at(i);
      const int whole = run.bytes - run.bytes % width;
      for (int at = lane * width; at < whole; at += dma::warp_size * width) {
        move(dma::stdlib::integral_constant<int, width>{}, run.global + at, run.shared + at);
      }
      for (int at = whole + lane; at < run.bytes; at += dma::warp_size) {
        move(dma::stdlib::integral_constant<int, 1>{}, run.global + at, run.shared + at);
      }
    }
  }
};
