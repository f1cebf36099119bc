#pragma once

namespace dma {

/// The caches in which a load keeps what it read.
enum class LoadCache {
  standard,   ///< the engine's own choice: what its instruction does when it is told nothing
  all,        ///< in both caches: it will be read again by this SM
  global,     ///< in the L2 only: it will be read again by other SMs
  streaming,  ///< in both, first to go: it is read once
  last_use,   ///< in neither any longer: this line is not read again
  read_only,  ///< by the non-coherent path. @pre Not written while the kernel runs
  read_once,  ///< without a place in the SM's cache: that SM does not read it again
};

/// The caches in which a store keeps what it wrote.
enum class StoreCache {
  write_back,     ///< in the L2: what a store does when it is told nothing
  global,         ///< in the L2 only
  streaming,      ///< in the L2, first to go: it is written once and not read soon
  write_through,  ///< through the L2, as far as system memory
};

/// How long the L2 keeps what passes through it. Needs sm_80.
enum class L2Priority {
  normal,
  evict_first,  ///< it is not read again: leave the L2 to others
  evict_last,   ///< it is read again by other CTAs: a plane that is the next one's halo, a vector that all read
};

/// Cache hints of an engine, stated once, in its type. A hint never changes what is moved, only how fast.
///
///     using Engine = dma::RegisterCopy<dma::RegisterCopyTuning{.cache = {.load = dma::LoadCache::streaming}}>;
///
/// Not every instruction takes every hint; an engine refuses those that its own does not. A pattern that brings a
/// transfer of its own makes its own accesses, without hints.
///
/// Cost    none; an L2 priority takes one uniform register pair of a DMA warp
/// Source  CudaDMA's load and store cache qualifiers; PTX ISA, Cache Operators and Cache Eviction Priority Hints
struct CacheHints {
  LoadCache load = LoadCache::standard;
  StoreCache store = StoreCache::write_back;
  L2Priority l2 = L2Priority::normal;  ///< of loads where the pipeline loads, of stores where it stores

  [[nodiscard]] consteval bool say_nothing() const noexcept {
    return load == LoadCache::standard && store == StoreCache::write_back && l2 == L2Priority::normal;
  }
};

}  // namespace dma
