#pragma once

#include <dma/config.hpp>
#include <dma/machine/half_float.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1::machine {

/// What is added of an element: itself, or the bits of a two-byte float.
template <class Element>
using Summand = stdlib::conditional_t<HalfFloat<Element>::is_known, stdlib::uint16_t, Element>;

/// What memory makes of two elements. The sum of two two-byte floats is rounded once: a float holds it with so many
/// places that its own rounding changes nothing.
template <class Element>
[[nodiscard]] DMA_DETAIL_UNSEEN DMA_HOST_DEVICE Summand<Element> sum_of(Summand<Element> one, Summand<Element> other) {
  if constexpr (HalfFloat<Element>::is_known) {
    using Half = HalfFloat<Element>;
    return Half::from_float(Half::to_float(one) + Half::to_float(other));
  } else {
    return static_cast<Element>(one + other);
  }
}

/// What an adding bulk copy does to global memory, as a loop over elements. Sums of a GPU are atomic, and no access
/// that a proof orders.
template <class Element>
DMA_DETAIL_UNSEEN DMA_HOST_DEVICE void add_elements(unsigned char* to, const unsigned char* from, int bytes) {
  for (int i = 0; i < bytes; i += static_cast<int>(sizeof(Element))) {
    Summand<Element> sum;
    Summand<Element> value;
    __builtin_memcpy(&sum, to + i, sizeof sum);
    __builtin_memcpy(&value, from + i, sizeof value);
    sum = sum_of<Element>(sum, value);
    __builtin_memcpy(to + i, &sum, sizeof sum);
  }
}

}  // namespace dma::v0_1::machine
