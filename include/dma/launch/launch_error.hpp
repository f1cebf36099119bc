#pragma once

#include <dma/config.hpp>
#include <dma/standard.hpp>

#include <cuda_runtime.h>

namespace dma::inline v0_1 {

/// A launch that was refused or that failed; the message gives the reason and a fix.
class LaunchError : public std::exception {
 public:
  explicit LaunchError(const detail::MessageText& message) noexcept : message_(message) {}

  [[nodiscard]] const char* what() const noexcept override { return message_.text(); }

 private:
  detail::MessageText message_;
};

namespace detail {

/// For `throw_if`: no device can be asked.
inline constexpr const char* no_device = "no device can be used; look at it with nvidia-smi";
/// For `throw_if`: the CTAs or clusters that a device holds at a time.
inline constexpr const char* occupancy_unknown =
    "the occupancy is unknown; compile the kernel for the device's architecture";
/// For `throw_if`: the opt-in to more than 48 KB.
inline constexpr const char* shared_refused =
    "the device does not give a CTA the shared memory that the body declares; use fewer stages or smaller tiles";
/// For `throw_if`: an event, a graph or a copy of a measurement.
inline constexpr const char* timing_failed =
    "a launch cannot be timed, or a kernel before it failed; run a checked build (DMA_CHECKED=1), which names what is "
    "wrong";
/// For `throw_if`: CUDA refuses the launch itself.
inline constexpr const char* launch_failed =
    "the launch failed, or a kernel before it; run a checked build (DMA_CHECKED=1), which names what is wrong";

/// @throw LaunchError  always; in a build without exceptions it writes the message and ends the program
[[noreturn, gnu::cold]] inline void refuse_launch(const MessageText& message) {
#if defined(__cpp_exceptions)
  throw LaunchError(message);
#else
  end_program(message);
#endif
}

/// @throw LaunchError  `what` failed, with CUDA's sentence; nothing for `cudaSuccess`
inline void throw_if(cudaError_t error, const char* what) {
  if (error != cudaSuccess) {
    const bool has_no_device =
        error == cudaErrorInsufficientDriver || error == cudaErrorNoDevice || error == cudaErrorStubLibrary;
    refuse_launch(
        MessageText().add("dma::launch: %s: %s", has_no_device ? no_device : what, cudaGetErrorString(error)));
  }
}

}  // namespace detail

}  // namespace dma::inline v0_1
