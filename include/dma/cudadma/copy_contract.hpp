#pragma once

#include <dma/config.hpp>
#include <dma/engines/copy_engine.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/pattern_contract.hpp>
#include <dma/patterns/tile_laws.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>

/// What copies without a pipeline expect: of the pattern at compile time, of a call where contracts are checked.
namespace dma::inline v0_1::cudadma {

/// Whether a pattern can be copied without a pipeline; an error names the law that it breaks.
template <class Pattern>
[[nodiscard]] consteval bool keeps_copy_contract() {
  if constexpr (!detail::keeps_pattern_contract<Pattern>()) {
    return false;
  } else {
    static_assert(
        !detail::is_update<Pattern>,
        "dma::cudadma::copy_tile: a dma::Update is loaded and stored, and a copy moves one way; copy the pattern "
        "itself, then a dma::Store of it");
    static_assert(
        detail::keeps_alignment<Pattern>(),
        "dma::cudadma::copy_tile: a run of this pattern does not begin on a multiple of the run_alignment that it "
        "declares (a power of two); declare a smaller run_alignment, or align the run's offsets");
    static_assert(
        Pattern{}.is_full() && detail::stays_inside_tile<Pattern>(),
        "dma::cudadma::copy_tile: 'Pattern{}' is not the full tile, or has a run outside it; make its is_full() true "
        "and tile_bytes, max_run_count and max_run_bytes those of the full tile");
    static_assert(
        detail::keeps_uniformity<Pattern>(),
        "dma::cudadma::copy_tile: this pattern declares runs_are_uniform or pitches and its runs differ; remove "
        "these, or make every run max_run_bytes long and one pitch after the one before");
    static_assert(
        detail::keeps_runs_apart<Pattern>(),
        "dma::cudadma::copy_tile: two runs of this pattern overlap in shared memory; give each bytes of its own");
    return true;
  }
}

/// The end of a tile's last byte in shared memory, of the runs that this value has.
template <class Pattern>
[[nodiscard]] DMA_HOST_DEVICE int end_of(const Pattern& pattern) {
  int end = 0;
  for (int i = 0; i < pattern.run_count(); ++i) {
    const Run run = pattern.run_at(i);
    end = run.bytes > 0 && run.shared + run.bytes > end ? run.shared + run.bytes : end;
  }
  return end;
}

/// States the precondition that a tile keeps its pattern's limits and alignment.
template <class Pattern>
DMA_HOST_DEVICE void expect_valid([[maybe_unused]] const Pattern& pattern) {
  if constexpr (requires { pattern.is_valid() && pattern.elements; }) {
    DMA_EXPECTS(pattern.is_valid(),
                "dma::cudadma::copy_tile: this tile is larger than its pattern, or has fewer than 0 elements; give it "
                "at most the pattern's count, as Sequential::up_to(left) does",
                "elements", pattern.size(), "elements of a full tile", Pattern{}.size());
  } else if constexpr (requires { pattern.is_valid(); }) {
    DMA_EXPECTS(pattern.is_valid(),
                "dma::cudadma::copy_tile: this tile is larger than its pattern, or breaks the pattern's alignment; "
                "give it fewer rows and columns, or the pattern a smaller alignment, a Paged smaller box_rows",
                "elements", pattern.size(), "run_alignment", Pattern::run_alignment);
  }
}

/// The global side of a copy.
template <class Pattern>
DMA_HOST_DEVICE void expect_global([[maybe_unused]] const Pattern& pattern, [[maybe_unused]] const void* address) {
  DMA_EXPECTS(
      reinterpret_cast<stdlib::uintptr_t>(address) % detail::source_alignment_of<Pattern>() == 0,
      "dma::cudadma::copy_tile: the global address is not a multiple of the pattern's run_alignment; align it, or give "
      "the pattern a smaller alignment",
      "address", address, "run_alignment", detail::source_alignment_of<Pattern>());
  DMA_EXPECTS(
      pattern.run_count() == 0 || machine::is_global(address),
      "dma::cudadma::copy_tile: the global address is null, or not in global memory; pass it first to a load and "
      "second to a store",
      "address", address);
}

/// The shared side of a copy.
template <class Pattern>
DMA_HOST_DEVICE void expect_shared([[maybe_unused]] const Pattern& pattern, [[maybe_unused]] const void* address) {
  // The default is for the speed of bulk copies; a swizzle asks for more.
  [[maybe_unused]] constexpr int alignment = detail::tile_alignment_of<Pattern>() > detail::default_tile_alignment
                                                 ? detail::tile_alignment_of<Pattern>()
                                                 : detail::source_alignment_of<Pattern>();
  DMA_EXPECTS(reinterpret_cast<stdlib::uintptr_t>(address) % alignment == 0,
              "dma::cudadma::copy_tile: the shared address is not aligned as the pattern's tile; align the array to it",
              "address", address, "alignment", alignment);
  DMA_EXPECTS(end_of(pattern) == 0 || (machine::is_shared(address) &&
                                       machine::is_shared(static_cast<const char*>(address) + end_of(pattern) - 1)),
              "dma::cudadma::copy_tile: the tile is not inside the CTA's shared memory; pass the address of an array "
              "there that "
              "has room for it",
              "address", address, "bytes", end_of(pattern));
}

}  // namespace dma::inline v0_1::cudadma
