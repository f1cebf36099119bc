#pragma once

/// What rows are reduced to, by threads that have equally many values each. `with` combines two sums of `count` values;
/// `exchanged` is the sum of the lane that `exchange(number)` asks. A sum that has a better way for all lanes has
/// `of_lanes` instead.

#include "layer_norm/moments.hpp"

#include <dma/config.hpp>

#include <cmath>

/// The sum of some values: four sums beside one another, so that additions need not wait for one another.
template <int Count, class ValueAt>
[[nodiscard]] DMA_HOST_DEVICE float sum_of(const ValueAt& value_at) {
  float sums[4] = {};
  for (int i = 0; i < Count; ++i) {
    sums[i % 4] += value_at(i);
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Mean and squared distances from it.
struct MomentSum {
  Moments moments;

  template <int Count>
  [[nodiscard]] DMA_HOST_DEVICE static MomentSum of(const float (&values)[Count]) {
    const float mean = sum_of<Count>([&](int i) { return values[i]; }) * (1.0F / Count);
    return {{mean, sum_of<Count>([&](int i) { return (values[i] - mean) * (values[i] - mean); })}};
  }
  [[nodiscard]] DMA_HOST_DEVICE MomentSum with(const MomentSum& other, int count) const {
    return {moments.with(other.moments, count, count)};
  }
  template <class Exchange>
  [[nodiscard]] DMA_HOST_DEVICE MomentSum exchanged(const Exchange& exchange) const {
    return {{exchange(moments.mean), exchange(moments.squares)}};
  }
};

/// Sums of squares.
struct SquareSum {
  float squares;

  template <int Count>
  [[nodiscard]] DMA_HOST_DEVICE static SquareSum of(const float (&values)[Count]) {
    return {sum_of<Count>([&](int i) { return values[i] * values[i]; })};
  }
  [[nodiscard]] DMA_HOST_DEVICE SquareSum with(const SquareSum& other, int) const { return {squares + other.squares}; }
  template <class Exchange>
  [[nodiscard]] DMA_HOST_DEVICE SquareSum exchanged(const Exchange& exchange) const {
    return {exchange(squares)};
  }
};

/// The maximum, and the sum of the exponentials of the distances from it.
///
/// Source  Milakov, Gimelshein: Online normalizer calculation for softmax (2018)
struct ExponentialSum {
  float maximum;
  float exponentials;

  /// Replaces each value by its exponential.
  template <int Count>
  [[nodiscard]] DMA_HOST_DEVICE static ExponentialSum of(float (&values)[Count]) {
    // A finite maximum, so that values of -infinity have exponentials of 0 where there are no others.
    float maximum = -3.402823466e38F;
    for (int i = 0; i < Count; ++i) {
      maximum = fmaxf(maximum, values[i]);
    }
    ExponentialSum sum{maximum, 0};
    sum.replace(values);
    sum.exponentials = sum_of<Count>([&](int i) { return values[i]; });
    return sum;
  }
  /// Each value by its exponential.
  template <int Count>
  DMA_HOST_DEVICE void replace(float (&values)[Count]) const {
    for (int i = 0; i < Count; ++i) {
      values[i] = expf(values[i] - maximum);
    }
  }
  [[nodiscard]] DMA_HOST_DEVICE ExponentialSum with(const ExponentialSum& other, int) const {
    const float both = fmaxf(maximum, other.maximum);
    return {both, exponentials * expf(maximum - both) + other.exponentials * expf(other.maximum - both)};
  }
  /// The sums of `Lanes` lanes, with one exponential a lane: the maximum first. `exchange(number, distance)` is the
  /// number of the lane at that distance.
  template <int Lanes, class Exchange>
  [[nodiscard]] DMA_HOST_DEVICE ExponentialSum of_lanes(const Exchange& exchange) const {
    float most = maximum;
    for (int distance = 1; distance < Lanes; distance *= 2) {
      most = fmaxf(most, exchange(most, distance));
    }
    float sum = exponentials * expf(maximum - most);
    for (int distance = 1; distance < Lanes; distance *= 2) {
      sum += exchange(sum, distance);
    }
    return {most, sum};
  }
};
