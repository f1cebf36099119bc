#pragma once

#include <dma/machine/index3.hpp>
#include <dma/proof/ptx/launch/launch_line.hpp>
#include <dma/proof/ptx/launch_state.hpp>
#include <dma/proof/ptx/program.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace dma::inline v0_1::proof::ptx::detail {

/// The CTAs of a cluster: those of the launch, or those that the entry names.
[[nodiscard]] inline Index3 cluster_of(const LaunchLine& line, const Program& program) {
  const auto& named = program.entry_code().function->cluster;
  const Index3 required{named[0], std::max(named[1], 1), std::max(named[2], 1)};
  const bool is_named = named[0] != 0;
  const Index3 cluster = is_named && line.cluster == Index3{1, 1, 1} ? required : line.cluster;
  const auto text = [](Index3 of) {
    return std::to_string(of.x) + " x " + std::to_string(of.y) + " x " + std::to_string(of.z);
  };
  if (is_named && !(required == cluster)) {
    throw std::invalid_argument("the entry requires clusters of " + text(required) +
                                " CTAs; launch it with these, or leave cluster out");
  }
  if (line.grid.x % cluster.x != 0 || line.grid.y % cluster.y != 0 || line.grid.z % cluster.z != 0) {
    throw std::invalid_argument("the grid has " + text(line.grid) + " CTAs, and a cluster " + text(cluster) +
                                "; make the grid a multiple of the cluster along each axis");
  }
  return cluster;
}
/// A CTA has whole warps, and as many threads as the entry requires.
inline void expect_threads(const LaunchState& state, const Program& program) {
  const int threads = state.threads();
  if (threads < 32 || threads % 32 != 0 || threads > 1024) {
    throw std::invalid_argument("a CTA of " + std::to_string(threads) +
                                " threads is not of whole warps, up to 1,024 threads; give a multiple of 32");
  }
  const auto& required = program.entry_code().function->threads;
  if (required[0] != 0 &&
      (required[0] != state.block.x || required[1] != state.block.y || required[2] != state.block.z)) {
    throw std::invalid_argument("the entry requires " + std::to_string(required[0]) + " x " +
                                std::to_string(required[1]) + " x " + std::to_string(required[2]) +
                                " threads; launch it with as many");
  }
}

}  // namespace dma::inline v0_1::proof::ptx::detail
