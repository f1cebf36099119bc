#pragma once

#include <dma/config.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1::detail {

/// Whether a type has a buffering's members: no pattern has them.
template <class T>
concept LooksLikeBuffering = (requires { T::first_group; }) || (requires {
                               typename T::Layout;
                               &T::stages_for;
                             });

/// Optional properties as direct members of a pattern, which no engine reads.
template <class Pattern>
concept HasStrayPatternTraits = (requires { Pattern::runs_are_uniform; }) || (requires { Pattern::is_indexed; }) ||
                                (requires { Pattern::tile_alignment; });
/// A member `traits` that is not a `PatternTraits`.
template <class Pattern>
concept HasOtherPatternTraits = (requires { Pattern::traits; }) &&
                                !stdlib::is_same_v<decltype(Pattern::traits), const PatternTraits>;

/// The pattern says the pitch of its runs in global memory, in bytes.
template <class Pattern>
concept HasGlobalPitch = requires(const Pattern pattern) {
  pattern.global_pitch_bytes();
};

/// At least one of the members by which a pattern describes its padding.
template <class Pattern>
concept HasSomePadding = (requires(const Pattern pattern) { pattern.is_padding(0); }) ||
                         (requires { Pattern::place_of(0); }) ||
                         (requires(const Pattern pattern) { pattern.fill_value(); });

template <class Pattern>
[[nodiscard]] consteval bool keeps_pattern_contract();

/// The same for each part of a composition.
template <class Pattern, int... Parts>
[[nodiscard]] consteval bool parts_keep_pattern_contract(stdlib::integer_sequence<int, Parts...>) {
  return (keeps_pattern_contract<PartOf<Pattern, Parts>>() && ...);
}

