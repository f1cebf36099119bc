#pragma once

#include "look_back.hpp"

#include <dma/dma.hpp>

namespace scan {

/// How tiles are divided among threads: each of `warps` warps has `vectors` vectors a lane of a tile.
struct TilePlan {
  int warps;
  int vectors;
  int looks = 1;           ///< tiles that a thread looks back at, at most
  bool is_aligned = true;  ///< whether arrays begin on 16 bytes; otherwise elements move one by one
};

/// The sum of a tile: that of a warp first, then that of the CTA, then what is before it.
template <class Operation, TilePlan plan>
class TileSum {
 public:
  using Sum = typename Operation::Value;
  static constexpr int warps = plan.warps;
  static constexpr int threads = 32 * warps;
  static constexpr bool is_aligned = plan.is_aligned;
  static constexpr int most_looks = plan.looks * threads;  ///< tiles that a CTA looks back at, at most

  /// Of a CTA, in shared memory.
  struct Shared {
    Sum warps[2][plan.warps];   ///< the sums of the warps of a tile, by turns
    Sum looked[2][plan.warps];  ///< the sums of the tiles that each warp has looked at, by turns
    unsigned launch;
  };

  /// The sum of the tile, once all warps are done; what is before each warp. Collective over the CTA, with one
  /// synchronization.
  ///
  /// @param of_warps  not those of the tile before, which other warps may still read
  DMA_HOST_DEVICE void meet(const dma::Cta& cta, Sum (&of_warps)[plan.warps]) {
    if (cta.lane() == 0) {
      of_warps[cta.warp()] = sum_;
    }
    cta.sync();
    before_warp_ = Operation::nothing();
    sum_ = of_warps[0];
    dma::unrolled<plan.warps - 1>([&](auto w) {
      if (cta.warp() == w + 1) {
        before_warp_ = sum_;
      }
      sum_ = Operation::combined(sum_, of_warps[w + 1]);
    });
  }
  [[nodiscard]] DMA_HOST_DEVICE const Sum& sum() const { return sum_; }
  [[nodiscard]] DMA_HOST_DEVICE static Sum combined(const Sum& left, const Sum& right) {
    return Operation::combined(left, right);
  }

  /// The sum of the tiles from `first` to before `last`, at most `looks` for each thread. Collective over the CTA,
  /// with one synchronization.
  ///
  /// @param looked  not those of the tile before, which other warps may still read
  [[nodiscard]] DMA_HOST_DEVICE static Sum look_back(const dma::Cta& cta, const LookBack<Sum>& sums, int first,
                                                     int last, Sum (&looked)[plan.warps]) {
    const int own = first + cta.thread() * plan.looks;
    Sum of_tiles[plan.looks];
    dma::unrolled<plan.looks>([&](auto i) { of_tiles[i] = Operation::nothing(); });
    sums.template wait_for<plan.looks>(own, last, of_tiles);
    Sum sum = of_tiles[0];
    dma::unrolled<plan.looks - 1>([&](auto i) { sum = Operation::combined(sum, of_tiles[i + 1]); });
    // Orders nothing that the shuffles need, which wait for each other's lanes: it brings those together, once, whose
    // polls have ended apart.
    cta.sync_warp();
    sum = sum_from_lane(cta, sum);
    if (cta.lane() == 0) {
      looked[cta.warp()] = sum;
    }
    cta.sync();
    sum = looked[0];
    dma::unrolled<plan.warps - 1>([&](auto w) { sum = Operation::combined(sum, looked[w + 1]); });
    return sum;
  }

 protected:
  /// In lane 0 the sum of the warp's lanes.
  [[nodiscard]] DMA_HOST_DEVICE static Sum sum_from_lane(const dma::Cta& cta, Sum sum) {
    for (int distance = 1; distance < 32; distance *= 2) {
      sum = Operation::combined(sum, of_lane(cta, sum, cta.lane() + distance));
    }
    return sum;
  }

  Sum before_warp_;
  Sum sum_;  ///< in lane 0 of the warp, then of the tile
};

}  // namespace scan
