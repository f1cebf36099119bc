#pragma once

#include <dma/dma.hpp>

/// What a scan combines: associative operations of two values, each with a value that changes no other.
namespace scan {

template <class T>
struct Sum {
  using Value = T;

  [[nodiscard]] DMA_HOST_DEVICE static constexpr T nothing() { return T{}; }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr T combined(const T& left, const T& right) { return left + right; }
};

/// The largest value. @tparam T  a signed integer
template <class T>
struct Largest {
  using Value = T;
  static_assert(dma::stdlib::is_integral_v<T> && dma::stdlib::is_signed_v<T>,
                "scan::Largest: its value that changes no other is that of a signed integer; write an operation with "
                "another one");

  [[nodiscard]] DMA_HOST_DEVICE static constexpr T nothing() {
    return static_cast<T>(static_cast<T>(-1) << (8 * sizeof(T) - 1));
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr T combined(T left, T right) { return left < right ? right : left; }
};

/// x -> factor x + term. A value of a linear recurrence is what all steps to it make of the first one.
template <class T>
struct Step {
  T factor;
  T term;

  friend constexpr bool operator==(const Step&, const Step&) = default;
};
/// Steps in their order: this operation does not commute.
template <class T>
struct Compose {
  using Value = Step<T>;

  [[nodiscard]] DMA_HOST_DEVICE static constexpr Value nothing() { return {T{1}, T{0}}; }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr Value combined(const Value& left, const Value& right) {
    return {left.factor * right.factor, left.term * right.factor + right.term};
  }
};

/// A value of a segmented scan: one that begins a segment is combined with none before it.
template <class T>
struct InSegment {
  T value;
  int begins;  ///< whether a segment begins here; 0 or 1

  friend constexpr bool operator==(const InSegment&, const InSegment&) = default;
};
/// Any operation, within each segment.
template <class Operation>
struct Segmented {
  using Value = InSegment<typename Operation::Value>;

  [[nodiscard]] DMA_HOST_DEVICE static constexpr Value nothing() { return {Operation::nothing(), 0}; }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr Value combined(const Value& left, const Value& right) {
    return {right.begins != 0 ? right.value : Operation::combined(left.value, right.value), left.begins | right.begins};
  }
};

}  // namespace scan
