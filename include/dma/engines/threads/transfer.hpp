#pragma once

#include <dma/config.hpp>
#include <dma/engines/threads/tail.hpp>
#include <dma/machine/access.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/half_float.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/word.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1::detail {

/// The two directions of a copy through registers: what it reads and what it writes. An engine assigns pieces to
/// threads and uses these for the accesses.

/// Global to shared.
template <CacheHints Hints>
struct GlobalToShared {
  const unsigned char* global;
  unsigned char* shared;

  template <int Bytes>
  [[nodiscard]] DMA_HOST_DEVICE machine::Word<Bytes> read(const Run& piece) const {
    return machine::load_global<Bytes, Hints>(global, piece.global);
  }
  template <int Bytes>
  DMA_HOST_DEVICE void write(const Run& piece, const machine::Word<Bytes>& word) const {
    machine::store_shared<Bytes>(shared, piece.shared, word);
  }
  static constexpr bool can_write_twice = true;
  template <int Bytes>
  DMA_HOST_DEVICE void write_once(bool is_own, const Run& piece, const machine::Word<Bytes>& word) const {
    machine::store_shared_once<Bytes>(is_own, shared, piece.shared, word);
  }
};

/// Shared to global.
template <CacheHints Hints>
struct SharedToGlobal {
  unsigned char* global;
  const unsigned char* shared;

  template <int Bytes>
  [[nodiscard]] DMA_HOST_DEVICE machine::Word<Bytes> read(const Run& piece) const {
    return machine::load_shared<Bytes>(shared, piece.shared);
  }
  template <int Bytes>
  DMA_HOST_DEVICE void write(const Run& piece, const machine::Word<Bytes>& word) const {
    machine::store_global<Bytes, Hints>(global, piece.global, word);
  }
  static constexpr bool can_write_twice = false;
};

/// Shared to global, each element added to the one there.
template <class Element>
struct SharedToGlobalAdd : SharedToGlobal<CacheHints{}> {
  /// A run ends at the end of an element, so words smaller than an element never occur.
  template <int Bytes>
  DMA_HOST_DEVICE void write(const Run& piece, const machine::Word<Bytes>& word) const {
    if constexpr (stdlib::is_same_v<Element, __nv_bfloat16>) {
      machine::expect_architecture<900, Element>();
    }
    if constexpr (Bytes > 16) {
      const auto& halves = reinterpret_cast<const machine::Word<Bytes / 2>(&)[2]>(word);
      write<Bytes / 2>(piece, halves[0]);
      write<Bytes / 2>({piece.global + Bytes / 2, piece.shared, Bytes / 2}, halves[1]);
    } else if constexpr (Bytes >= static_cast<int>(sizeof(Element))) {
      machine::add_global<Element, Bytes>(global + piece.global, word);
    }
  }
};

/// How a pattern's store writes.
template <class Pattern, CacheHints Hints>
using StoreDirection =
    stdlib::conditional_t<is_store_add<Pattern>, SharedToGlobalAdd<typename Pattern::Element>, SharedToGlobal<Hints>>;

/// Moves the bytes of a run from `done` on, fewer than `Width`: one access of each smaller power of two that they need.
template <int Width, class Direction>
DMA_HOST_DEVICE void move_tail(const Run& run, int done, const Direction& direction) {
  if constexpr (Width > 1) {
    constexpr int half = Width / 2;
    if (run.bytes - done >= half) {
      const Run piece{run.global + done, run.shared + done, half};
      direction.template write<half>(piece, direction.template read<half>(piece));
      done += half;
    }
    move_tail<half>(run, done, direction);
  }
}

/// Moves the tails of a partial tile's runs, one thread for each. `MaxRuns` is how many there are at most, where the
/// caller's registers matter: see `for_each_run_of_thread`.
template <int Threads, int Width, int MaxRuns = Threads + 1, class Partition, class Direction>
DMA_HOST_DEVICE void move_tails(const Partition& partition, const Direction& direction, int thread) {
  if (partition.tail_bytes() != 0) {
    for_each_run_of_thread<MaxRuns, Threads>(thread, partition.count(), [&](int run) {
      move_tail<Width>(partition.run(run), partition.bytes() - partition.tail_bytes(), direction);
    });
  }
}

}  // namespace dma::inline v0_1::detail
