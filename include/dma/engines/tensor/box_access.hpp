#pragma once

#include <dma/config.hpp>
#include <dma/engines/tensor/host_tensor_map.hpp>
#include <dma/engines/tensor/tensor_map.hpp>
#include <dma/machine/access.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/patterns/box.hpp>

/// Copies of a pattern's box by its descriptor.
namespace dma::inline v0_1::detail {

/// The box of `pattern`, part `index` of a tile, from the described array to `to`; its bytes are reported to `barrier`.
template <CacheHints Hints, BoxPattern Pattern>
DMA_HOST_DEVICE void copy_box_to_shared(unsigned char* to, const TensorDescriptor& descriptor, const Pattern& pattern,
                                        int index, void* barrier) {
  const auto box = pattern.box();
  machine::copy_box_to_shared<Hints>(to, &descriptor, box.position, barrier, box_bytes(pattern), [&] {
    return host::detail::BoxLoad<Pattern>{{host::detail::described_array(descriptor, pattern, index), pattern}, to};
  });
}

/// The same into the first `ctas` CTAs of the cluster, at one place in each; their barriers count its bytes.
template <CacheHints Hints, BoxPattern Pattern>
DMA_HOST_DEVICE void copy_box_to_ctas(unsigned char* to, const TensorDescriptor& descriptor, const Pattern& pattern,
                                      int index, void* barrier, int ctas) {
  const auto box = pattern.box();
  machine::copy_box_to_ctas<Hints>(to, &descriptor, box.position, barrier, box_bytes(pattern), ctas,
                                   [&](unsigned char* tile) {
                                     const auto array = host::detail::described_array(descriptor, pattern, index);
                                     return host::detail::BoxLoad<Pattern>{{array, pattern}, tile};
                                   });
}

/// The box of `pattern`, from `from` to the described array, in the thread's current bulk group.
template <CacheHints Hints, BoxPattern Pattern>
DMA_HOST_DEVICE void copy_box_to_global(const TensorDescriptor& descriptor, const unsigned char* from,
                                        const Pattern& pattern, int index) {
  const auto box = pattern.box();
  machine::copy_box_to_global<Hints>(&descriptor, from, box.position, box_bytes(pattern), [&] {
    return host::detail::BoxStore<Pattern>{{host::detail::described_array(descriptor, pattern, index), pattern}, from};
  });
}

/// The same with sums: each element of the box is added to the one in the described array.
template <CacheHints Hints, BoxPattern Pattern>
DMA_HOST_DEVICE void add_box_to_global(const TensorDescriptor& descriptor, const unsigned char* from,
                                       const Pattern& pattern, int index) {
  const auto box = pattern.box();
  machine::add_box_to_global<Hints>(&descriptor, from, box.position, box_bytes(pattern), [&] {
    return host::detail::BoxSum<Pattern>{{host::detail::described_array(descriptor, pattern, index), pattern}, from};
  });
}

}  // namespace dma::v0_1::detail
