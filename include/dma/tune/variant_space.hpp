#pragma once

#include <dma/config.hpp>
#include <dma/standard.hpp>
#include <dma/tune/variant.hpp>

#include <array>
#include <initializer_list>

namespace dma {

/// Up to 8 values of one member of `Variant`: `{1, 2, 4}`. Public members, so that it can be a template argument.
template <class T>
struct Values {
  static constexpr int most = 8;

  T values[most] = {};
  int count = 0;

  constexpr Values(std::initializer_list<T> list) {
    for (const T& value : list) {
      if (count == most) {
        throw std::length_error("dma::Values: a variant space has at most 8 values of a member; split the space");
      }
      values[count++] = value;
    }
    if (count == 0) {
      throw std::length_error("dma::Values: a member of a variant space needs at least one value; leave it out");
    }
  }
};

/// Every combination of some values of each member; a member that is left out has its default alone.
///
///     constexpr dma::VariantSpace space{.tile_bytes = {4096, 8192}, .stages = {1, 2, 4}, .ctas_per_sm = {1, 2}};
struct VariantSpace {
  Values<int> tile_bytes{Variant{}.tile_bytes};
  Values<int> stages{Variant{}.stages};
  Values<int> compute_warps{Variant{}.compute_warps};
  Values<int> dma_warps{Variant{}.dma_warps};
  Values<int> dma_groups{Variant{}.dma_groups};
  Values<int> ctas_per_sm{Variant{}.ctas_per_sm};
  Values<EngineKind> engine{Variant{}.engine};

  [[nodiscard]] constexpr int count() const {
    return tile_bytes.count * stages.count * compute_warps.count * dma_warps.count * dma_groups.count *
           ctas_per_sm.count * engine.count;
  }

  /// Combination `index` of `count()`; the engine changes fastest.
  [[nodiscard]] constexpr Variant operator[](int index) const {
    const auto next = [&](const auto& member) {
      const auto value = member.values[index % member.count];
      index /= member.count;
      return value;
    };
    Variant variant{};
    variant.engine = next(engine);
    variant.ctas_per_sm = next(ctas_per_sm);
    variant.dma_groups = next(dma_groups);
    variant.dma_warps = next(dma_warps);
    variant.compute_warps = next(compute_warps);
    variant.stages = next(stages);
    variant.tile_bytes = next(tile_bytes);
    return variant;
  }
};

}  // namespace dma
