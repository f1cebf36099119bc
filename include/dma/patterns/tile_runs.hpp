#pragma once

#include <dma/config.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/run.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1::detail {

/// Whether both sides of a pipeline have to name the same runs. Not where a part has padding, which the side that uses
/// the tile may name without its position, nor where the runs are read from memory.
template <class Pattern>
[[nodiscard]] consteval bool names_its_runs() {
  bool names_them = true;
  for_each_part(Pattern{}, [&](const auto& part, int, auto) {
    using Part = stdlib::remove_cvref_t<decltype(part)>;
    names_them = names_them && !PaddedPattern<Part> && !pattern_traits<Part>.is_indexed;
  });
  return names_them;
}

/// Whether full tiles may differ in where their runs are in the slot: by a pitch that is known at run time.
template <class Pattern>
[[nodiscard]] consteval bool full_tiles_differ() {
  bool differ = false;
  for_each_part(Pattern{}, [&](const auto& part, int, auto) {
    differ = differ || HasRunTimeSharedPitch<stdlib::remove_cvref_t<decltype(part)>>;
  });
  return differ;
}

/// A hash of where a partial tile's runs are in its slot, which tells it from another partial tile of the same size. 0
/// for the full tile, of which there is one.
///
/// Cost    `run_at` for each run
template <TransferPattern Pattern>
[[nodiscard]] DMA_HOST_DEVICE constexpr stdlib::uint64_t hash_of_runs([[maybe_unused]] const Pattern& pattern) {
  stdlib::uint64_t hash = 0;
  if constexpr (names_its_runs<Pattern>()) {
    constexpr bool is_one = !full_tiles_differ<Pattern>();
    const int runs = is_one && pattern.is_full() ? 0 : pattern.run_count();
    for (int i = 0; i < runs; ++i) {
      const Run run = pattern.run_at(i);
      constexpr stdlib::uint64_t odd = 0x9e3779b97f4a7c15U;
      hash = (hash ^ static_cast<unsigned>(run.shared)) * odd;
      hash = (hash ^ static_cast<unsigned>(run.bytes)) * odd;
      hash ^= hash >> 29;
    }
  }
  return hash;
}

}  // namespace dma::v0_1::detail
