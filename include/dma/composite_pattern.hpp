#pragma once

#include <dma/config.hpp>
#include <dma/run.hpp>
#include <dma/standard.hpp>
#include <dma/unrolled.hpp>

namespace dma {

/// A pattern made of others: `part<I>()` is the I-th, `part_shared_bytes<I>()` where it begins in the tile. All parts
/// share the global address. Each is uniform, so that its mapping is a constant, which that of the whole would not be.
template <class Pattern>
concept CompositePattern = requires(const Pattern pattern) {
  { Pattern::part_count } -> stdlib::convertible_to<int>;
  pattern.template part<0>();
  { Pattern::template part_shared_bytes<0>() } -> stdlib::same_as<int>;
};

/// Calls `body(part, shared_bytes, index)` for each part in order, `index` a constant; for any other pattern once, with
/// the pattern itself.
template <class Pattern, class Body>
DMA_HOST_DEVICE constexpr void for_each_part(const Pattern& pattern, const Body& body) {
  if constexpr (CompositePattern<Pattern>) {
    unrolled<Pattern::part_count>(
        [&](auto index) { body(pattern.template part<index>(), Pattern::template part_shared_bytes<index>(), index); });
  } else {
    body(pattern, 0, stdlib::integral_constant<int, 0>{});
  }
}

/// Runs of a composite: those of its parts, one part after another.
template <class Pattern>
[[nodiscard]] DMA_HOST_DEVICE constexpr int run_count_of_parts(const Pattern& pattern) {
  int count = 0;
  for_each_part(pattern, [&](const auto& part, int, auto) { count += part.run_count(); });
  return count;
}

/// @pre 0 <= run < run_count_of_parts(pattern)
template <class Pattern>
[[nodiscard]] DMA_HOST_DEVICE constexpr Run run_of_parts(const Pattern& pattern, int run) {
  Run found{};
  for_each_part(pattern, [&](const auto& part, int shared_bytes, auto) {
    if (run >= 0 && run < part.run_count()) {
      const Run own = part.run_at(run);
      found = {own.global, own.shared + shared_bytes, own.bytes};
    }
    run -= part.run_count();
  });
  return found;
}

}  // namespace dma
