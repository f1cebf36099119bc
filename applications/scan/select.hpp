#pragma once

#include "rows.hpp"

#include <dma/dma.hpp>

namespace scan {

/// Elements to select from, in memory of the GPU: those that `keeps(x[i])` says, in their order. It may be asked of
/// `T{}` too.
///
/// @pre There are fewer than 2^32 elements.
template <class T, class Predicate>
struct SelectJob {
  const T* x;
  T* y;             ///< has room for all of them; not x
  long long* kept;  ///< how many there are
  long long elements;
  Predicate keeps;
  TileSums sums;
};

/// The steps of a selection: the scan is one of counts.
template <class T, class Predicate, TilePlan plan>
class TileSelect : public TileRows<T, Sum<unsigned>, plan> {
  using Base = TileRows<T, Sum<unsigned>, plan>;

 public:
  using Job = SelectJob<T, Predicate>;
  using Shared = typename Base::Shared;
  static constexpr int behind = 0;

  template <class Source>
  DMA_HOST_DEVICE void read(const dma::Cta& cta, const Job& job, long long /*first*/, int count, const Source& source) {
    Base::read_rows(cta, count, source);
    Base::mark_rows(cta, count, [&](const T& value, auto) { return job.keeps(value); });
  }
  DMA_HOST_DEVICE void add_up_warp(const dma::Cta& cta) {
    sum_ = Base::sum_from_lane(cta, static_cast<unsigned>(Base::marked_rows().count()));
  }
  /// Writes what is kept of the tile behind the `before` elements that are kept before it.
  DMA_HOST_DEVICE void write(const dma::Cta& cta, unsigned before, const Job& job, long long first, int count,
                             Shared& /*shared*/) const {
    unsigned to = before + before_warp_;
    Base::template for_each_row<0, Base::rows>(cta, [&](const T& value, int, bool is_kept, Lanes kept) {
      if (is_kept) {
        job.y[to + static_cast<unsigned>(kept.below(cta.lane()).count())] = value;
      }
      to += static_cast<unsigned>(kept.count());
    });
    if (first + count == job.elements && cta.thread() == 0) {
      *job.kept = static_cast<long long>(before) + sum_;
    }
  }

 private:
  using Base::before_warp_;
  using Base::sum_;
};

}  // namespace scan
