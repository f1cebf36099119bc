#pragma once

#include <cstddef>

namespace dma::inline v0_1::proof {

/// Where a proof or a search ends without a result. `prove` searches for the shortest schedule of what it finds,
/// 200,000 states at most; with 0 states there is none.
struct Limits {
  std::size_t states = 20'000'000;
  double seconds = 60;
  std::size_t bytes = std::size_t{4} << 30;  ///< of the runs that are recorded, or of the states of a search
};

}  // namespace dma::inline v0_1::proof
