#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

namespace detail {

inline constexpr int widest_fill = 16;  ///< bytes of one store

/// How many padding elements one store fills. Where every run begins and ends on `run_alignment`, it is as many as that
/// holds, up to 16 bytes: all or none of them are outside. Otherwise one.
template <PaddedPattern Pattern>
[[nodiscard]] DMA_HOST_DEVICE consteval int elements_filled_at_once() noexcept {
  constexpr int size = static_cast<int>(sizeof(typename Pattern::Element));
  constexpr int bytes = Pattern::run_alignment < widest_fill ? Pattern::run_alignment : widest_fill;
  constexpr int elements = bytes > size ? bytes / size : 1;
  constexpr bool are_whole = elements * size == bytes && Pattern::count % elements == 0;
  constexpr bool runs_end_on_it = Pattern::max_run_count > 1 && Pattern::max_run_bytes % bytes == 0;
  return are_whole && runs_end_on_it ? elements : 1;
}

/// Elements that are filled together.
template <class Element, int Count>
struct alignas(Count == 1 ? alignof(Element) : Count * sizeof(Element)) Filled {
  Element elements[Count];
};
/// As many copies of an element as the sequence has numbers.
template <int Count, class Element, int... Elements>
[[nodiscard]] DMA_HOST_DEVICE Filled<Element, Count> filled_with(const Element& value,
                                                                 stdlib::integer_sequence<int, Elements...>) {
  return {{(static_cast<void>(Elements), value)...}};
}

}  // namespace detail

/// Fills the padding of a tile, the elements outside its array, by ordinary stores.
template <int Threads, PaddedPattern Pattern>
DMA_HOST_DEVICE void fill_outside(const Pattern& pattern, unsigned char* tile, int thread) {
  using Element = typename Pattern::Element;
  constexpr int elements = detail::elements_filled_at_once<Pattern>();
  const auto filled =
      detail::filled_with<elements, Element>(pattern.fill_value(), stdlib::make_integer_sequence<int, elements>{});
  for (int i = thread * elements; i < Pattern::count; i += Threads * elements) {
    if (pattern.is_padding(i)) {
      auto* const place =
          reinterpret_cast<detail::Filled<Element, elements>*>(reinterpret_cast<Element*>(tile) + Pattern::place_of(i));
      machine::touched(place, int{sizeof *place}, machine::Access::write);
      *place = filled;
    }
  }
}

}  // namespace dma::inline v0_1
