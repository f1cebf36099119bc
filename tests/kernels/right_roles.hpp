#pragma once

#include "kernels/right.hpp"

/// Roles of every form in one kernel: two compute groups, three DMA groups, pipelines that all compute warps or one
/// group use, a hand-off, turns, and tiles that are stored or changed in place.
namespace right {

template <class WarpLayout, class Barrier, class LoadEngine, class StoreEngine, bool changes_in_place>
struct EveryRole {
  static constexpr const char* name = dma::machine::type_name<EveryRole>();
  static constexpr int tiles = 7;
  static constexpr int ctas = 1;
  static constexpr int in_count = 2 * tiles * count;
  static constexpr int out_count = tiles * count + 2 * tiles;
  using Layout = WarpLayout;
  // The hand-off has the named barriers of DMA group 1, whose own pipeline has an mbarrier.
  using Own = dma::DmaPipeline<Tile, dma::UsedBy<0, dma::MultiBuffer<Layout, 1, dma::DmaGroups{.first = 0}>>, Barrier,
                               LoadEngine>;
  using Common = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 3, dma::DmaGroups{.first = 1}>, Phase, LoadEngine>;
  using Sums = dma::HandOff<Tile, dma::FromTo{.from = 0, .to = 1},
                            dma::MultiBuffer<Layout, 1, dma::DmaGroups{.first = 1}>, Barrier>;
  template <class Pattern>
  using OutOf = dma::DmaPipeline<Pattern, dma::UsedBy<1, dma::MultiBuffer<Layout, 1, dma::DmaGroups{.first = 2}>>,
                                 Barrier, StoreEngine>;
  using Out = OutOf<dma::stdlib::conditional_t<changes_in_place, dma::Update<Tile>, dma::Store<Tile>>>;
  struct Shared {
    typename Own::Storage own;
    typename Common::Storage common;
    typename Sums::Storage sums;
    typename Out::Storage out;
    int position;  ///< of the next turn in `out`
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<EveryRole>& cta, const int* in, int* out, Word*) const {
    auto& shared = cta.template shared<Shared>();
    Own own(cta, shared.own);
    Common common(cta, shared.common);
    Sums sums(cta, shared.sums);
    Out stored(cta, shared.out);
    dma::Turns<Layout> turns;
    if (cta.thread() == 0) {
      shared.position = tiles * count;
    }
    cta.sync();
    const auto note_turn = [&](const auto& compute, int t) {
      const auto turn = turns.take();
      if (compute.group_rank() == 0) {
        out[shared.position] = 10 * t + compute.group();
        ++shared.position;
      }
    };
    cta.take_roles(
        [&] {
          const auto mine = own.as_compute();
          const auto ours = common.as_compute();
          const auto to = sums.as_producer();
          for (int t = 0; t < tiles; ++t) {
            const auto x = mine.wait();
            const auto y = ours.wait();
            {
              const auto sum = to.wait();
              for (int i = to.rank(); i < count; i += to.size()) {
                sum[i] = 3 * x[i] + y[i];
              }
            }
            note_turn(mine, t);
          }
        },
        [&] {
          const auto from = sums.as_consumer();
          const auto ours = common.as_compute();
          const auto to = stored.as_compute();
          for (int t = 0; t < tiles; ++t) {
            note_turn(from, t);
            const auto sum = from.wait();
            const auto y = ours.wait();
            const auto z = to.wait();
            const int before = changes_in_place ? z[to.rank()] : 0;
            z[to.rank()] = before + sum[to.rank() ^ 1] - y[to.rank()];
            to.sync_group();
          }
        },
        [&] {
          const auto dma = own.as_dma();
          for (int t = 0; t < tiles; ++t) {
            dma.load(in + t * count);
          }
        },
        [&] {
          const auto dma = common.as_dma();
          for (int t = 0; t < tiles; ++t) {
            dma.load(in + (tiles + t) * count);
          }
        },
        [&] {
          const auto dma = stored.as_dma();
          const auto store = [&](int t) { dma.store(out + t * count); };
          if constexpr (changes_in_place) {
            dma.for_each_tile(
                {.last = tiles}, [&](int t) { dma.load(out + t * count); }, store);
          } else {
            for (int t = 0; t < tiles; ++t) {
              store(t);
            }
          }
        });
  }
  static int expected(const int* in, int i) {
    const int turn = i - tiles * 64;
    const int before = changes_in_place ? untouched : 0;
    return turn >= 0 ? 10 * (turn / 2) + turn % 2
                     : before + 3 * in[i ^ 1] + in[tiles * 64 + (i ^ 1)] - in[tiles * 64 + i];
  }
};

using Groups = dma::WarpLayout<dma::Compute<1>, dma::Compute<2>, dma::Dma<1>, dma::Dma<2>, dma::Dma<1>>;
/// Eight warps, two of them idle: the compute groups share a warpgroup, the DMA groups another.
using BudgetedGroups =
    dma::WarpLayout<dma::Compute<1, dma::Registers{208}>, dma::Compute<2, dma::Registers{208}>,
                    dma::Dma<1, dma::Registers{40}>, dma::Dma<1, dma::Registers{40}>, dma::Dma<1, dma::Registers{40}>>;

using Roles = List<EveryRole<Groups, Phase, Registers, Registers, true>, EveryRole<Groups, Phase, Async, Bulk, false>,
                   EveryRole<BudgetedGroups, Phase, Bulk, Bulk, true>, EveryRole<Groups, Named, Registers, Bulk, false>,
                   EveryRole<Groups, Named, Async, Registers, true>>;

}  // namespace right
