#pragma once

#include <dma/config.hpp>
#include <dma/sync/machine.hpp>
#include <dma/transfer_pattern.hpp>
#include <dma/unrolled.hpp>

namespace dma {

/// How many elements one store fills: as many as `run_alignment` holds where every run begins and ends on it, so that
/// either all of them are outside or none; otherwise one.
template <FillingPattern Pattern>
[[nodiscard]] DMA_HOST_DEVICE consteval int elements_filled_at_once() noexcept {
  constexpr int size = static_cast<int>(sizeof(typename Pattern::Element));
  constexpr int elements = Pattern::run_alignment > size ? Pattern::run_alignment / size : 1;
  constexpr bool are_whole = elements * size == Pattern::run_alignment && Pattern::count % elements == 0;
  constexpr bool runs_end_on_it = Pattern::max_run_count > 1 && Pattern::max_run_bytes % Pattern::run_alignment == 0;
  return are_whole && runs_end_on_it ? elements : 1;
}

/// What a tile has outside the array that it is taken from, by ordinary stores.
template <int Threads, FillingPattern Pattern>
DMA_HOST_DEVICE void fill_outside(const Pattern& pattern, unsigned char* tile, int thread) {
  using Element = typename Pattern::Element;
  constexpr int elements = elements_filled_at_once<Pattern>();
  struct alignas(elements == 1 ? alignof(Element) : Pattern::run_alignment) Filled {
    Element element[elements];
  };
  Filled filled;
  unrolled<elements>([&](auto i) { filled.element[i] = pattern.fill_value(); });
  for (int i = thread * elements; i < Pattern::count; i += Threads * elements) {
    if (pattern.fills(i)) {
      auto* const place = reinterpret_cast<Filled*>(reinterpret_cast<Element*>(tile) + Pattern::place_of(i));
      machine::touched(place, int{sizeof *place}, host::Access::write);
      *place = filled;
    }
  }
}

}  // namespace dma
