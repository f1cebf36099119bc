#pragma once

/// What a GPU's threads did: plain functions, so that Catch2 stays out of nvcc's sight.

#include <dma/machine/gpu/device_log.hpp>
#include <dma/machine/index3.hpp>

#include <string>
#include <vector>

struct LoggedRun {
  std::string name;
  dma::Index3 blocks;
  int threads = 0;                                             ///< of a CTA
  std::vector<std::vector<dma::machine::LoggedStep>> steps{};  ///< of each thread of the grid
};

/// The kernel of the examples that differs between the machines on purpose.
inline constexpr const char* differing_kernel = "one that differs";

std::string missing_device();
std::vector<LoggedRun> run_examples();
std::vector<LoggedRun> run_applications();
std::vector<LoggedRun> run_clusters();
std::vector<LoggedRun> run_patterns();
std::vector<LoggedRun> run_tensor_kernels();
std::vector<LoggedRun> run_right_kernels();
