#pragma once

#include <dma/config.hpp>

namespace dma::host {

/// Where in a kernel's source a call stands. Nothing at all on a GPU.
struct Caller {
#if defined(__CUDA_ARCH__)
  [[nodiscard]] DMA_HOST_DEVICE static constexpr Caller here() noexcept { return {}; }
#else
  const char* file = "";
  int line = 0;

  /// As a default argument: the line of the call that leaves it out.
  [[nodiscard]] static constexpr Caller here(const char* file = __builtin_FILE(),
                                             int line = __builtin_LINE()) noexcept {
    return {file, line};
  }
#endif
};

}  // namespace dma::host
