#pragma once

#include <dma/dma.hpp>

/// Passes the sum of each CTA of a cluster to all of them, round after round, without a `cluster_sync()`: a CTA works
/// on while the sums are on their way.
///
/// @pre A warp sends round r after all threads of its CTA have waited for round r - 2, which is so where a CTA sends
///      one round ahead and synchronizes between its last wait and the next send. All CTAs have equally many rounds.
template <class Sum, int Ctas>
class SumExchange {
  using Barrier = dma::PhaseBarrier<dma::Scope::cluster>;

 public:
  /// Rounds whose sums are in memory at a time: another CTA may be one round ahead, while threads of this one still
  /// read the sums of two rounds before.
  static constexpr int rounds = 4;
  struct Shared {
    typename Barrier::State full[rounds];
    Sum sums[rounds][Ctas];
  };

  /// Collective over the cluster, which it synchronizes.
  DMA_HOST_DEVICE SumExchange(const dma::Cta& cta, Shared& shared)
      : shared_(&shared),
        full_{{cta, shared.full[0], 1}, {cta, shared.full[1], 1}, {cta, shared.full[2], 1}, {cta, shared.full[3], 1}} {}

  /// This CTA's sum of a round. Called by the lanes of one warp, which all have the sum.
  DMA_HOST_DEVICE void send(const dma::Cta& cta, int round, const Sum& sum) {
    dma::unrolled<rounds>([&](auto i) {
      if (round % rounds == i) {
        if (cta.lane() == 0) {
          full_[i].expect(static_cast<int>(sizeof shared_->sums[i]));
        }
        if (cta.lane() < Ctas) {
          full_[i].send(cta.lane(), &shared_->sums[i][cta.cluster_rank()], sum);
        }
      }
    });
  }
  /// Waits for the sums of all CTAs. Every thread waits for every round.
  [[nodiscard]] DMA_HOST_DEVICE const Sum (&wait(int round))[Ctas] {
    dma::unrolled<rounds>([&](auto i) {
      if (round % rounds == i) {
        full_[i].wait();
      }
    });
    return shared_->sums[round % rounds];
  }

 private:
  Shared* shared_;
  Barrier full_[rounds];
};
