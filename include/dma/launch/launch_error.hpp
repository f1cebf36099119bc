#pragma once

#include <dma/config.hpp>
#include <dma/standard.hpp>

#include <cuda_runtime.h>

namespace dma::inline v0_1 {

/// A launch that was refused or that failed; the message gives the reason and a fix.
struct LaunchError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

namespace detail {

/// @throw LaunchError  `what` failed, with CUDA's sentence; nothing for `cudaSuccess`
inline void throw_if(cudaError_t error, const char* what) {
  if (error != cudaSuccess) {
    throw_or_abort<LaunchError>(std::string("dma::launch: ") + what + ": " + cudaGetErrorString(error));
  }
}

}  // namespace detail

}  // namespace dma::v0_1
