#pragma once

#include <dma/tune/variant.hpp>

#include <concepts>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace dma::inline v0_1::tuning {

namespace detail {

/// The enumerator's name.
[[nodiscard]] constexpr const char* name_of(EngineKind kind) noexcept {
  return kind == EngineKind::register_copy ? "register_copy"
         : kind == EngineKind::async_copy  ? "async_copy"
         : kind == EngineKind::bulk_copy   ? "bulk_copy"
                                           : "by_default";
}

}  // namespace detail

/// A variant as C++, with the members that differ from the defaults.
[[nodiscard]] inline std::string to_text(const Variant& variant) {
  std::string members;
  const auto add = [&](const char* name, auto value, auto by_default, const std::string& text) {
    if (value != by_default) {
      members += (members.empty() ? "." : ", .") + std::string(name) + " = " + text;
    }
  };
  constexpr Variant defaults{};
  const auto add_int = [&](const char* name, int value, int by_default) {
    add(name, value, by_default, std::to_string(value));
  };
  add_int("tile_bytes", variant.tile_bytes, defaults.tile_bytes);
  add_int("stages", variant.stages, defaults.stages);
  add_int("compute_warps", variant.compute_warps, defaults.compute_warps);
  add_int("dma_warps", variant.dma_warps, defaults.dma_warps);
  add_int("dma_groups", variant.dma_groups, defaults.dma_groups);
  add_int("ctas_per_sm", variant.ctas_per_sm, defaults.ctas_per_sm);
  add("engine", variant.engine, defaults.engine,
      std::string("dma::tuning::EngineKind::") + detail::name_of(variant.engine));
  return "dma::tuning::Variant{" + members + "}";
}

namespace detail {

/// A value that `tune` can list: its text is C++, found by the value's type.
template <class V>
concept PrintableVariant = requires(const V& variant) {
  { to_text(variant) } -> std::convertible_to<std::string>;
};

/// `to_text` of any variant, also where a member has that name.
template <PrintableVariant V>
[[nodiscard]] std::string text_of(const V& variant) {
  return to_text(variant);
}

}  // namespace detail

/// What `tune` found: variants in the order of their times, the refused ones last.
template <class V = Variant>
struct Report {
  /// One variant and its time, or why it has none.
  struct Entry {
    V variant;
    double seconds = 0;   ///< of a launch: the median
    double spread = 0;    ///< the distance between the quartiles as a share of the median
    int rounds = 0;       ///< of measurements, before it was dropped or the search ended
    std::string refused;  ///< why it was not measured; empty where it was
  };

  std::vector<Entry> variants;
  int excluded = 0;              ///< variants that `select` excluded, not compiled
  bool ran_out_of_time = false;  ///< before the fastest ones had all their samples
  double bytes = 0;              ///< that a launch moves; 0 where this is not known
  double seconds = 0;            ///< that checking and measuring took

  [[nodiscard]] const Entry& best() const { return variants.front(); }

  /// A table of the `rows` fastest, the reasons of the refused, and a line of C++ with the best.
  [[nodiscard]] std::string to_text(std::size_t rows = 10) const {
    std::string text;
    char line[160];
    std::size_t measured = 0;
    for (const Entry& each : variants) {
      if (!each.refused.empty()) {
        text += "  refused: " + detail::text_of(each.variant) + ": " + each.refused + '\n';
      } else if (measured++ < rows) {
        std::snprintf(line, sizeof line, "%10.2f us  %5.3f of the best  +-%4.1f%%", each.seconds * 1e6,
                      best().seconds / each.seconds, each.spread * 50);
        text += line;
        if (bytes > 0) {
          std::snprintf(line, sizeof line, "  %5.0f GB/s", bytes / each.seconds * 1e-9);
          text += line;
        }
        text += "  " + detail::text_of(each.variant) + '\n';
      }
    }
    text += "  " + std::to_string(measured) + " measured, " + std::to_string(variants.size() - measured) +
            " refused, " + std::to_string(excluded) + " excluded before they were compiled" +
            (ran_out_of_time ? "; the time ended before all samples were taken\n" : "\n");
    const std::string best_text = detail::text_of(best().variant);
    return text + "constexpr " + best_text.substr(0, best_text.find('{')) + " best = " + best_text + ";\n";
  }
};

}  // namespace dma::inline v0_1::tuning
