#pragma once

/// What `Rows` does with a row: the `Sum` that it needs of the row, what it makes of each element with it, and what it
/// writes once a row.

#include "sums.hpp"

#include <dma/config.hpp>

#include <cmath>

/// What the backward of a norm needs of a row: normalized values are (x - mean) * factor.
struct RowStatistics {
  float mean;
  float factor;
};

/// Of a row, where they are wanted.
DMA_HOST_DEVICE void write_statistics(RowStatistics* statistics, int row, const RowStatistics& of_row) {
  if (statistics != nullptr) {
    statistics[row] = of_row;
  }
}

/// y = (x - mean) / sqrt(variance + epsilon) * scale + shift
template <class T>
struct LayerNormRows {
  using Sum = MomentSum;
  using Row = RowStatistics;
  static constexpr int parameter_rows = 2;
  static constexpr bool writes_elements = true;

  const T* scale;
  const T* shift;
  float epsilon;
  RowStatistics* statistics = nullptr;  ///< of each row, where they are wanted

  [[nodiscard]] DMA_HOST_DEVICE const T* parameters(int i) const { return i == 0 ? scale : shift; }
  [[nodiscard]] DMA_HOST_DEVICE Row row_of(const Sum& /*own*/, const Sum& all, int columns) const {
    return {all.moments.mean, 1.0F / sqrtf(all.moments.squares / static_cast<float>(columns) + epsilon)};
  }
  [[nodiscard]] DMA_HOST_DEVICE static float value(float x, const Row& row, const float (&parameters)[2]) {
    return (x * row.factor - row.mean * row.factor) * parameters[0] + parameters[1];
  }
  DMA_HOST_DEVICE void write(int row, const Row& of_row) const { write_statistics(statistics, row, of_row); }
};

/// y = x / sqrt(mean of the squares + epsilon) * scale
template <class T>
struct RmsNormRows {
  using Sum = SquareSum;
  using Row = RowStatistics;
  static constexpr int parameter_rows = 1;
  static constexpr bool writes_elements = true;

  const T* scale;
  float epsilon;
  RowStatistics* statistics = nullptr;  ///< of each row, where they are wanted; means of 0

  [[nodiscard]] DMA_HOST_DEVICE const T* parameters(int /*i*/) const { return scale; }
  [[nodiscard]] DMA_HOST_DEVICE Row row_of(const Sum& /*own*/, const Sum& all, int columns) const {
    return {0, 1.0F / sqrtf(all.squares / static_cast<float>(columns) + epsilon)};
  }
  [[nodiscard]] DMA_HOST_DEVICE static float value(float x, const Row& row, const float (&parameters)[1]) {
    return x * row.factor * parameters[0];
  }
  DMA_HOST_DEVICE void write(int row, const Row& of_row) const { write_statistics(statistics, row, of_row); }
};

/// y = exp(x) / (sum of the row's exp(x)), without overflow. A row of nothing but -infinity becomes NaN.
struct SoftmaxRows {
  using Sum = ExponentialSum;
  using Row = float;  ///< what this thread's exponentials are multiplied by
  static constexpr int parameter_rows = 0;
  static constexpr bool writes_elements = true;

  [[nodiscard]] DMA_HOST_DEVICE static const float* parameters(int /*i*/) { return nullptr; }
  [[nodiscard]] DMA_HOST_DEVICE static Row row_of(const Sum& own, const Sum& all, int /*columns*/) {
    return expf(own.maximum - all.maximum) / all.exponentials;
  }
  [[nodiscard]] DMA_HOST_DEVICE static float value(float exponential, Row row, const float (&)[1]) {
    return exponential * row;
  }
  DMA_HOST_DEVICE static void write(int /*row*/, Row) {}
};

/// results[r] = log(sum of exp(x) of row r), without overflow. There is no y.
struct LogSumExpRows {
  using Sum = ExponentialSum;
  using Row = float;
  static constexpr int parameter_rows = 0;
  static constexpr bool writes_elements = false;

  float* results;

  [[nodiscard]] DMA_HOST_DEVICE static const float* parameters(int /*i*/) { return nullptr; }
  [[nodiscard]] DMA_HOST_DEVICE static Row row_of(const Sum& /*own*/, const Sum& all, int /*columns*/) {
    return all.maximum + logf(all.exponentials);
  }
  DMA_HOST_DEVICE void write(int row, Row result) const { results[row] = result; }
};
