#pragma once

#include <cstddef>

namespace dma::host {

/// Where a search ends without a result.
struct SearchLimits {
  std::size_t states = 20'000'000;
  double seconds = 60;
};

}  // namespace dma::host