/// Whether a type is a pattern. If it is not, one sentence names the first member of `TransferPattern`, or of its
/// optional members, that is missing or has another form.
template <class Pattern>
[[nodiscard]] consteval bool keeps_pattern_contract() {
  if constexpr (LooksLikeBuffering<Pattern>) {
    static_assert(always_false<Pattern>,
                  "dma::DmaPipeline: its first argument is a buffering, where the pattern belongs; write "
                  "DmaPipeline<Pattern, Buffering, Barrier, Engine>");
  } else if constexpr (!requires { typename Pattern::Element; }) {
    static_assert(always_false<Pattern>,
                  "dma::TransferPattern: this pattern has no 'Element'; add 'using Element = ...;', the type of the "
                  "tile's elements");
  } else if constexpr (!requires { requires IsInt<decltype(Pattern::tile_bytes)>; }) {
    static_assert(always_false<Pattern>,
                  "dma::TransferPattern: this pattern has no 'tile_bytes'; add 'static constexpr int tile_bytes = "
                  "...;', the shared memory that one tile takes");
  } else if constexpr (!requires { requires IsInt<decltype(Pattern::max_run_count)>; }) {
    static_assert(always_false<Pattern>,
                  "dma::TransferPattern: this pattern has no 'max_run_count'; add 'static constexpr int "
                  "max_run_count = ...;', the runs of a full tile");
  } else if constexpr (!requires { requires IsInt<decltype(Pattern::max_run_bytes)>; }) {
    static_assert(always_false<Pattern>,
                  "dma::TransferPattern: this pattern has no 'max_run_bytes'; add 'static constexpr int "
                  "max_run_bytes = ...;', the bytes of its longest run");
  } else if constexpr (!requires { requires IsInt<decltype(Pattern::run_alignment)>; }) {
    static_assert(always_false<Pattern>,
                  "dma::TransferPattern: this pattern has no 'run_alignment'; add 'static constexpr int "
                  "run_alignment = ...;', the power of two that divides every address and pitch");
  } else if constexpr (!requires { Pattern{}; }) {
    static_assert(always_false<Pattern>,
                  "dma::TransferPattern: this pattern has no default value, which is its full tile; give each of "
                  "its members an initializer");
  } else if constexpr (!requires(const Pattern pattern) {
                         requires stdlib::is_same_v<decltype(pattern.size()), int>;
                       }) {
    static_assert(
        always_false<Pattern>,
        "dma::TransferPattern: this pattern has no const 'size'; add 'constexpr int size() const', the number of "
        "elements in the tile");
  } else if constexpr (!requires(const Pattern pattern) {
                         requires stdlib::is_same_v<decltype(pattern.run_count()), int>;
                       }) {
    static_assert(always_false<Pattern>,
                  "dma::TransferPattern: this pattern has no const 'run_count'; add 'constexpr int run_count() const', "
                  "the runs of this value");
  } else if constexpr (!requires(const Pattern pattern) {
                         requires stdlib::is_same_v<decltype(pattern.run_at(0)), Run>;
                       }) {
    static_assert(
        always_false<Pattern>,
        "dma::TransferPattern: this pattern has no const 'run_at'; add 'constexpr dma::Run run_at(int run) const', "
        "the offsets of a run on both sides and its bytes");
  } else if constexpr (!requires(const Pattern pattern) {
                         requires stdlib::is_same_v<decltype(pattern.is_full()), bool>;
                       }) {
    static_assert(
        always_false<Pattern>,
        "dma::TransferPattern: this pattern has no const 'is_full'; add 'constexpr bool is_full() const', true "
        "of the full tile, which is the default value");
  } else if constexpr (!stdlib::is_trivially_copyable_v<Pattern>) {
    static_assert(always_false<Pattern>,
                  "dma::TransferPattern: this pattern is not trivially copyable, and kernels pass it by value; keep "
                  "numbers and plain pointers in it");
  } else if constexpr (HasOtherPatternTraits<Pattern>) {
    static_assert(always_false<Pattern>,
                  "dma::TransferPattern: this pattern's 'traits' is not a dma::PatternTraits; declare it 'static "
                  "constexpr dma::PatternTraits traits{...};', or give it another name");
  } else if constexpr (HasMisnamedTraits<Pattern, PatternTraits>) {
    static_assert(always_false<Pattern>,
                  "dma::TransferPattern: this pattern has its dma::PatternTraits under another name than 'traits', "
                  "which no engine reads; name the member 'traits'");
  } else if constexpr (HasStrayPatternTraits<Pattern>) {
    static_assert(always_false<Pattern>,
                  "dma::TransferPattern: this pattern has runs_are_uniform, is_indexed or tile_alignment as a "
                  "member of its own, which no engine reads; put it into 'static constexpr dma::PatternTraits "
                  "traits{...};'");
  } else if constexpr (HasGlobalPitch<Pattern> &&
                       !requires { requires IsInt<decltype(Pattern::shared_pitch_bytes)>; }) {
    static_assert(always_false<Pattern>,
                  "dma::TransferPattern: this pattern has 'global_pitch_bytes()' and no 'shared_pitch_bytes', so no "
                  "engine would use it; add 'static constexpr int shared_pitch_bytes = ...;'");
  } else if constexpr (HasGlobalPitch<Pattern> && TransferPattern<Pattern> && !AffinePattern<Pattern>) {
    static_assert(always_false<Pattern>,
                  "dma::TransferPattern: this pattern's 'global_pitch_bytes()' is not of the form that engines use; "
                  "declare it 'constexpr long long global_pitch_bytes() const', negative where runs go backwards, and "
                  "set runs_are_uniform of the pattern's traits");
  } else if constexpr (HasSomePadding<Pattern> && !PaddedPattern<Pattern>) {
    static_assert(always_false<Pattern>,
                  "dma::TransferPattern: this pattern has some of 'count', 'place_of(int)', 'is_padding(int)' and "
                  "'fill_value()' and engines fill padding by all four (dma::PaddedPattern); add the others");
  } else if constexpr (requires { Pattern::part_count; } && !CompositePattern<Pattern>) {
    static_assert(
        always_false<Pattern>,
        "dma::TransferPattern: this pattern has some of 'part_count', 'part<I>()' and 'part_shared_bytes<I>()' and "
        "engines take a pattern apart by all three (dma::CompositePattern); add the others");
  } else if constexpr (!TransferPattern<Pattern>) {
    static_assert(always_false<Pattern>,
                  "dma::TransferPattern: this type satisfies no pattern's contract; add the members that "
                  "docs/guide/reference/contracts.md lists");
  } else if constexpr (CompositePattern<Pattern>) {
    return parts_keep_pattern_contract<Pattern>(stdlib::make_integer_sequence<int, Pattern::part_count>{});
  } else {
    return true;
  }
  return false;
}

