#pragma once

#include <dma/config.hpp>
#include <dma/standard.hpp>
#include <dma/tune/variant.hpp>

#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace dma::inline v0_1::tuning {

namespace detail {

/// Up to 8 values of one member of `Variant`: `{1, 2, 4}`. Public members, so that it can be a template argument.
template <class T>
struct Values {
  static constexpr int most = 8;

  T values[most] = {};
  int count = 0;

  constexpr Values(std::initializer_list<T> list) {
    for (const T& value : list) {
      if (count == most) {
        throw std::length_error("dma::tuning::Space: a space has at most 8 values of a member; split the space");
      }
      values[count++] = value;
    }
    if (count == 0) {
      throw std::length_error("dma::tuning::Space: a member of a space needs at least one value; leave it out");
    }
  }
};

}  // namespace detail

/// Every combination of some values of each member; a member that is left out has its default alone.
///
///     constexpr dma::tuning::Space space{.tile_bytes = {4096, 8192}, .stages = {1, 2, 4}, .ctas_per_sm = {1, 2}};
struct Space {
  detail::Values<int> tile_bytes{Variant{}.tile_bytes};
  detail::Values<int> stages{Variant{}.stages};
  detail::Values<int> compute_warps{Variant{}.compute_warps};
  detail::Values<int> dma_warps{Variant{}.dma_warps};
  detail::Values<int> dma_groups{Variant{}.dma_groups};
  detail::Values<int> ctas_per_sm{Variant{}.ctas_per_sm};
  detail::Values<EngineKind> engine{Variant{}.engine};

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

/// Variants one by one: what a predicate has left of a space, or values of a type of one's own, which a kernel takes as
/// its template argument. `to_text(variant)` has to be their text.
///
///     constexpr dma::tuning::List shapes{{PassShape{.points = 128}, PassShape{.points = 256}}};
template <int Count, class V = Variant>
struct List {
  V variants[Count];
  int excluded = 0;  ///< by predicates; they are not compiled

  [[nodiscard]] constexpr int count() const { return Count; }
  [[nodiscard]] constexpr V operator[](int index) const { return variants[index]; }
};
template <class V, std::size_t Count>
List(const V (&)[Count]) -> List<int{Count}, V>;

namespace detail {

/// Whether a predicate holds for one variant of a space.
template <auto From, int Index, class Predicate>
consteval bool takes() {
  if constexpr (requires { Predicate{}(From[Index]); }) {
    return Predicate{}(From[Index]);
  } else {
    return Predicate{}.template operator()<From[Index]>();
  }
}

/// The variants of a space for which a predicate holds.
template <auto From, class Predicate, int... Indices>
consteval auto select(std::integer_sequence<int, Indices...>) {
  constexpr int count = (0 + ... + int{takes<From, Indices, Predicate>()});
  static_assert(count > 0,
                "dma::tuning::select: the predicate excludes every variant; give the space smaller tiles, fewer "
                "stages or fewer CTAs an SM, or relax the predicate");
  List<count, std::remove_cvref_t<decltype(From[0])>> list{};
  int next = 0;
  ((takes<From, Indices, Predicate>() ? void(list.variants[next++] = From[Indices]) : void()), ...);
  list.excluded = From.count() - count;
  if constexpr (requires { From.excluded; }) {
    list.excluded += From.excluded;
  }
  return list;
}

}  // namespace detail

/// The variants of a space, or of a list, that a predicate takes. It is a lambda without captures, over a value or,
/// where it asks for the variant's types, over a template argument:
///
///     constexpr auto fitting = dma::tuning::select<space>([](dma::tuning::Variant v) { return v.fits_an_sm(); });
///     constexpr auto fast = dma::tuning::select<fitting>(
///         []<dma::tuning::Variant V>() { return dma::explain<typename Scale<V>::Pipe>().is_fast(); });
template <auto From, class Predicate>
[[nodiscard]] consteval auto select(Predicate) {
  return detail::select<From, Predicate>(std::make_integer_sequence<int, From.count()>{});
}

}  // namespace dma::inline v0_1::tuning
