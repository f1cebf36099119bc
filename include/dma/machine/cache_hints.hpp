#pragma once

namespace dma::inline v0_1 {

/// Which caches keep what a load read, besides the destination register or shared memory.
enum class LoadCache {
  standard,   ///< the engine's own choice: the default of its instruction
  all,        ///< in both caches: it will be read again by this SM
  global,     ///< in the L2 only: it will be read again by other SMs
  streaming,  ///< in both, evicted first: it is read once
  last_use,   ///< in neither afterwards: this line is not read again
  /// By the non-coherent path. The assembler orders it by no barrier: it moves `RegisterCopy`'s reads behind the wait
  /// for a slot, one tile in flight after another. @pre It is not written while the kernel runs
  read_only,
  read_once,  ///< not in the SM's cache: this SM does not read it again
  refetched,  ///< in none: each read fetches it again, for memory that something else than this grid writes
};

/// Which caches keep what a store wrote.
enum class StoreCache {
  write_back,     ///< in the L2: the default of a store
  global,         ///< in the L2 only
  streaming,      ///< in the L2, evicted first: it is written once and not read soon
  write_through,  ///< through the L2, as far as system memory
};

/// How long the L2 keeps the lines of an access. Needs sm_80.
enum class L2Priority {
  normal,
  evict_first,  ///< it is not read again: leave the L2 to others
  evict_last,   ///< it is read again by other CTAs: a plane that is the next one's halo, a vector that all read
};

/// Cache hints of an engine, part of its type. A hint never changes what is moved, only how fast.
///
///     using Engine = dma::RegisterCopy<dma::RegisterCopyTuning{.cache = {.load = dma::LoadCache::streaming}}>;
///
/// Not every instruction supports every hint; an engine does not compile with hints that its own instruction does not
/// support. A pattern's own transfer makes its own accesses, without hints.
///
/// Cost    none; an L2 priority uses one uniform register pair of a DMA warp
/// Source  CudaDMA's load and store cache qualifiers; PTX ISA, Cache Operators and Cache Eviction Priority Hints
struct CacheHints {
  LoadCache load = LoadCache::standard;
  StoreCache store = StoreCache::write_back;
  L2Priority l2 = L2Priority::normal;  ///< of loads where the pipeline loads, of stores where it stores

  [[nodiscard]] consteval bool say_nothing() const noexcept {
    return load == LoadCache::standard && store == StoreCache::write_back && l2 == L2Priority::normal;
  }
};

}  // namespace dma::inline v0_1
