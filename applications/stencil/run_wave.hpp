#pragma once

#include "runner.hpp"

#include <string>

namespace stencil {

struct WaveOptions {
  int steps = 0;  ///< 0 for twice nz
  int every = 0;  ///< 0 for the last step alone
  std::string out = ".";
  Division division;
  std::string checkpoint;  ///< a file, or empty
  std::string resume;
};

/// Computes a wave from a point above the border of two media, and writes slices through that point.
void run_wave(Runner& runner, const WaveOptions& options, const Star<float, radius>& laplacian, int nx, int ny, int nz);

}  // namespace stencil
