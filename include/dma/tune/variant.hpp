#pragma once

#include <dma/buffering/multi_buffer.hpp>
#include <dma/config.hpp>
#include <dma/default_policies.hpp>
#include <dma/pipeline.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/standard.hpp>
#include <dma/thresholds.hpp>

namespace dma::inline v0_1::tuning {

/// An engine as a value, for a list of variants. `by_default` is `DefaultEngine`.
enum class EngineKind { by_default, register_copy, async_copy, bulk_copy };

/// What a kernel with one pipeline leaves open: a value to be its template argument.
///
///     template <dma::tuning::Variant V>
///     struct Scale {
///       using Layout = dma::tuning::Layout<V>;
///       using Tile = dma::Sequential<float, V.tile_bytes / 4>;
///       using Pipe = dma::tuning::Pipeline<V, Tile>;
///       static constexpr dma::KernelTraits traits{.min_ctas = V.ctas_per_sm};
///       ...
///     };
struct Variant {
  int tile_bytes = 4096;
  int stages = 0;  ///< 0: `AutomaticStages`
  int compute_warps = 4;
  int dma_warps = 1;  ///< of each DMA group; 0: all warps copy and compute
  int dma_groups = 1;
  int ctas_per_sm = 1;
  EngineKind engine = EngineKind::by_default;

  friend constexpr bool operator==(const Variant&, const Variant&) = default;

  [[nodiscard]] constexpr int warps() const { return compute_warps + dma_warps * dma_groups; }

  /// Whether `ctas_per_sm` CTAs, each with one pipeline of this variant and `other_bytes` of shared memory beside it,
  /// have room in an SM of the oldest architecture compiled for, on a host one of 228 KB and 64 warps. A CTA has at
  /// most 32 warps; 1 KB of an SM's memory is the system's for each CTA.
  ///
  /// Source  CUDA C++ Programming Guide, technical specifications per compute capability
  [[nodiscard]] constexpr bool fits_an_sm(int other_bytes = 0) const {
    constexpr dma::detail::SmLimits sm = dma::detail::sm_limits(dma::detail::oldest_architecture);
    constexpr int system_bytes = 1024;
    constexpr int barrier_bytes = 16;  // of a slot: a word full, a word empty
    constexpr auto aligned = [](int bytes) { return (bytes + 127) / 128 * 128; };
    const int groups = dma_warps == 0 ? 1 : dma_groups;
    const int slots = stages == 0 ? dma::detail::stages_of_one_cta(tile_bytes, groups) : stages;
    const int cta_bytes = slots * aligned(tile_bytes) + aligned(slots * barrier_bytes) + other_bytes + system_bytes;
    return slots % groups == 0 && warps() <= dma::detail::max_cta_threads / warp_size &&
           ctas_per_sm * warps() <= sm.threads / warp_size && ctas_per_sm * cta_bytes <= sm.shared_kilobytes * 1024;
  }
};

namespace detail {

/// The warps of a variant: computing ones and groups of DMA warps.
template <int ComputeWarps, int DmaWarps, class Groups>
struct LayoutOf;
template <int ComputeWarps, int DmaWarps, int... Groups>
struct LayoutOf<ComputeWarps, DmaWarps, stdlib::integer_sequence<int, Groups...>> {
  template <int>
  using Group = Dma<DmaWarps>;
  using Type = WarpLayout<Compute<ComputeWarps>, Group<Groups>...>;
};
template <int ComputeWarps, int... Groups>
struct LayoutOf<ComputeWarps, 0, stdlib::integer_sequence<int, Groups...>> {
  using Type = WarpLayout<Compute<ComputeWarps>>;
};

/// The engine of a kind, for a pattern, a barrier and a buffering.
template <EngineKind Kind, class Pattern, class Sync, class Buffering>
consteval auto engine() {
  if constexpr (Kind == EngineKind::register_copy) {
    return RegisterCopy<>{};
  } else if constexpr (Kind == EngineKind::async_copy) {
    return AsyncCopy<>{};
  } else if constexpr (Kind == EngineKind::bulk_copy) {
    return BulkCopy<>{};
  } else {
    return DefaultEngine<Pattern, Sync, Buffering>{};
  }
}

}  // namespace detail

/// The warps of a variant.
template <Variant V>
using Layout =
    typename detail::LayoutOf<V.compute_warps, V.dma_warps, stdlib::make_integer_sequence<int, V.dma_groups>>::Type;

namespace detail {

/// The number of stages of a variant.
[[nodiscard]] consteval dma::detail::Stages stages_of(const Variant& variant) {
  return variant.stages == 0 ? dma::detail::Stages(AutomaticStages{}) : dma::detail::Stages(variant.stages);
}

/// The buffering of a variant.
template <Variant V>
using BufferingOf = MultiBuffer<Layout<V>, stages_of(V), DmaGroups{.count = V.dma_groups}>;

/// The engine of a variant for a pattern.
template <Variant V, class Pattern, class Sync = DefaultBarrier>
using EngineOf = decltype(engine<V.engine, Pattern, Sync, BufferingOf<V>>());

}  // namespace detail

/// The pipeline of a variant that loads or stores tiles of `Pattern`.
template <Variant V, class Pattern, class Sync = DefaultBarrier>
using Pipeline = DmaPipeline<Pattern, detail::BufferingOf<V>, Sync, detail::EngineOf<V, Pattern, Sync>>;

}  // namespace dma::inline v0_1::tuning
