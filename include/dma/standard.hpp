#pragma once

/// The one place that includes the standard library for code that a GPU's compiler reads, and the one that chooses it:
/// the host compiler's own, or libcu++ under NVRTC, which has no other. nvcc reads the host's in a third of the time.
/// Of either, code for a GPU uses types, concepts and constants alone: functions of the host's do not run there.

#if defined(__CUDACC_RTC__)
#include <cuda/std/concepts>
#include <cuda/std/cstdint>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
namespace dma {
namespace stdlib = ::cuda::std;
}
#else
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
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
