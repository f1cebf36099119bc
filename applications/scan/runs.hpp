#pragma once

#include "rows.hpp"

#include <dma/dma.hpp>

namespace scan {

/// Elements to encode as runs of equal ones, in memory of the GPU.
///
/// @pre There are fewer than 2^32 elements.
template <class T>
struct RunsJob {
  const T* x;
  T* values;     ///< of each run; has room for all elements, and so has `lengths`
  int* lengths;  ///< of each run; not x, nor `values`
  long long* runs;
  long long elements;
  TileSums sums;
};

/// The runs that begin in some elements, and where the last of them does.
struct Begun {
  unsigned runs;
  unsigned last;
};
struct CountRuns {
  using Value = Begun;

  [[nodiscard]] DMA_HOST_DEVICE static Begun nothing() { return {0, 0}; }
  [[nodiscard]] DMA_HOST_DEVICE static Begun combined(const Begun& left, const Begun& right) {
    return {left.runs + right.runs, left.last < right.last ? right.last : left.last};
  }
};

/// The steps of run-length encoding. An element that begins a run is marked. It writes the run's value, and the length
/// of the run before it: the scan has told where that one begins.
template <class T, TilePlan plan>
class TileRuns : public TileRows<T, CountRuns, plan> {
  using Base = TileRows<T, CountRuns, plan>;
  using Base::rows;
  static constexpr int step = sizeof(T) > 4 ? 8 : 16;  ///< rows whose runs are written together

  /// The runs that begin in a few rows.
  struct Heads {
    T values[32 * step];
    unsigned begins[32 * step];  ///< where they do
  };

 public:
  using Job = RunsJob<T>;
  struct Shared : Base::Shared {
    Heads of_warps[plan.warps];
  };
  static constexpr int behind = dma::Vector<T>::size();  ///< one is compared; a slot begins on 16 bytes

  template <class Source>
  DMA_HOST_DEVICE void read(const dma::Cta& cta, const Job& /*job*/, long long first, int count, const Source& source) {
    Base::read_rows(cta, count, source);
    // What is left of lane 0: in the first row the element before the warp's, in others lane 31 of the row before.
    const int place = Base::place_of(cta, 0);
    const bool is_first = first + place == 0;
    T left = cta.lane() == 0 && !is_first && place < count ? source.element(place - 1) : T{};
    Base::mark_rows(cta, count, [&](const T& value, auto row) {
      const T rotated = of_lane(cta, value, cta.lane() - 1);
      const bool begins = !(value == (cta.lane() == 0 ? left : rotated));
      left = rotated;
      return begins || (row == 0 && is_first);
    });
    const Lanes begun = Base::marked_rows();
    sum_ = CountRuns::nothing();
    if (begun.any()) {
      sum_ = {static_cast<unsigned>(begun.count()),
              static_cast<unsigned>(first) + static_cast<unsigned>(Base::place_of(cta, begun.last()))};
    }
  }
  DMA_HOST_DEVICE void add_up_warp(const dma::Cta& cta) { sum_ = Base::sum_from_lane(cta, sum_); }
  /// Writes the values of the runs that begin in the tile, and the lengths of those that end before them.
  DMA_HOST_DEVICE void write(const dma::Cta& cta, const Begun& before, const Job& job, long long first, int count,
                             Shared& shared) const {
    Heads& heads = shared.of_warps[cta.warp()];
    Begun begun = CountRuns::combined(before, before_warp_);
    dma::unrolled<(rows + step - 1) / step>([&](auto i) {
      constexpr int row = i * step;
      constexpr int end = row + step < rows ? row + step : rows;
      const int found = gather<row, end>(cta, static_cast<unsigned>(first), heads);
      if (found > 0) {
        begun = write_runs(cta, begun, found, job, heads);
      }
    });
    if (first + count == job.elements && cta.thread() == 0) {
      write_end(job, CountRuns::combined(before, sum_));
    }
  }

 private:
  using Base::before_warp_;
  using Base::sum_;

  /// Puts the runs that begin in rows from `from` to before `to` beside one another. Returns how many there are.
  template <int from, int to>
  [[nodiscard]] DMA_HOST_DEVICE int gather(const dma::Cta& cta, unsigned first, Heads& heads) const {
    int found = 0;
    Base::template for_each_row<from, to>(cta, [&](const T& value, int place, bool begins, Lanes all) {
      if (begins) {
        const int at = found + all.below(cta.lane()).count();
        heads.values[at] = value;
        heads.begins[at] = first + static_cast<unsigned>(place);
      }
      found += all.count();
    });
    return found;
  }
  /// Writes them, behind those that have `begun`, and returns all of both.
  [[nodiscard]] DMA_HOST_DEVICE static Begun write_runs(const dma::Cta& cta, const Begun& begun, int found,
                                                        const Job& job, const Heads& heads) {
    cta.sync_warp();
    for (int i = cta.lane(); i < found; i += 32) {
      const unsigned run = begun.runs + static_cast<unsigned>(i);
      job.values[run] = heads.values[i];
      if (run > 0) {
        job.lengths[run - 1] = static_cast<int>(heads.begins[i] - (i > 0 ? heads.begins[i - 1] : begun.last));
      }
    }
    const Begun all = {begun.runs + static_cast<unsigned>(found), heads.begins[found - 1]};
    cta.sync_warp();
    return all;
  }
  /// Their number, and the length of the last one.
  DMA_HOST_DEVICE static void write_end(const Job& job, const Begun& all) {
    *job.runs = static_cast<long long>(all.runs);
    if (all.runs > 0) {
      job.lengths[all.runs - 1] = static_cast<int>(static_cast<unsigned>(job.elements) - all.last);
    }
  }
};

}  // namespace scan
