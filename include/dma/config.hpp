#pragma once

/// Language, version and the few macros of the library; everything else is C++.

#include <dma/standard.hpp>

#define DMA_VERSION_MAJOR 0
#define DMA_VERSION_MINOR 1
#define DMA_VERSION_PATCH 0
#define DMA_VERSION (DMA_VERSION_MAJOR * 10000 + DMA_VERSION_MINOR * 100 + DMA_VERSION_PATCH)

#if __cplusplus < 202002L
#error \
    "dma: needs C++20; pass -std=c++20, or link dma::dma with CMake 3.26 or newer (older ones do not know C++20 for nvcc)"
#endif

#if defined(__clang__) && defined(__CUDA__) && !defined(__NVCC__)
#error \
    "dma: clang's CUDA has no string operands in inline PTX, which cache hints use; compile kernels with nvcc or NVRTC"
#endif

/// Marks a function of both machines, always inlined on the GPU: passing a handle to a real call costs stack memory.
#if defined(__CUDACC__)
#define DMA_HOST_DEVICE __host__ __device__ __forceinline__
#define DMA_DEVICE __device__ __forceinline__
#else
#define DMA_HOST_DEVICE inline
#define DMA_DEVICE inline
#endif

/// 1: kernels check their contracts and trap with a message, and a wait that exceeds one second traps too. A larger
/// number is that limit in seconds. 0: no checks, at no cost. The host always checks.
#if !defined(DMA_CHECKED)
#define DMA_CHECKED 0
#endif

namespace dma::machine {

/// A number or an address in a message, with its name.
struct Value {
  const char* name = nullptr;
  unsigned long long bits = 0;
  bool is_address = false;

  Value() = default;
  template <class T>
  DMA_HOST_DEVICE constexpr Value(const char* its_name, T value)
      : name(its_name), bits(static_cast<unsigned long long>(static_cast<long long>(value))) {}
  template <class T>
  DMA_HOST_DEVICE Value(const char* its_name, T* address)
      : name(its_name), bits(reinterpret_cast<unsigned long long>(address)), is_address(true) {}
};

#if defined(__CUDA_ARCH__)
#if DMA_CHECKED
/// Prints the rule with the values and the position in the kernel, once a warp, and stops the kernel.
inline __device__ void stop(const char* rule, Value first = {}, Value second = {});
#endif
#else
/// The rule with the values.
[[nodiscard]] inline std::string sentence(const char* rule, const Value& first = {}, const Value& second = {}) {
  std::string text = rule;
  for (const Value& value : {first, second}) {
    if (value.name != nullptr) {
      char number[32];
      std::snprintf(number, sizeof number, value.is_address ? "0x%llx" : "%lld", value.bits);
      text += (&value == &first ? " (" : ", ") + std::string(value.name) + " " + number;
    }
  }
  return first.name == nullptr ? text : text + ")";
}
#endif

}  // namespace dma::machine

/// States a precondition: DMA_EXPECTS(condition, rule), followed by up to two `Value`s. `rule` is one sentence with the
/// component, the rule and a fix.
#if defined(__CUDA_ARCH__)
#if DMA_CHECKED
#define DMA_EXPECTS(condition, ...)      \
  do {                                   \
    if (!(condition)) {                  \
      ::dma::machine::stop(__VA_ARGS__); \
    }                                    \
  } while (false)
#else
#define DMA_EXPECTS(condition, ...) static_cast<void>(0)
#endif
#else
#define DMA_EXPECTS(condition, ...)                                  \
  do {                                                               \
    if (!(condition)) {                                              \
      throw std::logic_error(::dma::machine::sentence(__VA_ARGS__)); \
    }                                                                \
  } while (false)
#endif
