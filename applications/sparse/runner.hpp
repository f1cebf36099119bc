#pragma once

/// Multiplies on the GPU (device.cu) or on the emulator (host.cpp). Arrays of the caller are in host memory.

#include "matrices.hpp"
#include "plan.hpp"

#include <string>
#include <vector>

namespace sparse {

/// A matrix times a vector, or times a panel of 8 columns or a multiple of 8.
struct Product {
  const Matrix& a;
  const Plan& plan;
  int columns = 1;
  const std::vector<float>& b;  ///< by rows
};

struct Runner {
  virtual ~Runner() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::vector<float> run(const Product& product) = 0;
  /// Seconds of one product, of matrices that are not in a cache; 0 where nothing is measured.
  [[nodiscard]] virtual double time(const Product&) { return 0; }
};

Runner& host_runner();
/// Null where there is no GPU; `reason` then holds the reason.
Runner* device_runner(std::string& reason);

}  // namespace sparse
