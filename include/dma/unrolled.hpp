#pragma once

#include <dma/config.hpp>
#include <dma/standard.hpp>

namespace dma {

/// Calls `body` with the constants 0 to Count - 1, in order. What they index stays in registers, whatever the optimizer
/// makes of loops.
#if defined(__CUDACC__)
#pragma nv_exec_check_disable  // a body may be one for the host only, in a function for the host only
#endif
template <int Count, class Body>
DMA_HOST_DEVICE constexpr void unrolled(Body&& body) {
  [&]<int... Steps>(stdlib::integer_sequence<int, Steps...>) { (body(stdlib::integral_constant<int, Steps>{}), ...); }
  (stdlib::make_integer_sequence<int, Count>{});
}

}  // namespace dma
