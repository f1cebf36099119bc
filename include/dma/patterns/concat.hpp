#pragma once

#include <dma/config.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/pattern_contract.hpp>
#include <dma/patterns/store.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

namespace detail {

/// One part of a `Concat`. The index makes two parts of the same type different base classes.
template <int Index, class Part>
struct ConcatPart {
  Part part = {};
};

/// The parts of a `Concat` with their places in the tile.
template <class Indices, class... Parts>
struct ConcatParts;
template <int... Indices, class... Parts>
struct ConcatParts<stdlib::integer_sequence<int, Indices...>, Parts...> : ConcatPart<Indices, Parts>... {
  constexpr ConcatParts() = default;
  DMA_HOST_DEVICE constexpr explicit ConcatParts(const Parts&... parts) : ConcatPart<Indices, Parts>{parts}... {}
};

/// Bytes at which the `index`-th of these patterns begins when they follow one another; for their number, the total.
template <class... Parts>
[[nodiscard]] consteval int concat_bytes(int index) {
  constexpr int sizes[] = {Parts::tile_bytes...};
  constexpr int units[] = {placement_bytes<Parts>()...};
  int end = 0;
  for (int i = 0; i < index; ++i) {
    end = round_up(end, units[i]) + sizes[i];
  }
  return index < static_cast<int>(sizeof...(Parts)) ? round_up(end, units[index]) : end;
}

/// The alignment that all runs of a composition have. Of several runs each is a multiple of it; a part of one run may
/// end after any element.
template <class... Parts>
[[nodiscard]] consteval int concat_alignment() {
  int alignment = 16;
  const auto narrow = [&](int other) { alignment = other < alignment ? other : alignment; };
  (narrow(Parts::run_alignment), ...);
  ((Parts::max_run_count > 1 ? void() : narrow(natural_alignment(sizeof(typename Parts::Element)))), ...);
  return alignment;
}

}  // namespace detail

/// Several patterns in one slot, one after another: for example a block and its halo behind one barrier.
///
/// Global  each part as its pattern says, all from the same address; by `TensorCopy` each may be of an array of its own
///         (`of`)
/// Shared  the parts in order, each at the next multiple of its `tile_alignment` (128 bytes by default) that is also a
///         whole number of elements; an element of part I at index `index_of<I>(...)`
/// Cost    that of its parts, one after another; the first part's reads are issued before the wait for an empty slot
///
/// `Concat{A{...}, B{...}}` has these values, `Concat<A, B>{}` the full ones. `size()` counts the elements of the
/// parts, without the gaps between them.
///
/// @pre The global address is a multiple of every part's `run_alignment`; `DmaPipeline::source_alignment` is the
/// widest.
/// @pre Parts have elements of one type and are neither compositions nor stores: `Store<Concat<A, B>>` stores all.
template <class First, class... Rest>
struct Concat : detail::ConcatParts<stdlib::make_integer_sequence<int, 1 + sizeof...(Rest)>, First, Rest...> {
  static_assert((detail::keeps_pattern_contract<First>() && ... && detail::keeps_pattern_contract<Rest>()));

  using Element = typename First::Element;

  static_assert((stdlib::is_same_v<typename Rest::Element, Element> && ...),
                "dma::Concat: its parts have different Elements, and a slot has elements of one type; use patterns of "
                "one element, or a pipeline for each");
  static_assert(!CompositePattern<First> && (!CompositePattern<Rest> && ...),
                "dma::Concat: a part is itself a composition, and engines take parts apart once; name its parts one by "
                "one instead");
  static_assert(!detail::is_store<First> && (!detail::is_store<Rest> && ...),
                "dma::Concat: a part is a dma::Store, and a tile moves in one direction; put dma::Store around the "
                "Concat");
  static_assert(!detail::is_update<First> && (!detail::is_update<Rest> && ...),
                "dma::Concat: a part is a dma::Update, and all parts move alike; put dma::Update around the Concat");

  static constexpr int part_count = 1 + static_cast<int>(sizeof...(Rest));
  static constexpr int tile_bytes = detail::concat_bytes<First, Rest...>(part_count);
  static constexpr int max_run_count = (First::max_run_count + ... + Rest::max_run_count);
  static constexpr int max_run_bytes = [] {
    int longest = First::max_run_bytes;
    ((longest = Rest::max_run_bytes > longest ? Rest::max_run_bytes : longest), ...);
    return longest;
  }();
  static constexpr int run_alignment = detail::concat_alignment<First, Rest...>();
  static constexpr PatternTraits traits{.tile_alignment = [] {
    int widest = detail::tile_alignment_of<First>();
    ((widest = detail::tile_alignment_of<Rest>() > widest ? detail::tile_alignment_of<Rest>() : widest), ...);
    return widest;
  }()};

  constexpr Concat() = default;
  DMA_HOST_DEVICE constexpr explicit Concat(const First& first, const Rest&... rest)
      : detail::ConcatParts<stdlib::make_integer_sequence<int, 1 + sizeof...(Rest)>, First, Rest...>(first, rest...) {}

  template <int Index>
  [[nodiscard]] DMA_HOST_DEVICE constexpr const auto& part() const noexcept {
    return part_of<Index>(*this);
  }
  template <int Index>
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int part_shared_bytes() noexcept {
    constexpr int bytes = detail::concat_bytes<First, Rest...>(Index);
    return bytes;
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_full() const noexcept { return detail::parts_are_full(*this); }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int size() const noexcept {
    int elements = 0;
    for_each_part(*this, [&](const auto& part, int, auto) { elements += part.size(); });
    return elements;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int run_count() const noexcept { return detail::run_count_of_parts(*this); }
  [[nodiscard]] DMA_HOST_DEVICE constexpr Run run_at(int run) const { return detail::run_of_parts(*this, run); }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_valid() const noexcept { return detail::parts_are_valid(*this); }

  /// The index in the tile of the element that part `Index` has at `Part::index(at...)`.
  template <int Index, class... Coordinates>
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int index_of(Coordinates... at) noexcept {
    using Part = stdlib::remove_cvref_t<decltype(part_of<Index>(stdlib::declval<const Concat&>()))>;
    return part_shared_bytes<Index>() / static_cast<int>(sizeof(Element)) + Part::index(at...);
  }

 private:
  template <int Index, class Part>
  [[nodiscard]] DMA_HOST_DEVICE static constexpr const Part& part_of(
      const detail::ConcatPart<Index, Part>& holder) noexcept {
    return holder.part;
  }
};

}  // namespace dma::inline v0_1
