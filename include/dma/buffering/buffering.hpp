#pragma once

#include <dma/config.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

/// The numbers behind *when* tiles move: how many stages a pipeline has, and which of a layout's DMA groups fill them
/// in turn. A type without objects; all members are static.
///
/// - `Layout`: the kernel's `WarpLayout`;
/// - `groups`: how many DMA groups take turns. Stage s belongs to group s mod `groups`. 1 on a layout without DMA
///   warps;
/// - `first_group`: the first of them in the layout; the others follow it. 0 on a layout without DMA warps;
/// - `stages_for(slot_bytes, most_stages)`: the number of stages, a multiple of `groups`. A slot takes `slot_bytes` of
///   shared memory, alignment included but not the states of its barriers. `most_stages` is how many stages have
///   hardware barriers, a large number where the barrier uses none. A result above it does not compile;
/// - `has_automatic_stages`, optional: whether that number is the library's choice. The default engine of short tiles
///   is another one then, and a pipeline whose warps take turns at the tiles may round the number.
///
/// A pipeline whose stages need more shared memory than a CTA can have does not compile.
///
/// An example, which is built and tested:
/// @include custom_buffering/stages_for_ctas.hpp
/// A mistake, between `#if` and `#else`, and what the compiler says of it:
/// @include a_buffering_without_stages_for.cpp
template <class B>
concept Buffering = detail::IsWarpLayout<typename B::Layout> && requires {
  { B::groups } -> stdlib::convertible_to<int>;
  { B::first_group } -> stdlib::convertible_to<int>;
  { B::stages_for(1024, 16) } -> stdlib::convertible_to<int>;
};

namespace detail {

/// Whether a compute group fills the slots for another one, so that no DMA warp moves them: `HandOff`.
template <class B>
inline constexpr bool is_handed_over = requires {
  B::filled_by;
};
/// Whether the warps that fill a slot are others than those that use it.
template <class B>
inline constexpr bool sides_are_apart = B::Layout::is_specialized || is_handed_over<B>;

/// Whether a buffering's slots begin with the compute warps: `cudadma::BeginsHeld`.
template <class B>
inline constexpr bool slots_begin_held = false;
template <class B>
  requires requires { requires B::slots_begin_held; }
inline constexpr bool slots_begin_held<B> = true;

/// The warps of a buffering's DMA groups, derived from its layout.
template <class B>
struct GroupsOf {
  using Layout = typename B::Layout;

  /// Warps of one group; of the whole CTA on a layout without DMA warps.
  static constexpr int warps = Layout::is_specialized ? Layout::group_warps(B::first_group) : Layout::compute_warps;

  /// First warp of the buffering's `group`-th DMA group.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int first_warp(int group) noexcept {
    return Layout::is_specialized ? Layout::group_first_warp(B::first_group) + group * warps : 0;
  }
};
/// A compute group in their place.
template <class B>
  requires is_handed_over<B>
struct GroupsOf<B> {
  static constexpr int warps = B::Layout::compute_group_warps(B::filled_by);

  [[nodiscard]] DMA_HOST_DEVICE static constexpr int first_warp(int /*group*/) noexcept {
    return B::Layout::compute_group_first_warp(B::filled_by);
  }
};

/// Whether a buffering's DMA groups have as many warps each, and the same register budget.
template <class B>
[[nodiscard]] consteval bool groups_are_equal() noexcept {
  using Layout = typename B::Layout;
  for (int group = B::first_group; group < B::first_group + B::groups; ++group) {
    if (Layout::group_warps(group) != Layout::group_warps(B::first_group) ||
        Layout::group_registers(group) != Layout::group_registers(B::first_group)) {
      return false;
    }
  }
  return true;
}

/// Whether a type has a pattern's members: no buffering has them.
template <class T>
concept LooksLikePattern = (requires { T::max_run_count; }) || (requires { T::run_alignment; });

/// Whether a type is a buffering. If it is not, one sentence names the first member of `Buffering` that is missing, or
/// has another form or value.
template <class B>
[[nodiscard]] consteval bool keeps_buffering_contract() {
  if constexpr (LooksLikePattern<B>) {
    static_assert(always_false<B>,
                  "dma::DmaPipeline: its second argument is a pattern, where the buffering belongs; write "
                  "DmaPipeline<Pattern, Buffering, Barrier, Engine>, for example with dma::MultiBuffer<...>");
  } else if constexpr (IsWarpLayout<B>) {
    static_assert(always_false<B>,
                  "dma::DmaPipeline: its second argument is a dma::WarpLayout, where the buffering belongs; put "
                  "dma::MultiBuffer<...> around it");
  } else if constexpr (!requires { typename B::Layout; }) {
    static_assert(always_false<B>,
                  "dma::Buffering: this buffering has no 'Layout'; add 'using Layout = ...;', the dma::WarpLayout "
                  "of the kernel");
  } else if constexpr (!IsWarpLayout<typename B::Layout>) {
    static_assert(always_false<B>,
                  "dma::Buffering: this buffering's 'Layout' is not a dma::WarpLayout; make it one, for example "
                  "dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>");
  } else if constexpr (!requires { requires IsInt<decltype(B::groups)>; }) {
    static_assert(always_false<B>,
                  "dma::Buffering: this buffering has no 'groups'; add 'static constexpr int groups = ...;', how "
                  "many DMA groups take turns at its stages, 1 on a layout without DMA warps");
  } else if constexpr (!requires { requires IsInt<decltype(B::first_group)>; }) {
    static_assert(always_false<B>,
                  "dma::Buffering: this buffering has no 'first_group'; add 'static constexpr int first_group = "
                  "...;', the first of its DMA groups in the layout, 0 on a layout without DMA warps");
  } else if constexpr (!requires { typename stdlib::integral_constant<int, B::stages_for(1024, 16)>; }) {
    static_assert(always_false<B>,
                  "dma::Buffering: this buffering has no 'stages_for'; add 'static consteval int stages_for(int "
                  "slot_bytes, int most_stages)', the number of its stages");
  } else if constexpr (B::groups < 1 || B::first_group < 0) {
    static_assert(always_false<B>,
                  "dma::Buffering: its 'groups' must be positive and its 'first_group' an index from 0; make 'groups' "
                  "the number of "
                  "DMA groups that the pipeline takes, and 'first_group' the first of them");
  } else if constexpr (!B::Layout::is_specialized && (B::groups != 1 || B::first_group != 0)) {
    static_assert(always_false<B>,
                  "dma::Buffering: on a layout without DMA warps every warp fills every stage; make its 'groups' 1 "
                  "and its 'first_group' 0 there");
  } else if constexpr (B::Layout::is_specialized && B::first_group + B::groups > B::Layout::groups) {
    static_assert(always_false<B>,
                  "dma::Buffering: the layout has fewer DMA groups than this buffering uses (dma::DoubleBuffer uses "
                  "two); add a dma::Dma<...> to the WarpLayout, or use dma::ManualDoubleBuffer, which needs one");
  } else if constexpr (!groups_are_equal<B>()) {
    static_assert(always_false<B>,
                  "dma::Buffering: the DMA groups that take turns must have the same number of warps, and of "
                  "registers; make the Dma<...> of the layout equal, or use one group");
  } else {
    return true;
  }
  return false;
}

}  // namespace detail

}  // namespace dma::inline v0_1
