#pragma once

#include <dma/proof/ptx/values/unknown.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// The registers of the threads of a run. Those of one number are side by side for the lanes of a warp, which run one
/// after another through the same instructions: a line of the cache serves eight of them.
class WarpRegisters {
 public:
  static constexpr std::size_t lanes = 32;

  /// Of a function that lanes of a warp run: register `reg` of a lane is at `reg * lanes + lane`.
  struct Frame {
    std::vector<std::uint64_t> values;
    std::vector<Unknown> unknown;
  };

  /// @param cta    among those that run together
  /// @param depth  of the call
  [[nodiscard]] Frame& of(int cta, unsigned warp, std::size_t depth, int function, std::size_t registers) {
    const auto [frame, is_new] = frames_.try_emplace({cta, warp, depth, function});
    if (is_new) {
      frame->second.values.resize(registers * lanes);
      frame->second.unknown.resize(registers * lanes);
    }
    return frame->second;
  }

 private:
  std::map<std::tuple<int, unsigned, std::size_t, int>, Frame> frames_;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
