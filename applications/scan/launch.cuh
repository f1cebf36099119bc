#pragma once

#include "launcher.cuh"

#include <cstdint>

namespace scan {

/// Scans arrays of up to so many elements, as `Launcher` says.
template <class Operation, Kind kind>
class Scanner {
 public:
  using T = typename Operation::Value;

  /// @throw std::runtime_error  there is no GPU, or too little memory
  explicit Scanner(long long most_elements) : launcher_(most_elements) {}

  /// y[i] is `first` combined with x[0] to x[i], exclusive to x[i - 1]. y may be x.
  ///
  /// @throw std::invalid_argument  more elements than the object has room for
  void operator()(cudaStream_t stream, const T* x, T* y, long long elements, T first = Operation::nothing()) const {
    const Job<T> job{x, y, elements, first, launcher_.sums(elements)};
    if (elements > 0) {
      launcher_(stream, job, (reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(y)) % 16 == 0);
    }
  }

 private:
  Launcher<ScanKernels<Operation, kind>> launcher_;
};

}  // namespace scan