/// The type of a pattern's elements; some type of one that has none.
template <class Pattern>
struct ElementOf {
  using Type = float;
};
template <class Pattern>
  requires requires { typename Pattern::Element; }
struct ElementOf<Pattern> {
  using Type = typename Pattern::Element;
};

/// Keeps the contract in the place of a broken pattern, of whose values it is made where a kernel passes one.
template <class Element_>
struct StandInPattern {
  using Element = Element_;
  static constexpr int tile_bytes = 16 * sizeof(Element);
  static constexpr int max_run_count = 1;
  static constexpr int max_run_bytes = tile_bytes;
  static constexpr int run_alignment = 16;

  StandInPattern() = default;
  template <class Broken>
  DMA_HOST_DEVICE constexpr StandInPattern(const Broken& /*pattern*/) noexcept {}
  DMA_HOST_DEVICE constexpr int size() const { return 16; }
  DMA_HOST_DEVICE constexpr int run_count() const { return 1; }
  DMA_HOST_DEVICE constexpr Run run_at(int /*run*/) const { return {0, 0, tile_bytes}; }
  DMA_HOST_DEVICE constexpr bool is_full() const { return true; }
  template <class... Indices>
  DMA_HOST_DEVICE static constexpr int index(const Indices&... /*indices*/) {
    return 0;
  }
};

// Checks that a pattern's members can be called on the GPU. A member function without `DMA_HOST_DEVICE` (or
// `__device__`) is an error here, in functions for the GPU alone. Called from a function of both machines it would
// only be a warning, and the kernel would copy or read garbage.

/// Calls of all members that a pattern has.
struct PatternMembers {
  template <class Pattern>
  DMA_DEVICE static void on_device(const Pattern& pattern) {
    // Outside of the branch: some kernels are compiled otherwise if these are in it too.
    static_cast<void>(pattern.is_full());
    static_cast<void>(pattern.size());
    static_cast<void>(pattern.run_count());
    static_cast<void>(pattern.run_at(0));
    constexpr bool never_now = false;
    if (never_now) {
      call_each(pattern);
    }
  }

 private:
  template <class Pattern>
  DMA_DEVICE static void call_each(const Pattern& pattern) {
    static_cast<void>(pattern.is_full());
    static_cast<void>(pattern.size());
    static_cast<void>(pattern.run_count());
    static_cast<void>(pattern.run_at(0));
    if constexpr (requires { pattern.is_valid(); }) {
      static_cast<void>(pattern.is_valid());
    }
    if constexpr (requires { pattern.global_pitch_bytes(); }) {
      static_cast<void>(pattern.global_pitch_bytes());
    }
    if constexpr (requires { pattern.box(); }) {
      static_cast<void>(pattern.box());
    }
    // Of one signature: a template may take arguments that its part does not.
    if constexpr (requires { &Pattern::index; }) {
      if constexpr (requires { pattern.index(0); }) {
        static_cast<void>(pattern.index(0));
      } else if constexpr (requires { pattern.index(0, 0); }) {
        static_cast<void>(pattern.index(0, 0));
      } else if constexpr (requires { pattern.index(0, 0, 0); }) {
        static_cast<void>(pattern.index(0, 0, 0));
      }
    }
    if constexpr (PaddedPattern<Pattern>) {
      static_cast<void>(Pattern::place_of(0));
      static_cast<void>(pattern.is_padding(0));
      static_cast<void>(pattern.fill_value());
    }
    if constexpr (HasCustomLoad<Pattern>) {
      pattern.template load_tile<32>(nullptr, nullptr, 0);
    }
    if constexpr (HasCustomStore<Pattern>) {
      pattern.template store_tile<32>(nullptr, nullptr, 0);
    }
    if constexpr (CompositePattern<Pattern>) {
      call_each_of_parts(pattern, stdlib::make_integer_sequence<int, Pattern::part_count>{});
    }
  }
  template <class Pattern, int... Parts>
  DMA_DEVICE static void call_each_of_parts(const Pattern& pattern, stdlib::integer_sequence<int, Parts...>) {
    (call_each(pattern.template part<Parts>()), ...);
    (static_cast<void>(Pattern::template part_shared_bytes<Parts>()), ...);
  }
};

}  // namespace dma::inline v0_1::detail
