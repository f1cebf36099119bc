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
  class Frame {
   public:
    [[nodiscard]] std::uint64_t* values(unsigned lane) noexcept { return values_.data() + lane; }
    [[nodiscard]] const std::uint64_t* values(unsigned lane) const noexcept { return values_.data() + lane; }
    [[nodiscard]] Unknown* unknown(unsigned lane) noexcept { return unknown_.data() + lane; }
    /// A lane enters the function: none of its registers is written. What no lane has used is cleared for all at once.
    void begin(unsigned lane) {
      const std::uint32_t mine = std::uint32_t{1} << lane;
      if ((clear_ & mine) == 0) {
        for (std::size_t place = lane; place < values_.size(); place += lanes) {
          values_[place] = 0;
          unknown_[place] = unwritten_register;
        }
      }
      clear_ &= ~mine;
    }

   private:
    friend class WarpRegisters;
    void clear(std::size_t registers) {
      values_.assign(registers * lanes, 0);
      unknown_.assign(registers * lanes, unwritten_register);
      clear_ = ~std::uint32_t{0};
    }

    std::vector<std::uint64_t> values_;
    std::vector<Unknown> unknown_;
    std::uint32_t clear_ = 0;  ///< lanes that have not entered since
  };

  /// @param cta    among those that run together
  /// @param depth  of the call
  [[nodiscard]] Frame& of(int cta, unsigned warp, std::size_t depth, int function, std::size_t registers) {
    const auto [frame, is_new] = frames_.try_emplace({cta, warp, depth, function});
    if (is_new) {
      frame->second.clear(registers);
    }
    return frame->second;
  }
  /// A CTA begins, after the one that had its number.
  void begin_cta(int cta) {
    for (auto frame = frames_.lower_bound({cta, 0, 0, 0}); frame != frames_.end() && std::get<0>(frame->first) == cta;
         ++frame) {
      frame->second.clear(frame->second.values_.size() / lanes);
    }
  }

 private:
  std::map<std::tuple<int, unsigned, std::size_t, int>, Frame> frames_;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
