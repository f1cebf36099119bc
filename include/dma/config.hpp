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

/// Before a loop that the GPU's compiler shall not unroll.
#if defined(__CUDA_ARCH__)
#define DMA_DETAIL_KEEP_ROLLED _Pragma("unroll 1")
#else
#define DMA_DETAIL_KEEP_ROLLED
#endif

/// Marks a function whose loads and stores no proof sees.
#if defined(DMA_EVERY_ACCESS)
#define DMA_DETAIL_UNSEEN __attribute__((no_sanitize("thread")))
#else
#define DMA_DETAIL_UNSEEN
#endif

/// 1: kernels check their contracts and trap with a message, and a wait that exceeds one second traps too. A larger
/// number is that limit in seconds. 0: no checks, at no cost. The host always checks.
#if !defined(DMA_CHECKED)
#define DMA_CHECKED 0
#endif

/// A number other than 0: a seed for delays around each barrier operation and copy of a GPU's threads. Every seed is
/// another order of threads; `dma::set_jitter_seed` takes another one at run time. 0: no delays, at no cost.
#if !defined(DMA_JITTER)
#define DMA_JITTER 0
#endif

/// 1: a GPU's threads record these operations, to be compared with a host's. 0: nothing, at no cost.
#if !defined(DMA_DETAIL_LOG)
#define DMA_DETAIL_LOG 0
#endif

namespace dma::inline v0_1::machine {
/// The multiple that the address of a kernel body's shared memory is: the largest alignment of a tile.
inline constexpr int shared_alignment = 1024;
}  // namespace dma::inline v0_1::machine

#if !defined(__CUDACC_RTC__)
namespace dma::inline v0_1::detail {
/// The text of a message, which is cut where it is longer than any is.
class MessageText {
 public:
  /// Appends what `printf` would print.
  [[gnu::format(printf, 2, 3)]] MessageText& add(const char* format, ...) {
    std::va_list values;
    va_start(values, format);
    const int added = std::vsnprintf(text_ + length_, sizeof text_ - length_, format, values);
    va_end(values);
    const unsigned end = length_ + static_cast<unsigned>(added < 0 ? 0 : added);
    length_ = end < sizeof text_ ? end : unsigned{sizeof text_} - 1;
    return *this;
  }
  [[nodiscard]] const char* text() const noexcept { return text_; }

 private:
  char text_[1024] = {};
  unsigned length_ = 0;
};
/// What messages say of an address while the emulator runs a kernel: its array and its place there. Null: a number.
inline thread_local void (*add_name_of_address)(MessageText& message, const void* address) = nullptr;

/// An address, a name or a value as messages print it.
DMA_DETAIL_UNSEEN inline void add_value(MessageText& message, const void* address) {
  message.add(" ");
  if (add_name_of_address != nullptr) {
    add_name_of_address(message, address);
  } else {
    message.add("0x%llx", static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(address)));
  }
}
inline void add_value(MessageText& message, double value) { message.add(" %f", value); }
inline void add_value(MessageText& message, long long value) { message.add(" %lld", value); }
inline void add_value(MessageText& message, unsigned long long value) { message.add(" %llu", value); }

/// Writes a message and ends the program.
[[noreturn, gnu::cold]] inline void end_program(const MessageText& message) {
  std::fprintf(stderr, "%s\n", message.text());
  std::abort();
}
/// Throws by a function of the standard library. In a build without exceptions it writes the message and ends the
/// program.
[[noreturn, gnu::cold]] inline void throw_or_abort([[maybe_unused]] void (*throws)(const char*),
                                                   const MessageText& message) {
#if defined(__cpp_exceptions)
  throws(message.text());
#endif
  end_program(message);
}
/// @throw std::logic_error  always: a rule followed by the values that break it, "... [index 40, end 32]". `values` are
///                          a name and a value in turn
template <class... Values>
[[noreturn, gnu::noinline, gnu::cold]] void refuse_values(const char* rule, Values... values) {
  MessageText message;
  message.add("%s", rule);
  [[maybe_unused]] const char* before = " [";
  [[maybe_unused]] const auto add = [&](auto value) {
    if constexpr (std::is_same_v<decltype(value), const char*>) {
      message.add("%s%s", before, value);
      before = ", ";
    } else {
      add_value(message, value);
    }
  };
  (add(values), ...);
  throw_or_abort(std::__throw_logic_error, sizeof...(Values) == 0 ? message : message.add("]"));
}
/// A name or a value as one of five types.
template <class Value>
[[nodiscard]] constexpr auto widened(const Value& value) {
  if constexpr (std::is_array_v<Value>) {
    return static_cast<const char*>(value);
  } else if constexpr (std::is_pointer_v<Value>) {
    return static_cast<const void*>(value);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return static_cast<double>(value);
  } else if constexpr (std::is_signed_v<Value>) {
    return static_cast<long long>(value);
  } else {
    return static_cast<unsigned long long>(value);
  }
}
/// Apart from the functions that call it, of which there are thousands in a program with many pipelines, and one
/// function for all pipelines: no type of theirs is in its name.
///
/// @throw std::logic_error  always
template <class... Values>
[[noreturn, gnu::always_inline]] inline void refuse(const char* rule, const Values&... values) {
  refuse_values(rule, widened(values)...);
}
}  // namespace dma::inline v0_1::detail
#endif

/// States a precondition: `rule` is one sentence with the component, the rule and a fix. The values that follow it,
/// each after its name, become part of the message.
#if defined(__CUDA_ARCH__)
#if DMA_CHECKED
#define DMA_EXPECTS(condition, rule, ...)                    \
  do {                                                       \
    if (!(condition)) {                                      \
      ::dma::machine::stop(rule __VA_OPT__(, ) __VA_ARGS__); \
    }                                                        \
  } while (false)
#else
#define DMA_EXPECTS(condition, rule, ...) static_cast<void>(0)
#endif
#else
#define DMA_EXPECTS(condition, rule, ...)                     \
  do {                                                        \
    if (!(condition)) {                                       \
      ::dma::detail::refuse(rule __VA_OPT__(, ) __VA_ARGS__); \
    }                                                         \
  } while (false)
#endif
