#pragma once

/// The one place that includes the standard library for code that a GPU's compiler reads, and that chooses which one.
/// It is the host compiler's own, which nvcc reads in a third of the time, or libcu++ under NVRTC, which has no other.
/// Code for a GPU uses only its types, concepts and constants: functions of the host's library do not run there.

#if defined(__CUDACC_RTC__)
#include <cuda/std/concepts>
#include <cuda/std/cstdint>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
namespace dma::inline v0_1 {
namespace stdlib = ::cuda::std;
}
#else
#include <concepts>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <source_location>
#include <type_traits>
#include <utility>
// `std::__throw_logic_error` and its like, which either library has. nvcc takes as long to read <stdexcept>, which
// needs <string>, as for all of a kernel's own headers.
#if defined(__GLIBCXX__)
#include <bits/functexcept.h>
#else
#include <stdexcept>
#endif
namespace dma::inline v0_1 {
namespace stdlib = ::std;
}
#endif

namespace dma::inline v0_1::detail {

/// False for all types, but only once instantiated: for a static_assert in code that must not be used.
template <class... Types>
inline constexpr bool always_false = false;

/// A type that converts to `int`.
template <class T>
concept IsInt = stdlib::is_convertible_v<T, int>;

}  // namespace dma::inline v0_1::detail
