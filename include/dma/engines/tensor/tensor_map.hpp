#pragma once

#include <dma/config.hpp>
#include <dma/engines/tensor/described_array.hpp>
#include <dma/patterns/box.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/store.hpp>
#include <dma/patterns/update.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

namespace detail {

/// The hardware's description of an array and of the box that one copy takes out of it.
struct alignas(128) TensorDescriptor {
  unsigned char bytes[128];
};

}  // namespace detail

static_assert(sizeof(detail::DescribedArray) <= sizeof(detail::TensorDescriptor));

/// An array as `TensorCopy` sees it, for a pattern: one descriptor, or one for each part of a composition.
///
/// Made on the host: by `dma::tensor_map<Pattern>(array, pattern)` for a GPU (`dma/launch/make_tensor_map.hpp`), by
/// `dma::host::tensor_map` for the emulator. It replaces the array's address in calls: `dma.load(map, tile)`. Serves
/// loads and stores.
///
/// The hardware reads descriptors in place, so a kernel takes its map as a `__grid_constant__` parameter, which
/// `launch` provides, or by a pointer to global memory. A kernel body takes it by reference.
template <class Pattern>
struct TensorMap {
  static constexpr int parts = detail::part_count_of<Pattern>;

  detail::TensorDescriptor descriptors[parts];
#if DMA_CHECKED
  detail::DescribedArray arrays[parts];  ///< without its mark where `dma::tensor_map` has not made the map
#endif

  /// Whether a tile is of the array that descriptor `index` describes, as far as that is known.
  template <class Part>
  [[nodiscard]] DMA_HOST_DEVICE bool describes([[maybe_unused]] int index, [[maybe_unused]] const Part& part) const {
#if DMA_CHECKED
    const detail::DescribedArray& array = arrays[index];
    return array.mark != detail::DescribedArray::host_mark ||
           (detail::has_layout_of(array, part) && detail::fills_as(array.outside, part));
#else
    return true;
#endif
  }
};
template <class Pattern>
struct TensorMap<Store<Pattern>> {
  static_assert(detail::always_false<Pattern>,
                "dma::TensorMap: a map serves both directions, so it is made for the pattern itself; name "
                "dma::TensorMap<Pattern> instead of dma::TensorMap<dma::Store<Pattern>>");
};

template <class Pattern>
struct TensorMap<StoreAdd<Pattern>> : TensorMap<Store<Pattern>> {};
template <class Pattern>
struct TensorMap<Update<Pattern>> : TensorMap<Store<Pattern>> {};

namespace detail {

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
template <class Pattern>
struct TensorMapFor<Update<Pattern>> {
  using Type = TensorMap<Pattern>;
};

}  // namespace detail

}  // namespace dma::inline v0_1
