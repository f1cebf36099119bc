#pragma once

#include <dma/config.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

/// A constant as an argument. It converts on a GPU too, where the conversion of `std::integral_constant` is a host
/// function.
template <auto Value>
struct Constant {
  static constexpr auto value = Value;
  [[nodiscard]] DMA_HOST_DEVICE constexpr operator decltype(Value)() const noexcept { return Value; }
};

/// Calls `body` with the constants 0 to Count - 1, in order. Arrays that they index stay in registers, whether or not
/// the optimizer unrolls loops.
template <int Count, class Body>
DMA_HOST_DEVICE constexpr void unrolled(Body&& body) {
  [&]<int... Steps>(stdlib::integer_sequence<int, Steps...>) { (body(Constant<Steps>{}), ...); }
  (stdlib::make_integer_sequence<int, Count>{});
}

}  // namespace dma::inline v0_1
