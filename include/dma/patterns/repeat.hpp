#pragma once

#include <dma/config.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/pattern_contract.hpp>
#include <dma/patterns/store.hpp>
#include <dma/patterns/transfer_pattern.hpp>

namespace dma::inline v0_1 {

/// Copies of one pattern at a constant distance: the same box of several fields, a row of every sequence of a batch.
///
/// Global  copy k as the pattern says, from `k * distance_bytes` after the address on; the distance may be negative
/// Shared  copy k at `k * copy_bytes`, which is the pattern's own bytes unless it is swizzled; its elements at index
///         `index(k, ...)`
/// Cost    `Count` times the pattern's runs, moved as one tile; copies of a pattern of one run have constant pitches on
///         both sides
///
/// `Repeat<Tile, 8>{tile, distance}` is all copies, `Repeat<Tile, 8>{tile, distance, n}` the first n.
///
/// @pre Those of the pattern, which is neither a composition nor a `Store`.
/// @pre 0 <= copies <= Count; `distance_bytes` and, where Count is not 1, the pattern's runs are multiples of
///      `run_alignment`.
template <class Pattern, int Count>
struct Repeat {
  static_assert(detail::keeps_pattern_contract<Pattern>());

  static_assert(Count > 0, "dma::Repeat: Count must be positive; name 1 or more");
  static_assert(!CompositePattern<Pattern>,
                "dma::Repeat: its pattern is a composition, whose parts would not be uniform; repeat its parts, and "
                "put dma::Concat around them");
  static_assert(!detail::is_store<Pattern>,
                "dma::Repeat: its pattern is a dma::Store; put dma::Store around the Repeat");
  static_assert(!detail::is_update<Pattern>,
                "dma::Repeat: its pattern is a dma::Update; put dma::Update around the Repeat");
  static_assert(Count == 1 || (Pattern::tile_bytes % Pattern::run_alignment == 0 &&
                               (Pattern::max_run_count > 1 || Pattern::max_run_bytes % Pattern::run_alignment == 0)),
                "dma::Repeat: its pattern ends between two multiples of its run_alignment, where the next copy cannot "
                "begin; give the pattern a smaller alignment");

  using Element = typename Pattern::Element;

  /// Bytes from one copy to the next in shared memory.
  static constexpr int copy_bytes = detail::tile_alignment_of<Pattern>() > detail::default_tile_alignment
                                        ? detail::round_up(Pattern::tile_bytes, detail::placement_bytes<Pattern>())
                                        : Pattern::tile_bytes;
  static constexpr int copy_elements = copy_bytes / static_cast<int>(sizeof(Element));
  static_assert(copy_bytes % static_cast<int>(sizeof(Element)) == 0,
                "dma::Repeat: its pattern's tile_bytes must be a multiple of sizeof(Element), so that the elements of "
                "each copy have an index; make it one, or choose a smaller Element");

  static constexpr int elements_a_copy = Pattern{}.size();
  static constexpr long long count = static_cast<long long>(Count) * elements_a_copy;
  static constexpr int tile_bytes = (Count - 1) * copy_bytes + Pattern::tile_bytes;
  static constexpr int max_run_count = Count * Pattern::max_run_count;
  static constexpr int max_run_bytes = Pattern::max_run_bytes;
  static constexpr int run_alignment = Pattern::run_alignment;
  static constexpr PatternTraits traits{.runs_are_uniform = UniformPattern<Pattern>,
                                        .tile_alignment = detail::tile_alignment_of<Pattern>()};
  static constexpr int shared_pitch_bytes = copy_bytes;

  Pattern pattern = {};
  long long distance_bytes = Pattern::tile_bytes;
  int copies = Count;

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_full() const noexcept { return copies == Count && pattern.is_full(); }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int size() const noexcept { return copies * pattern.size(); }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int run_count() const noexcept { return copies * pattern.run_count(); }
  [[nodiscard]] DMA_HOST_DEVICE constexpr long long global_pitch_bytes() const noexcept
      requires(Pattern::max_run_count == 1) {
    return distance_bytes;
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr Run run_at(int i) const {
    int copy = i;
    int within = 0;
    if constexpr (Pattern::max_run_count > 1) {
      const int runs = pattern.run_count();
      copy = i / runs;
      within = i - copy * runs;
    }
    const Run run = pattern.run_at(within);
    return {copy * distance_bytes + run.global, copy * copy_bytes + run.shared, run.bytes};
  }

  /// Whether element i, counted copy by copy, is outside the pattern's array.
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_padding(int i) const noexcept requires(PaddedPattern<Pattern>) {
    return i / elements_a_copy < copies && pattern.is_padding(i % elements_a_copy);
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int place_of(int i) noexcept requires(PaddedPattern<Pattern>) {
    return i / elements_a_copy * copy_elements + Pattern::place_of(i % elements_a_copy);
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr Element fill_value() const noexcept requires(PaddedPattern<Pattern>) {
    return pattern.fill_value();
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_valid() const {
    if constexpr (requires { pattern.is_valid(); }) {
      if (!pattern.is_valid()) {
        return false;
      }
    }
    const bool runs_are_whole =
        Count == 1 || copies == 0 || pattern.run_count() != 1 || pattern.run_at(0).bytes % run_alignment == 0;
    return copies >= 0 && copies <= Count && runs_are_whole && (copies <= 1 || distance_bytes % run_alignment == 0);
  }

  /// Element `Pattern::index(at...)` of a copy.
  template <class... Coordinates>
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int index(int copy, Coordinates... at) noexcept {
    return copy * copy_elements + Pattern::index(at...);
  }
};

}  // namespace dma::inline v0_1
