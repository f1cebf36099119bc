#pragma once

#include "tile_sum.hpp"

#include <dma/dma.hpp>

namespace scan {

enum class Kind { inclusive, exclusive };

/// An array to scan, in memory of the GPU.
///
/// y[i] is `first` combined with x[0] to x[i], exclusive: to x[i - 1].
template <class T>
struct Job {
  const T* x;
  T* y;  ///< may be x
  long long elements;
  T first;
  TileSums sums;
};

/// A tile in the registers of a CTA, and the steps of its scan.
template <class Operation, Kind kind, TilePlan plan>
class TileScan : public TileSum<Operation, plan> {
  using Base = TileSum<Operation, plan>;

 public:
  using T = typename Operation::Value;
  using Job = scan::Job<T>;
  static constexpr int width = dma::Vector<T>::size();
  static constexpr int threads = Base::threads;
  static constexpr int elements = threads * plan.vectors * width;
  static constexpr int behind = 0;  ///< elements before a tile that it reads too

  /// Of a CTA, in shared memory.
  struct Shared : Base::Shared {
    dma::Vector<T> exchange[plan.is_aligned ? 1 : threads];  ///< a vector of each lane, to write as single elements
  };

  /// Where vector `i` of this thread begins in the tile: a warp's lanes beside one another, and its vectors.
  [[nodiscard]] DMA_HOST_DEVICE static int vector_at(const dma::Cta& cta, int i) {
    return ((cta.warp() * plan.vectors + i) * 32 + cta.lane()) * width;
  }

  /// What is before the first tile.
  [[nodiscard]] DMA_HOST_DEVICE static T before_all(const Job& job) { return job.first; }

  /// Takes the tile, of which there are `count` elements, into registers.
  template <class Source>
  DMA_HOST_DEVICE void read(const dma::Cta& cta, const Job& /*job*/, long long /*first*/, int count,
                            const Source& source) {
    dma::unrolled<plan.vectors>([&](auto i) {
      const int at = vector_at(cta, i);
      if (at + width <= count) {
        values_[i] = source.vector(at);
      } else {
        dma::unrolled<width>(
            [&](auto e) { values_[i][e] = at + e < count ? source.element(at + e) : Operation::nothing(); });
      }
    });
  }

  /// Scans what each warp has.
  DMA_HOST_DEVICE void add_up_warp(const dma::Cta& cta) {
    dma::unrolled<plan.vectors>([&](auto i) {
      dma::unrolled<width - 1>(
          [&](auto e) { values_[i][e + 1] = Operation::combined(values_[i][e], values_[i][e + 1]); });
      const T of_lanes = scanned(cta, values_[i][width - 1]);
      T before = of_lane(cta, of_lanes, cta.lane() - 1);
      if (cta.lane() == 0) {
        before = Operation::nothing();
      }
      if (i > 0) {
        before = Operation::combined(sum_, before);
      }
      const T of_vectors = of_lane(cta, of_lanes, 31);
      sum_ = i == 0 ? of_vectors : Operation::combined(sum_, of_vectors);
      dma::unrolled<width>([&](auto e) { values_[i][e] = Operation::combined(before, values_[i][e]); });
    });
  }

  /// Writes the scan of the tile, whose elements are `count` from `first` on, with `before` the sum of all before it.
  DMA_HOST_DEVICE void write(const dma::Cta& cta, const T& before, const Job& job, long long first, int count,
                             Shared& shared) const {
    T* const y = job.y + first;
    const T of_warp = Operation::combined(before, before_warp_);
    dma::unrolled<plan.vectors>([&](auto i) {
      [[maybe_unused]] constexpr int vector = i;
      dma::Vector<T> scanned;
      dma::unrolled<width>([&](auto e) {
        if constexpr (kind == Kind::inclusive) {
          scanned[e] = Operation::combined(of_warp, values_[i][e]);
        } else if constexpr (e > 0) {
          scanned[e] = Operation::combined(of_warp, values_[i][e - 1]);
        } else {
          scanned[e] = Operation::combined(of_warp, before_vector<vector>(cta));
        }
      });
      if constexpr (plan.is_aligned) {
        write_vector(y, vector_at(cta, i), count, scanned);
      } else {
        write_elements(cta, y, vector_at(cta, i), count, scanned, shared);
      }
    });
  }

 private:
  /// The sum of this lane's and all lower lanes' values.
  [[nodiscard]] DMA_HOST_DEVICE static T scanned(const dma::Cta& cta, T value) {
    for (int distance = 1; distance < 32; distance *= 2) {
      const T left = of_lane(cta, value, cta.lane() - distance);
      if (cta.lane() >= distance) {
        value = Operation::combined(left, value);
      }
    }
    return value;
  }
  /// What the warp has before this lane's vector `i`.
  template <int i>
  [[nodiscard]] DMA_HOST_DEVICE T before_vector(const dma::Cta& cta) const {
    T before = of_lane(cta, values_[i][width - 1], cta.lane() - 1);
    if constexpr (i > 0) {
      const T of_vectors = of_lane(cta, values_[i - 1][width - 1], 31);
      before = cta.lane() == 0 ? of_vectors : before;
    } else {
      before = cta.lane() == 0 ? Operation::nothing() : before;
    }
    return before;
  }
  DMA_HOST_DEVICE static void write_vector(T* y, int at, int count, const dma::Vector<T>& vector) {
    if (at + width <= count) {
      *dma::vectors(y + at) = vector;
    } else {
      dma::unrolled<width>([&](auto e) {
        if (at + e < count) {
          y[at + e] = vector[e];
        }
      });
    }
  }
  /// The vectors of the warp's lanes, as elements: each store is of elements beside one another.
  DMA_HOST_DEVICE static void write_elements(const dma::Cta& cta, T* y, int at, int count, const dma::Vector<T>& vector,
                                             Shared& shared) {
    dma::Vector<T>* const of_warp = shared.exchange + cta.warp() * 32;
    cta.sync_warp();
    of_warp[cta.lane()] = vector;
    cta.sync_warp();
    const int first = at - cta.lane() * width + cta.lane();
    dma::unrolled<width>([&](auto e) {
      if (first + e * 32 < count) {
        const int i = e * 32 + cta.lane();
        y[first + e * 32] = of_warp[i / width][i % width];
      }
    });
  }

  using Base::before_warp_;
  using Base::sum_;
  dma::Vector<T> values_[plan.vectors];  ///< scanned within the warp
};

}  // namespace scan
