#pragma once

#include <stdexcept>

namespace dma::inline v0_1::host {

/// A kernel that cannot continue, or that breaks a barrier's rules; the message says who, where and why.
struct KernelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// No thread of a CTA can continue.
struct Deadlock : KernelError {
  using KernelError::KernelError;
};

/// A thread accesses memory that is neither its CTA's shared memory nor an array that the launch names.
struct OutOfBounds : KernelError {
  using KernelError::KernelError;
};

/// Lanes of a warp that are not converged do what only converged lanes may do.
struct UnconvergedLanes : KernelError {
  using KernelError::KernelError;
};

/// A CTA ended with copies in flight, or with arrivals or bytes pending at a barrier.
struct PendingAtExit : KernelError {
  using KernelError::KernelError;
};

/// A thread ran too long without a wait, so that no other thread could run.
struct Spin : KernelError {
  using KernelError::KernelError;
};

/// The time that was given to a CTA ended.
struct OutOfTime : KernelError {
  using KernelError::KernelError;
};

/// The process has no memory left for a run, or a run takes more than it was given.
struct OutOfMemory : KernelError {
  using KernelError::KernelError;
};

/// A tile was put into a slot, and the other side of the pipeline never waited for it.
struct UnusedTile : KernelError {
  using KernelError::KernelError;
};

}  // namespace dma::inline v0_1::host
