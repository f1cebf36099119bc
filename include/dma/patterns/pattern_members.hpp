#pragma once

#include <dma/config.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>

/// Checks that a pattern's members can be called on the GPU. A member function without `DMA_HOST_DEVICE` (or
/// `__device__`) is an error here, in functions for the GPU alone. Called from a function of both machines it would
/// only be a warning, and the kernel would copy or read garbage.
namespace dma::inline v0_1::detail {

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

}  // namespace dma::v0_1::detail
