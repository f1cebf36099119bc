#pragma once

#include <dma/config.hpp>
#include <dma/machine/access.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/word.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

namespace detail {

/// See `constant`.
template <class Source>
struct ConstantSource {
  Source source;
};

/// While it exists, the thread loads what no grid before writes. Nothing on a GPU.
class ConstantLoads {
 public:
  DMA_HOST_DEVICE ConstantLoads() { machine::load_constants(true); }
  DMA_HOST_DEVICE ~ConstantLoads() { machine::load_constants(false); }
  ConstantLoads(const ConstantLoads&) = delete;
  ConstantLoads& operator=(const ConstantLoads&) = delete;
};

}  // namespace detail

/// Names a source that no earlier grid of the stream writes, such as weights or indices. A body with
/// `programmatic_launch` may load it before `Cta::grid_dependency_wait`, which other loads have to come after.
///
///     dma.load(dma::constant(weights), tile);               // and behind the wait:
///     dma.load(activations, tile);
///
/// On the emulator such loads are no faults. A proof of several grids (`proof::Grid`) that sees every access judges
/// whether one of them writes the source; every other proof says that it takes it on trust.
///
/// Cost    none
///
/// @param source  what `DmaHandle::load` or `load_global` takes: an address, a view or a tensor map. A view or a map
///                exists as long as the result
template <class Source>
[[nodiscard]] DMA_HOST_DEVICE constexpr auto constant(const Source& source) {
  return detail::ConstantSource<stdlib::conditional_t<stdlib::is_pointer_v<Source>, Source, const Source&>>{source};
}

/// Loads one value from global memory into registers, with cache hints, for data that a kernel does not stage. On a
/// host it is an ordinary read.
///
///     const auto four = dma::load_global<dma::CacheHints{.load = dma::LoadCache::read_once}>(quads + i);
///
/// Cost    one load of `sizeof(T)` bytes
/// @pre `from` is a multiple of `sizeof(T)`.
template <CacheHints Hints = CacheHints{}, class T>
[[nodiscard]] DMA_HOST_DEVICE T load_global(const T* from) {
  constexpr bool is_one_load =
      stdlib::is_trivially_copyable_v<T> && stdlib::is_trivially_default_constructible_v<T> &&
      (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
  static_assert(is_one_load,
                "dma::load_global: an instruction loads 1, 2, 4, 8 or 16 bytes of a trivial type; load the parts of "
                "anything else");
  constexpr int bytes = is_one_load ? static_cast<int>(sizeof(T)) : 1;  // otherwise `Word` would add an error
  const machine::Word<bytes> word = machine::load_global<bytes, Hints>(reinterpret_cast<const unsigned char*>(from), 0);
  T value;
  memcpy(&value, &word, bytes);
  return value;
}

/// The same of a value that no grid before writes: see `constant`.
template <CacheHints Hints = CacheHints{}, class T>
[[nodiscard]] DMA_HOST_DEVICE auto load_global(const detail::ConstantSource<T>& from) {
  const detail::ConstantLoads constants;
  return load_global<Hints>(from.source);
}

/// Stores one value from registers to global memory, with cache hints, for results that a kernel does not stage. On a
/// host it is an ordinary write.
///
///     dma::store_global<dma::CacheHints{.l2 = dma::L2Priority::evict_last}>(sums + i, sum);
///
/// Cost    one store of `sizeof(T)` bytes
/// @pre `to` is a multiple of `sizeof(T)`.
template <CacheHints Hints = CacheHints{}, class T>
DMA_HOST_DEVICE void store_global(T* to, const T& value) {
  constexpr bool is_one_store =
      stdlib::is_trivially_copyable_v<T> &&
      (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
  static_assert(is_one_store,
                "dma::store_global: an instruction stores 1, 2, 4, 8 or 16 bytes of a trivial type; store the parts of "
                "anything else");
  constexpr int bytes = is_one_store ? static_cast<int>(sizeof(T)) : 1;  // otherwise `Word` would add an error
  machine::Word<bytes> word;
  memcpy(&word, &value, bytes);
  machine::store_global<bytes, Hints>(reinterpret_cast<unsigned char*>(to), 0, word);
}

}  // namespace dma::inline v0_1
