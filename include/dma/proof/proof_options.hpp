#pragma once

#include <dma/proof/search/search_limits.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace dma::host {

/// How a kernel is recorded and judged.
struct ProofOptions {
  unsigned first_seed = 0;  ///< of the runs: `launch` with the same seed makes the same run
  int seeds = 6;            ///< runs that must do the same operations and give the same outputs (`ThreadOrder`)
  /// Global memory that the kernel writes: restored before each run, compared after it.
  std::vector<std::span<std::byte>> outputs = {};
  SearchLimits limits = {};
};

/// The bytes of an array, as one of `ProofOptions::outputs`.
template <class Range>
[[nodiscard]] std::span<std::byte> output(Range& range) {
  return std::as_writable_bytes(std::span(range));
}

}  // namespace dma::host
