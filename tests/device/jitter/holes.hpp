#pragma once

/// Kernels with a hole in their order, which an ordinary run rarely shows, and the same kernels without it: plain
/// functions, so that Catch2 stays out of nvcc's sight.

#include <string>
#include <vector>

/// What delays made of a kernel.
struct HoleResult {
  bool is_stopped = false;          ///< by the checked build, instead of a wrong answer
  int seeds = 0;                    ///< until the first wrong answer or all of them; 0 where the first run is stopped
  int wrong_without_delay = 0;      ///< of as many runs without delays
  long long wrong_elements = 0;     ///< of the first wrong answer, 0 where there is none
  long long wrong_when_mended = 0;  ///< elements of the kernel without the hole, under every seed
};

/// The operations of two warps that took long, under a seed twice, under another, and without delays.
struct ReplayResult {
  std::vector<int> once, again, other, none;
};

ReplayResult run_replays();
std::vector<std::string> hole_names();
HoleResult run_hole(const std::string& name, int most_seeds);
/// A right kernel whose lanes part, under the seeds 0 to `seeds` - 1. @return  wrong elements, -1 where it was stopped
long long wrong_of_short_tiles(int seeds);
std::string missing_device();
