#pragma once

#include <cstddef>

namespace dma::inline v0_1::proof {

/// Where a proof or a search ends without a result. `prove` searches for the shortest schedule of what it finds,
/// 200,000 states at most; with 0 states there is none.
struct Limits {
  std::size_t states = 20'000'000;
  double seconds = 60;
  /// Of a kernel whose threads order themselves by atomics, or orders of one that cancels CTAs; in a quarter of the
  /// seconds.
  long executions = 1000;
  int atomics = 128;  ///< atomic accesses of a grid whose executions are explored
  /// Of the runs that are recorded, or of the states of a search: 4 GiB, or 1 where addresses have 32 bits.
  std::size_t bytes = std::size_t{1} << (sizeof(std::size_t) > 4 ? 32 : 30);
};

}  // namespace dma::inline v0_1::proof
