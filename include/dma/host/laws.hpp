#pragma once

#include <dma/engines/fill.hpp>
#include <dma/host/engine_laws.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/pattern_contract.hpp>
#include <dma/patterns/transfer_pattern.hpp>

#include <cstddef>
#include <string>
#include <vector>

/// The laws of a pattern, for tests: one line checks a pattern of your own.
///
///     REQUIRE(dma::host::broken_law(MyPattern{...}) == "");
namespace dma::inline v0_1::host {

namespace detail {

/// The law that the number of elements breaks.
template <TransferPattern Pattern>
[[nodiscard]] std::string broken_law_of_size(const Pattern& pattern) {
  constexpr int room = Pattern::tile_bytes / static_cast<int>(sizeof(typename Pattern::Element));
  const int size = pattern.size();
  if (size < 0 || size > room) {
    return "size() is " + std::to_string(size) + ", and a tile has room for " + std::to_string(room) +
           " elements; return one more than the last index of this tile, 0 of an empty one";
  }
  return "";
}

/// The law that the i-th run breaks by itself, in a sentence; empty where it breaks none.
template <TransferPattern Pattern>
[[nodiscard]] std::string broken_law_of_run(const Pattern& pattern, int i) {
  constexpr int alignment = Pattern::run_alignment;
  const auto breaks = [i](const std::string& rule) { return "run " + std::to_string(i) + " " + rule; };
  const Run run = pattern.run_at(i);
  if (run.bytes < 0) {
    return breaks("has a negative number of bytes; give it 0, or leave it out of run_count()");
  }
  if (run.bytes > Pattern::max_run_bytes) {
    return breaks("is longer than max_run_bytes; raise max_run_bytes, or shorten the run");
  }
  if (run.shared < 0 || run.shared + run.bytes > Pattern::tile_bytes) {
    return breaks("leaves the tile; keep its shared and its bytes within tile_bytes");
  }
  if (run.shared % alignment != 0 || run.global % alignment != 0) {
    return breaks(
        "does not begin on a multiple of run_alignment; align its offsets, or declare a smaller run_alignment");
  }
  if (dma::detail::has_whole_runs<Pattern> && run.bytes % alignment != 0) {
    return breaks(
        "ends between two multiples of run_alignment, and padding begins on them; make its bytes a multiple of it");
  }
  if constexpr (UniformPattern<Pattern>) {
    if (run.bytes != pattern.run_at(0).bytes) {
      return breaks(
          "has another length than run 0, though runs_are_uniform; make all as long, or leave runs_are_uniform out");
    }
  }
  if constexpr (AffinePattern<Pattern>) {
    const Run first = pattern.run_at(0);
    const long long global = first.global + i * pattern.global_pitch_bytes();
    const long long shared = first.shared + static_cast<long long>(i) * pattern.shared_pitch_bytes;
    if (run.global != global || run.shared != shared) {
      return breaks("is not where the pitches put it: at " + std::to_string(run.global) + " and " +
                    std::to_string(run.shared) + ", and they say " + std::to_string(global) + " and " +
                    std::to_string(shared) +
                    "; correct global_pitch_bytes(), which is negative where runs go backwards, and "
                    "shared_pitch_bytes, or leave them out");
    }
  }
  return "";
}

/// The law that the runs break, each or together.
template <TransferPattern Pattern>
[[nodiscard]] std::string broken_law_of_runs(const Pattern& pattern) {
  const int count = pattern.run_count();
  if (count < 0 || count > Pattern::max_run_count) {
    return "run_count() is " + std::to_string(count) + ", and max_run_count " + std::to_string(Pattern::max_run_count) +
           "; let no tile have more than max_run_count runs, or a negative number";
  }
  if (pattern.is_full() && count != Pattern::max_run_count) {
    return "is_full() is true of a tile of " + std::to_string(count) + " runs, and max_run_count is " +
           std::to_string(Pattern::max_run_count) + "; let it be true of tiles with max_run_count runs alone";
  }
  std::vector<bool> is_taken(static_cast<std::size_t>(Pattern::tile_bytes), false);
  for (int i = 0; i < count; ++i) {
    if (std::string broken = broken_law_of_run(pattern, i); !broken.empty()) {
      return broken;
    }
    const Run run = pattern.run_at(i);
    for (int byte = run.shared; byte < run.shared + run.bytes; ++byte) {
      if (is_taken[static_cast<std::size_t>(byte)]) {
        return "run " + std::to_string(i) + " overlaps another in the tile; give each bytes of its own";
      }
      is_taken[static_cast<std::size_t>(byte)] = true;
    }
  }
  return "";
}

/// The law that the numbers of the elements that one store fills together break.
template <TransferPattern Pattern>
[[nodiscard]] std::string broken_law_of_fills([[maybe_unused]] const Pattern& pattern) {
  if constexpr (PaddedPattern<Pattern>) {
    constexpr int elements = dma::detail::elements_filled_at_once<Pattern>();
    for (int i = 0; i < Pattern::count; ++i) {
      const auto breaks = [i](const char* rule) { return "element " + std::to_string(i) + " " + rule; };
      const int first = i - i % elements;
      if (i == first && Pattern::place_of(i) % elements != 0) {
        return breaks("does not begin on a multiple of run_alignment; begin each row there, or declare a smaller one");
      }
      if (Pattern::place_of(i) != Pattern::place_of(first) + i - first) {
        return breaks(
            "does not follow the one before it, with which it shares run_alignment bytes; number such elements one "
            "after "
            "another");
      }
      if (pattern.is_padding(i) != pattern.is_padding(first)) {
        return breaks(
            "is filled and the one before it not, or the other way round, though they share run_alignment bytes; let "
            "both be "
            "padding, or none");
      }
    }
  }
  return "";
}

/// The law that no run moves an element that the engine fills.
template <TransferPattern Pattern>
[[nodiscard]] std::string broken_law_of_padding([[maybe_unused]] const Pattern& pattern) {
  if constexpr (PaddedPattern<Pattern>) {
    constexpr int bytes = sizeof(typename Pattern::Element);
    for (int i = 0; i < pattern.run_count(); ++i) {
      const Run run = pattern.run_at(i);
      for (int element = 0; element < Pattern::count; ++element) {
        const int begin = Pattern::place_of(element) * bytes;
        if (begin < run.shared + run.bytes && run.shared < begin + bytes && pattern.is_padding(element)) {
          return "run " + std::to_string(i) + " covers element " + std::to_string(element) +
                 ", which is padding; end the run before it, or let is_padding() be false there";
        }
      }
    }
  }
  return "";
}

}  // namespace detail

/// The first law that a value of a pattern breaks, in a sentence; empty where it keeps all laws.
///
/// Checks the size and the runs against the pattern's constants, and the runs against each other. Then it checks that
/// engines move exactly these runs, into a tile and back. It compares `memcpy` byte for byte with each engine that can
/// move the pattern, with groups of one and of three warps. A transfer of the pattern's own (`load_tile`, `store_tile`)
/// is compared in the same way.
///
/// A `size()` that leaves out gaps between runs breaks no law, since it is right for a kernel that finds its elements
/// by `index`: that of a partial `Strided` is rows times columns. A loop over `tile[i]` needs the gaps counted.
///
/// @param pattern  any value: the full tile, a partial one, an empty one
template <class Pattern>
[[nodiscard]] std::string broken_law(const Pattern& pattern) {
  if constexpr (!dma::detail::keeps_pattern_contract<Pattern>()) {
    return {};  // never returned: the contract's error names the member
  } else {
    std::string broken = detail::broken_law_of_size(pattern);
    broken = broken.empty() ? detail::broken_law_of_runs(pattern) : broken;
    for_each_part(pattern, [&](const auto& part, int, auto) {
      if (broken.empty()) {
        broken = detail::broken_law_of_fills(part);
        broken = broken.empty() ? detail::broken_law_of_padding(part) : broken;
      }
    });
    return broken.empty() ? detail::broken_law_of_engines(pattern) : broken;
  }
}

}  // namespace dma::inline v0_1::host
