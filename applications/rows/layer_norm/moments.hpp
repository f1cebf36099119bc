#pragma once

#include <dma/dma.hpp>

/// Mean of some values and the sum of their squared distances from it. Two of them combine without cancellation.
///
/// Source  Chan, Golub, LeVeque: Updating formulae and a pairwise algorithm for computing sample variances (1979)
struct Moments {
  float mean;
  float squares;

  /// Those of a vector's elements.
  template <int Size>
  [[nodiscard]] DMA_HOST_DEVICE static Moments of(const dma::Vector<float, Size>& values) {
    const float mean = sum(values) * (1.0F / Size);
    return {mean, sum((values - mean) * (values - mean))};
  }

  /// Those of these values and others together, `count` and `other_count` of them.
  [[nodiscard]] DMA_HOST_DEVICE Moments with(const Moments& other, int count, int other_count) const {
    const float share = static_cast<float>(other_count) / static_cast<float>(count + other_count);
    const float distance = other.mean - mean;
    return {mean + share * distance, squares + other.squares + share * static_cast<float>(count) * distance * distance};
  }

 private:
  template <int Size>
  [[nodiscard]] DMA_HOST_DEVICE static float sum(const dma::Vector<float, Size>& values) {
    float total = values[0];
    for (int i = 1; i < Size; ++i) {
      total += values[i];
    }
    return total;
  }
};
