#pragma once

/// The one place that chooses a standard library: libcu++ where its headers are found, the compiler's own elsewhere, so
/// that patterns and pipelines are unit-tested on machines that have no CUDA Toolkit.

#if __has_include(<cuda/std/type_traits>)
#include <cuda/std/concepts>
#include <cuda/std/cstdint>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
namespace dma {
namespace stdlib = ::cuda::std;
}
#else
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>
namespace dma {
namespace stdlib = ::std;
}
#endif

namespace dma {

/// False whatever the types are, but only once they are known: for a rule that breaks by being used.
template <class... Types>
inline constexpr bool always_false = false;

template <class T>
concept IsInt = stdlib::is_convertible_v<T, int>;

}  // namespace dma
