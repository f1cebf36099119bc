#pragma once

#include <dma/config.hpp>
#include <dma/patterns/box.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/store.hpp>
#include <dma/standard.hpp>

namespace dma {

/// The value of elements outside the array.
enum class OutsideArray { zero, nan };

/// The hardware's description of an array and of the box that one copy takes out of it.
struct alignas(128) TensorDescriptor {
  unsigned char bytes[128];
};

/// An array as `TensorCopy` sees it, for a pattern: one descriptor, or one for each part of a composition.
///
/// Made on the host: by `dma::tensor_map<Pattern>(array, pattern)` for a GPU (`dma/kernel/make_tensor_map.hpp`), by
/// `dma::host::tensor_map` for the emulator. It replaces the array's address in calls: `dma.load(map, tile)`. Serves
/// loads and stores.
///
/// The hardware reads descriptors in place, so a kernel takes its map as a `__grid_constant__` parameter, which
/// `launch` provides, or by a pointer to global memory. A kernel body takes it by reference.
template <class Pattern>
struct TensorMap {
  static constexpr int parts = [] {
    if constexpr (CompositePattern<Pattern>) {
      return Pattern::part_count;
    } else {
      return 1;
    }
  }();

  TensorDescriptor descriptors[parts];
};
template <class Pattern>
struct TensorMap<Store<Pattern>> {
  static_assert(always_false<Pattern>,
                "dma::TensorMap: a map serves both directions, so it is made for the pattern itself; name "
                "dma::TensorMap<Pattern> instead of dma::TensorMap<dma::Store<Pattern>>");
};

template <class Pattern>
struct TensorMap<StoreAdd<Pattern>> : TensorMap<Store<Pattern>> {};

/// The map that a pipeline of this pattern takes, in either direction.
template <class Pattern>
struct TensorMapFor {
  using Type = TensorMap<Pattern>;
};
template <class Pattern>
struct TensorMapFor<Store<Pattern>> {
  using Type = TensorMap<Pattern>;
};
template <class Pattern>
struct TensorMapFor<StoreAdd<Pattern>> {
  using Type = TensorMap<Pattern>;
};

}  // namespace dma
