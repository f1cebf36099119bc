#pragma once

#include "launcher.cuh"
#include "runs.hpp"
#include "select.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace scan {

// The fastest on an H200, where they are not those of a scan: the streams of a selection have one CTA an SM.
inline constexpr TilePlan plan_of_run_tiles{.warps = 8, .vectors = 2};

/// Of tiles by rows: a thread has up to 32 elements, and 16 of bytes that begin anywhere, which need more registers.
template <class T>
[[nodiscard]] constexpr TilePlan rows_of(TilePlan plan, int warps = 8) {
  plan.warps = warps;
  plan.vectors = std::min(plan.vectors, sizeof(T) == 1 && !plan.is_aligned ? 1 : 2 * int{sizeof(T)});
  return plan;
}

/// The kernels of a selection, as `ScanKernels`. Tiles are read row by row, wherever an array begins.
template <class T, class Predicate>
struct SelectKernels {
  template <bool is_aligned>
  using Tiles = TilePerCta<TileSelect<T, Predicate, rows_of<T>(plan_of_tiles(true))>>;
  template <bool is_aligned>
  using Stream = TileStream<TileSelect<T, Predicate, rows_of<T>(plan_of_stream<T>(is_aligned), 16)>, stages>;
};
/// Those of run-length encoding.
template <class T>
struct RunKernels {
  template <bool is_aligned>
  using Tiles = TilePerCta<TileRuns<T, rows_of<T>(plan_of_run_tiles)>>;
  template <bool is_aligned>
  using Stream = TileStream<TileRuns<T, rows_of<T>(plan_of_stream<T>(is_aligned))>, stages, ctas_an_sm>;
};

/// Selects from arrays of up to so many elements, as `Launcher` says.
///
/// @tparam Predicate  a value with `bool operator()(const T&) const`, on the GPU
template <class T, class Predicate>
class Selector {
 public:
  static constexpr long long most_elements = std::numeric_limits<unsigned>::max();

  /// @throw std::runtime_error  there is no GPU, or too little memory
  explicit Selector(long long elements) : launcher_(std::min(elements, most_elements)) {}

  /// Writes the elements of x for which `keeps` is true to y, in their order, and their number to `kept`, which is in
  /// memory of the GPU. y has room for all elements, and is not x.
  ///
  /// @throw std::invalid_argument  more elements than the object has room for, or than 2^32 - 1
  void operator()(cudaStream_t stream, const T* x, T* y, long long* kept, long long elements,
                  const Predicate& keeps) const {
    launcher_(stream, {x, y, kept, elements, keeps, launcher_.sums(elements)},
              reinterpret_cast<std::uintptr_t>(x) % 16 == 0);
  }

 private:
  Launcher<SelectKernels<T, Predicate>> launcher_;
};

/// Finds the runs of equal elements in arrays of up to so many, as `Launcher` says.
template <class T>
class RunLengthEncoder {
 public:
  static constexpr long long most_elements = std::numeric_limits<int>::max();

  /// @throw std::runtime_error  there is no GPU, or too little memory
  explicit RunLengthEncoder(long long elements) : launcher_(std::min(elements, most_elements)) {}

  /// Writes the value and the length of each run, and their number to `runs`, which is in memory of the GPU. Both
  /// arrays have room for all elements, and are not x.
  ///
  /// @throw std::invalid_argument  more elements than the object has room for, or than 2^31 - 1
  void operator()(cudaStream_t stream, const T* x, T* values, int* lengths, long long* runs, long long elements) const {
    launcher_(stream, {x, values, lengths, runs, elements, launcher_.sums(elements)},
              reinterpret_cast<std::uintptr_t>(x) % 16 == 0);
  }

 private:
  Launcher<RunKernels<T>> launcher_;
};

}  // namespace scan
