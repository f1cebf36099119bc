#pragma once

#include <stdexcept>

namespace dma::host {

/// A kernel that cannot continue, or that breaks a barrier's rules; the message says who, where and why.
struct KernelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// No thread of a CTA can continue.
struct Deadlock : KernelError {
  using KernelError::KernelError;
};

}  // namespace dma::host
